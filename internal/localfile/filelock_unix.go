//go:build unix

package localfile

import (
	"os"

	"golang.org/x/sys/unix"
)

func try(f *os.File) (bool, error) {
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

// unlock ends a lock. Closing f is not enough: a child process that is being
// started may hold it open for an instant.
func unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }
