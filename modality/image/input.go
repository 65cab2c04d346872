package image

import (
	"context"
	"errors"
	"io"

	"github.com/citekit/citekit"
)

// An input reads a source for a decoder that knows neither contexts nor which
// errors are those of the file. It is for one goroutine.
type input struct {
	ctx context.Context
	src *citekit.Source
	err error // first error that is not the end of the source
}

func newInput(ctx context.Context, src *citekit.Source) *input {
	return &input{ctx: ctx, src: src}
}

// ReadAt implements [io.ReaderAt].
func (in *input) ReadAt(p []byte, off int64) (int, error) {
	err := in.ctx.Err()
	n := 0
	if err == nil {
		n, err = in.src.ReadAt(p, off)
	}
	if err != nil && err != io.EOF && in.err == nil {
		in.err = err
	}
	return n, err
}

// section returns a reader of n bytes from off.
func (in *input) section(off, n int64) *io.SectionReader {
	return io.NewSectionReader(in, off, n)
}

// all returns a reader of the whole source.
func (in *input) all() *io.SectionReader { return in.section(0, in.src.Size()) }

// full fills p from off; a source that ends before is an
// [io.ErrUnexpectedEOF].
func (in *input) full(p []byte, off int64) error {
	n, err := in.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// blame returns the error that made a decoder of format f fail with err: that
// of the file if there was one, else the damage that the decoder saw.
func (in *input) blame(f *format, err error) error {
	switch {
	case err == nil:
		return nil
	case in.err != nil:
		return in.err
	case errors.Is(err, citekit.ErrFormat), errors.Is(err, citekit.ErrTooLarge), errors.Is(err, errors.ErrUnsupported):
		return err
	}
	return damaged(f, err)
}
