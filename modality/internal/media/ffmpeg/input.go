package ffmpeg

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/localfile"
)

// An Input is a source that programs can read. Several runs may use it at once.
type Input struct {
	demuxer string
	skip    int64              // bytes before the content
	size    int64              // size of file in bytes
	file    *os.File           // the file that programs read: the source or a private copy
	private *localfile.Scratch // directory of the copy, or nil
}

// Open makes src readable for programs. Demuxer is ffmpeg's name for the format, which
// begins after skip bytes; both must be derived from the content of src. If src is not
// a file, Open copies it to a temporary one. Close the Input before src.
func (t *Tools) Open(ctx context.Context, src *citekit.Source, demuxer string, skip int64) (*Input, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	in := &Input{demuxer: demuxer, skip: skip, size: src.Size()}
	if f := src.File(); f != nil && attachable(f) {
		in.file = f
		return in, nil
	}
	if err := t.copy(ctx, in, src.Reader(), src.Size()); err != nil {
		return nil, err
	}
	return in, nil
}

// OpenReader copies r, of size bytes, to a temporary file, and makes that readable for
// programs.
func (t *Tools) OpenReader(ctx context.Context, r io.Reader, size int64, demuxer string) (*Input, error) {
	in := &Input{demuxer: demuxer, size: size}
	if err := t.copy(ctx, in, r, size); err != nil {
		return nil, err
	}
	return in, nil
}

// OpenOutput makes the output of a program readable for another. Close the Input before
// the Output.
func OpenOutput(o *Output, demuxer string) *Input {
	return &Input{demuxer: demuxer, file: o.file, size: o.size}
}

func (t *Tools) copy(ctx context.Context, in *Input, r io.Reader, size int64) (err error) {
	dir, err := t.newScratch()
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			dir.Remove()
		}
	}()
	f, err := dir.Create("source")
	if err != nil {
		return err
	}
	n, err := io.Copy(f, ctxio.Reader(ctx, r))
	if err == nil && n != size {
		err = fmt.Errorf("the source has %d bytes of %d: %w", n, size, citekit.ErrFormat)
	}
	if err != nil {
		f.Close()
		return err
	}
	in.file, in.private = f, dir
	return nil
}

// ReadAt implements [io.ReaderAt]. It reads the file that programs read.
func (in *Input) ReadAt(p []byte, off int64) (int, error) { return in.file.ReadAt(p, off) }

// Size returns the size in bytes of the file that programs read.
func (in *Input) Size() int64 { return in.size }

// Close releases the Input. It does not close the source.
func (in *Input) Close() {
	if in.private != nil {
		in.file.Close()
		in.private.Remove()
	}
}
