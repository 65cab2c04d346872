package ffmpeg

import (
	"fmt"
	"os"
	"path/filepath"
)

// A scratch is a private temporary directory.
type scratch struct{ dir string }

func newScratch() (*scratch, error) {
	dir, err := os.MkdirTemp("", "citekit-")
	if err != nil {
		return nil, fmt.Errorf("no temporary directory: %w", scrubbedError(err))
	}
	return &scratch{dir: dir}, nil
}

func (s *scratch) path(name string) string { return filepath.Join(s.dir, name) }

// create makes a file that only this user reads.
func (s *scratch) create(name string) (*os.File, error) {
	f, err := os.OpenFile(s.path(name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("no temporary file: %w", scrubbedError(err))
	}
	return f, nil
}

func (s *scratch) remove() { os.RemoveAll(s.dir) }

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
