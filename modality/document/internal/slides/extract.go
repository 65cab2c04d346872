package slides

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
)

// maxHeld is the largest cut that is held in memory, in bytes. Larger cuts are
// written while they are read.
const maxHeld = 64 << 20

// extract implements deck. A slide whose text cannot be read is refused: nobody
// could check that evidence.
func (d *pptx) extract(ctx context.Context, indexes []int) (*citekit.Content, error) {
	c, err := newCutter(ctx, d, indexes)
	if err != nil {
		return nil, err
	}
	for _, i := range indexes {
		if _, err := d.readSlide(ctx, i); err != nil {
			return nil, err
		}
	}
	k := d.kind.withoutMacros()
	content := &citekit.Content{MediaType: k.mediaType, Ext: k.ext, Changes: c.changes}
	size, err := c.size()
	if err != nil {
		return nil, err
	}
	if err := write(ctx, content, size, c.cut.WriteTo); err != nil {
		return nil, err
	}
	return content, nil
}

// write sets the body of content. Size is an estimate in bytes: a body of at most
// maxHeld is held in memory, a larger one is written while it is read.
func write(ctx context.Context, content *citekit.Content, size int64, writeTo func(context.Context, io.Writer) error) error {
	if size > maxHeld {
		content.Size = -1
		content.Body = &piped{write: func(w io.Writer) error { return writeTo(ctx, w) }}
		return nil
	}
	var out bytes.Buffer
	if err := writeTo(ctx, &out); err != nil {
		return fmt.Errorf("writing the slides: %w", err)
	}
	content.Body, content.Size = io.NopCloser(ctxio.Reader(ctx, &out)), int64(out.Len())
	return nil
}

// size estimates the size of the cut in bytes.
func (c *cutter) size() (int64, error) {
	parts, err := c.cut.Parts(c.ctx)
	var size int64
	for _, part := range parts {
		size += c.pkg.Part(part).Size()
	}
	return size, err
}

// A piped body reads what a function writes. The first Read starts the function.
type piped struct {
	write func(io.Writer) error
	r     *io.PipeReader
}

func (p *piped) Read(b []byte) (int, error) {
	if p.r == nil {
		r, w := io.Pipe()
		p.r = r
		go func() { w.CloseWithError(p.write(w)) }()
	}
	return p.r.Read(b)
}

func (p *piped) Close() error {
	if p.r == nil {
		p.write = func(io.Writer) error { return io.ErrClosedPipe }
		return nil
	}
	return p.r.Close()
}
