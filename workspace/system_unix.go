//go:build unix

package workspace

import (
	"errors"
	"os"
	"syscall"

	"github.com/citekit/citekit/internal/localfile"
)

// nonblock keeps an open from waiting for the other end of a pipe.
const nonblock = syscall.O_NONBLOCK

// holdTemp locks a temporary file while the returned file is open, to show that
// its writer lives. It returns nil if the file cannot be locked.
func holdTemp(root *os.Root, name string) *os.File {
	f, err := root.OpenFile(name, os.O_RDWR, 0) // NFS locks only files open for writing
	if err != nil {
		return nil
	}
	if locked, err := localfile.TryLock(f); !locked || err != nil {
		f.Close()
		return nil
	}
	return f
}

// isHeld reports whether a writer holds the temporary file, and whether that is known:
// some file systems have no locks.
func isHeld(root *os.Root, name string) (held, known bool) {
	f, err := root.OpenFile(name, os.O_RDWR|nonblock, 0)
	if err != nil {
		return false, false
	}
	defer f.Close()
	locked, err := localfile.TryLock(f)
	return !locked && err == nil, err == nil
}

// syncDir makes the entries of the directory durable. It ignores file systems
// that do not support this.
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
