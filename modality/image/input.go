package image

import (
	"context"
	"errors"
	"io"

	"github.com/citekit/citekit"
)

// An input reads a source for a decoder that does not support contexts and
// cannot tell errors of the file from damage. It is for one goroutine.
type input struct {
	ctx context.Context
	src *citekit.Source
	err error // first error that is not the end of the source

	windows [4]window // the last reads for small pieces
	oldest  int       // of windows
}

// A window is a part of the source held in memory.
type window struct {
	b  []byte
	at int64 // offset of b
}

// windowSize is the size of one read for small pieces: the heads of chunks,
// segments and entries lie close together.
const windowSize = 16 << 10

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

// full fills p from off; a source that ends earlier is an
// [io.ErrUnexpectedEOF]. Small pieces come from a window of the source.
func (in *input) full(p []byte, off int64) error {
	if len(p) <= windowSize/4 && off >= 0 {
		return in.small(p, off)
	}
	n, err := in.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// small implements full with a window, or with a new one.
func (in *input) small(p []byte, off int64) error {
	for _, w := range in.windows {
		if off >= w.at && off+int64(len(p)) <= w.at+int64(len(w.b)) {
			copy(p, w.b[off-w.at:])
			return nil
		}
	}
	w := &in.windows[in.oldest]
	in.oldest = (in.oldest + 1) % len(in.windows)
	if w.b == nil {
		w.b = make([]byte, windowSize)
	}
	start := off - off%(windowSize/2) // pieces may also be read from the end to the start
	w.b = w.b[:min(windowSize, max(0, in.src.Size()-start))]
	n, err := in.ReadAt(w.b, start)
	w.b, w.at = w.b[:n], start
	if from := int(off - start); n < from+len(p) {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	copy(p, w.b[off-start:])
	return nil
}

// blame returns the cause of the failure err of a decoder of format f: an error
// of the file if there was one, or else the damage that the decoder found.
func (in *input) blame(f *format, err error) error {
	switch {
	case err == nil:
		return nil
	case in.err != nil:
		return in.err
	case in.ctx.Err() != nil && errors.Is(err, in.ctx.Err()):
		return err
	case errors.Is(err, citekit.ErrFormat), errors.Is(err, citekit.ErrTooLarge), errors.Is(err, errors.ErrUnsupported):
		return err
	}
	return damaged(f, err)
}
