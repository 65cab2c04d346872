package ffmpeg

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/citekit/citekit/internal/fserror"
)

// A scratch is a private temporary directory. Where the system has locks, this process
// locks a file in it, so that other processes can recognize abandoned directories.
type scratch struct {
	dir  string
	lock *os.File // or nil
}

// scratchPrefix begins the names of scratch directories and of nothing else.
const scratchPrefix = "citekit-ffmpeg-"

// lockName is the locked file. It gets this name only after it is locked.
const lockName = "lock"

// newScratch creates a directory. The first call of a Tools also removes the
// directories of killed processes.
func (t *Tools) newScratch() (*scratch, error) {
	t.sweep.Do(sweepScratch)
	dir, err := os.MkdirTemp("", scratchPrefix)
	if err != nil {
		return nil, fmt.Errorf("no temporary directory: %w", fserror.WithoutPath(err))
	}
	return &scratch{dir: dir, lock: lockScratch(dir)}, nil
}

func (s *scratch) path(name string) string { return filepath.Join(s.dir, name) }

// create creates a file that only this user can read.
func (s *scratch) create(name string) (*os.File, error) {
	f, err := os.OpenFile(s.path(name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("no temporary file: %w", fserror.WithoutPath(err))
	}
	return f, nil
}

func (s *scratch) remove() {
	os.RemoveAll(s.dir)
	if s.lock != nil {
		s.lock.Close()
	}
}

// An Output is a file that a program wrote. Close removes it.
type Output struct {
	file *os.File
	size int64
	dir  *scratch
}

// ReadAt implements [io.ReaderAt].
func (o *Output) ReadAt(p []byte, off int64) (int, error) { return o.file.ReadAt(p, off) }

// Size returns the length of the file in bytes.
func (o *Output) Size() int64 { return o.size }

// Close removes the file.
func (o *Output) Close() error {
	err := o.file.Close()
	o.dir.remove()
	return err
}
