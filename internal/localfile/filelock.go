// Package localfile is what the files of this machine need: locks between processes,
// temporary folders that do not outlive their process for long, and errors that do not
// tell where files are.
//
// A lock holds against other processes, and against other open handles of the same
// file in this one. It ends with the process, so a crash leaves none. If the file system
// has no locks, locking does nothing, and a temporary folder that is left stays.
package localfile

import (
	"context"
	"errors"
	"os"
	"time"
)

// Lock locks a file that is open for writing, and waits until the lock is free
// or ctx is done. If the file system has no locks, it does nothing. The lock
// ends with [Unlock], or with the process.
func Lock(ctx context.Context, f *os.File) error {
	for wait := time.Millisecond; ; wait = min(2*wait, 20*time.Millisecond) {
		locked, err := TryLock(f)
		if locked || errors.Is(err, errors.ErrUnsupported) {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// TryLock locks a file that is open for writing, and returns false if another
// process or handle has the lock.
func TryLock(f *os.File) (bool, error) { return try(f) }

// Unlock ends the lock of a file.
func Unlock(f *os.File) { unlock(f) }
