package ffmpeg

import (
	"os"

	"github.com/citekit/citekit/internal/localfile"
)

// scratchPrefix begins the names of scratch directories and of nothing else.
const scratchPrefix = "citekit-ffmpeg-"

// newScratch creates a directory. The first call of a Tools also removes the
// directories of killed processes.
func (t *Tools) newScratch() (*localfile.Scratch, error) {
	t.sweep.Do(func() { localfile.SweepScratch(scratchPrefix) })
	return localfile.NewScratch(scratchPrefix)
}

// An Output is a file that a program wrote. Close removes it.
type Output struct {
	file *os.File
	size int64
	dir  *localfile.Scratch
}

// ReadAt implements [io.ReaderAt].
func (o *Output) ReadAt(p []byte, off int64) (int, error) { return o.file.ReadAt(p, off) }

// Size returns the length of the file in bytes.
func (o *Output) Size() int64 { return o.size }

// Close removes the file.
func (o *Output) Close() error {
	err := o.file.Close()
	o.dir.Remove()
	return err
}
