package keyfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

const openFlags, mountedFlags = 0, 0

// checkPrivate does nothing: who may read a file here its folder says, which is the
// person's own by default.
func checkPrivate(string, fs.FileInfo) error { return nil }

func checkMounted(string, fs.FileInfo) error { return nil }

func giveTo(*os.File, fs.FileInfo) error { return nil }

// rename waits for readers, which keep a file from being replaced for as long as
// they have it open.
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

// syncDir does nothing: directories cannot be synced here, and renames are
// journalled.
func syncDir(string) error { return nil }
