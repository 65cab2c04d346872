package text

import (
	"context"
	"fmt"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
)

// A body reads a part of a source, the whole part or with an error.
type body struct {
	part io.Reader // until the context of the call that returned the Body is done
	left int64
}

func newBody(ctx context.Context, src *citekit.Source, start, end int64) *body {
	return &body{part: ctxio.Reader(ctx, io.NewSectionReader(src, start, end-start)), left: end - start}
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.part.Read(p)
	b.left -= int64(n)
	if err == io.EOF && b.left > 0 {
		return n, errCut
	}
	return n, err
}

func (b *body) Close() error { return nil }

// errCut reports that the file has fewer bytes than when it was opened.
var errCut = fmt.Errorf("the source became shorter while it was being read: %w", citekit.ErrStale)

// readFull fills p from src at off.
func readFull(ctx context.Context, src *citekit.Source, p []byte, off int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	n, err := src.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == io.EOF || err == nil {
		return errCut
	}
	return err
}
