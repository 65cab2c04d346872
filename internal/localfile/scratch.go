package localfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// lockName is the file that is locked. It is empty until it is.
const lockName = "lock"

// A Dir is a temporary folder that only this user can read.
type Scratch struct {
	path string
	lock *os.File // or nil
}

// NewScratch creates a folder whose name begins with a prefix that nothing else has. The caller
// calls [Scratch.Remove].
func NewScratch(prefix string) (*Scratch, error) {
	path, err := os.MkdirTemp("", prefix)
	if err != nil {
		return nil, fmt.Errorf("no temporary directory: %w", WithoutPath(err))
	}
	return &Scratch{path, lock(path)}, nil
}

// lock locks a file in a folder until it is closed. It returns nil if it cannot.
func lock(dir string) *os.File {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil
	}
	// A Sweep holds the lock for an instant, and leaves the folder as the file is empty.
	if err := Lock(context.Background(), f); err == nil {
		if _, err = f.WriteString("in use"); err == nil {
			return f
		}
	}
	f.Close()
	return nil
}

// Path returns the path of a folder, or that of a file in it.
func (d *Scratch) Path(name ...string) string {
	return filepath.Join(append([]string{d.path}, name...)...)
}

// Create creates a file that only this user can read.
func (d *Scratch) Create(name string) (*os.File, error) {
	f, err := os.OpenFile(d.Path(name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("no temporary file: %w", WithoutPath(err))
	}
	return f, nil
}

// Remove removes a folder with all that is in it.
func (d *Scratch) Remove() {
	if d.lock != nil {
		Unlock(d.lock)
		d.lock.Close() // Windows removes no open file
	}
	os.RemoveAll(d.path)
}

// SweepScratch removes this user's folders with a prefix that no process uses. It ignores
// errors.
func SweepScratch(prefix string) {
	temp := os.TempDir()
	entries, err := os.ReadDir(temp)
	if err != nil {
		return
	}
	for _, entry := range entries {
		dir := filepath.Join(temp, entry.Name())
		if strings.HasPrefix(entry.Name(), prefix) && isOurs(dir) && isAbandoned(filepath.Join(dir, lockName)) {
			os.RemoveAll(dir)
		}
	}
}

// isAbandoned reports whether a file was locked and is no more.
func isAbandoned(name string) bool {
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	locked, err := TryLock(f)
	if errors.Is(err, errors.ErrUnsupported) || !locked {
		return false
	}
	defer Unlock(f)
	info, err := f.Stat()
	return err == nil && info.Size() > 0
}
