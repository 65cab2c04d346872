//go:build unix

package workspace

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// nonblock keeps an open from waiting for the other end of a pipe.
const nonblock = syscall.O_NONBLOCK

// tryLock locks f against other openings of the same file. It reports false
// if another has the lock.
func tryLock(f *os.File) (bool, error) {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case err == unix.EWOULDBLOCK:
			return false, nil
		case err != unix.EINTR:
			return false, err
		}
	}
}

// unlock ends a lock. To close f would do, were it not for children being
// started, which hold it open for an instant.
func unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// holdTemp locks a temporary file for as long as what it returns is open, to
// show that its writer lives. It returns nil if that cannot be.
func holdTemp(root *os.Root, name string) *os.File {
	f, err := root.OpenFile(name, os.O_RDWR, 0) // NFS locks only what can be written
	if err != nil {
		return nil
	}
	if locked, err := tryLock(f); !locked || err != nil {
		f.Close()
		return nil
	}
	return f
}

// isHeld reports whether a writer holds the temporary file.
func isHeld(root *os.Root, name string) bool {
	f, err := root.OpenFile(name, os.O_RDWR|nonblock, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	locked, err := tryLock(f)
	return !locked && err == nil
}

// syncDir makes the entries of the directory durable. Some file systems
// cannot; there is nothing better to do on them.
func syncDir(root *os.Root, name string) error {
	d, err := root.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		return nil
	}
	return err
}
