package ffmpeg

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/citekit/citekit/internal/fserror"
)

// A scratch is a private temporary directory. A file in it is locked while this
// process uses it, where the system can, so that another can tell what was left
// behind.
type scratch struct {
	dir  string
	lock *os.File // or nil
}

// scratchPrefix begins the names of scratch directories, and of nothing else.
const scratchPrefix = "citekit-ffmpeg-"

// lockName is the file that is locked. It has this name only once it is.
const lockName = "lock"

// newScratch makes a directory. The first one of a Tools also removes those
// that processes left behind which were killed.
func (t *Tools) newScratch() (*scratch, error) {
	t.sweep.Do(sweepScratch)
	dir, err := os.MkdirTemp("", scratchPrefix)
	if err != nil {
		return nil, fmt.Errorf("no temporary directory: %w", fserror.WithoutPath(err))
	}
	return &scratch{dir: dir, lock: lockScratch(dir)}, nil
}

func (s *scratch) path(name string) string { return filepath.Join(s.dir, name) }

// create makes a file that only this user reads.
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
