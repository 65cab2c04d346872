package ingest

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/citekit/citekit"
)

// isUnread reports whether the system did not let this user read a map, or the
// disk failed. Such a file may be a good map, so its source keeps its id: it
// gets no other, and the file is not replaced, not even by force.
func isUnread(err error) bool {
	return errors.As(err, new(syscall.Errno)) && !errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, fs.ErrPermission) && !errors.Is(err, citekit.ErrForbidden)
}

// unreadError adds to the error of a map that could not be read, which names the
// map, what follows for a source.
func unreadError(err error) error {
	return fmt.Errorf("its map may be one that cannot be read: %w", err)
}

// unreadMapOf returns why a map cannot be read that may be the one of a source
// without a note, or nil.
func (in *run) unreadMapOf(source string) error {
	if len(in.unread) == 0 {
		return nil
	}
	if err := in.unread[olderIDFor(source)]; err != nil {
		return err
	}
	for id := range resourceIDs(source, false) {
		if err := in.unread[id]; err != nil {
			return err
		}
	}
	return nil
}

// HoldsSecrets reports whether a source is not mapped because it holds keys of
// citekit itself: it is a backup, or a file of the keys of callers.
func HoldsSecrets(err error) bool {
	var refused interface{ Secret() bool }
	return errors.As(err, &refused) && refused.Secret()
}
