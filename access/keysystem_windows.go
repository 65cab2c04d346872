package access

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

const openFlags, mountedFlags = 0, 0

// checkPrivate does nothing: access to a file follows from its folder, which by
// default belongs to the person.
func checkPrivate(string, fs.FileInfo) error { return nil }

func checkMounted(string, fs.FileInfo) error { return nil }

func giveTo(*os.File, fs.FileInfo) error { return nil }

// rename waits for readers, which prevent replacing a file while they have it
// open.
func rename(from, to string) error {
	const sharingViolation = syscall.Errno(32)
	for wait := time.Millisecond; ; wait *= 2 {
		err := os.Rename(from, to)
		if err == nil || wait > time.Second || !errors.Is(err, sharingViolation) && !errors.Is(err, fs.ErrPermission) {
			return err
		}
		time.Sleep(wait)
	}
}

// syncDir does nothing: directories cannot be synced on Windows, and renames are
// journalled.
func syncDir(string) error { return nil }
