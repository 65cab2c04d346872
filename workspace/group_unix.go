//go:build unix

package workspace

import (
	"fmt"
	"os"
	"os/user"
	"slices"
	"strconv"

	"github.com/citekit/citekit"
)

// groupID returns the number of a group; this user must be a member of it.
func groupID(group string) (int, error) {
	gid, err := strconv.Atoi(group)
	if err != nil {
		found, err := user.LookupGroup(group)
		if err != nil {
			return -1, fmt.Errorf("there is no group %q on this machine: %w", group, citekit.ErrSyntax)
		}
		if gid, err = strconv.Atoi(found.Gid); err != nil {
			return -1, fmt.Errorf("the group %q has no number: %w", group, citekit.ErrSyntax)
		}
	}
	if gid < 0 {
		return -1, fmt.Errorf("%q is not the number of a group: %w", group, citekit.ErrSyntax)
	}
	if os.Geteuid() == 0 || gid == os.Getegid() {
		return gid, nil
	}
	if groups, err := os.Getgroups(); err == nil && !slices.Contains(groups, gid) {
		return -1, fmt.Errorf("this user is not a member of the group %q, and cannot share files with it: %w", group, citekit.ErrForbidden)
	}
	return gid, nil
}
