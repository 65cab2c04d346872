package command

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/citekit/citekit"
)

// explained returns err with the path that the system does not let this user
// use, whose that is, and what to do, if err is about a file of citekit.
func explained(err error) error {
	if path := deniedPath(err); path != "" {
		return hinted{err, notOurs(path)}
	}
	return err
}

// deniedPath returns the path of the file of citekit that this user may not use,
// or "" if that is not why err happened.
func deniedPath(err error) string {
	var denied interface{ Denied() string }
	if errors.As(err, &denied) {
		return denied.Denied()
	}
	return ""
}

// notOurs says whose a file is that this user may not use, and what to do.
func notOurs(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Sprintf("'%s' is closed to this user", path)
	}
	owner, me := fileOwner(info), thisUser()
	if owner == "" || owner == me {
		return fmt.Sprintf("the mode of '%s' is %v: let this user read and write it", path, info.Mode())
	}
	return fmt.Sprintf("'%s' belongs to %s: give it to %s, as root, by 'chown %s', and the same for other files there", path, owner, me, me)
}

// closedMap returns why the first map of several is left out that this user may
// not read, or nil.
func closedMap(ctx context.Context, lib *citekit.Library, ids []string) error {
	for _, id := range ids {
		if _, err := lib.Map(ctx, id); deniedPath(err) != "" {
			return explained(err)
		}
	}
	return nil
}
