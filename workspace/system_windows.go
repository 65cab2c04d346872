package workspace

import (
	"os"

	"golang.org/x/sys/windows"
)

const nonblock = 0

// tryLock locks f against other openings of the same file. It reports false
// if another has the lock.
func tryLock(f *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	if err == windows.ERROR_LOCK_VIOLATION || err == windows.ERROR_IO_PENDING {
		return false, nil
	}
	return err == nil, err
}

func unlock(f *os.File) {
	_ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, new(windows.Overlapped))
}

// holdTemp does nothing: a lock would keep the file from being written, and a
// file that is open is not removed.
func holdTemp(*os.Root, string) *os.File { return nil }

func isHeld(*os.Root, string) bool { return false }

// syncDir does nothing: directories cannot be synced here, and renames are
// journalled.
func syncDir(*os.Root, string) error { return nil }
