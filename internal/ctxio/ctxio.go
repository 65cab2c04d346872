// Package ctxio has readers that stop when a context is done, hashes of readers, and
// a way to keep calls that block from holding up a program ([Beat]). Reading and copying large sources can be cancelled with them.
package ctxio

import (
	"context"
	"io"
)

// Reader returns a reader of r whose Read returns ctx.Err() once ctx is done. A
// Read that has begun is not interrupted. Its only method is Read, so that
// io.Copy copies in pieces and checks ctx between them.
func Reader(ctx context.Context, r io.Reader) io.Reader { return &reader{ctx, r} }

type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// ReaderAt is like [Reader] for an [io.ReaderAt]. It is safe for concurrent use
// if r is.
func ReaderAt(ctx context.Context, r io.ReaderAt) io.ReaderAt { return &readerAt{ctx, r} }

type readerAt struct {
	ctx context.Context
	r   io.ReaderAt
}

func (r *readerAt) ReadAt(p []byte, off int64) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.ReadAt(p, off)
}
