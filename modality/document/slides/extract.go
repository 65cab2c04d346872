package slides

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
)

// whole returns the source as it is.
func whole(ctx context.Context, src *citekit.Source, k kind) *citekit.Content {
	return &citekit.Content{
		Body:      io.NopCloser(ctxio.Reader(ctx, src.Reader())),
		Size:      src.Size(),
		MediaType: k.mediaType,
		Ext:       k.ext,
	}
}

// maxHeld is how large a cut may be that is held in memory. Larger ones are
// written while they are read.
const maxHeld = 64 << 20

// extract returns a presentation of the slides of the indexes. Those that have
// no text that can be read are refused, as evidence that nobody can check.
func (d *deck) extract(ctx context.Context, indexes []int) (*citekit.Content, error) {
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
	content := &citekit.Content{Size: -1, MediaType: k.mediaType, Ext: k.ext, Changes: c.changes}
	size, err := c.size()
	if err != nil {
		return nil, err
	}
	if size > maxHeld {
		content.Body = &piped{write: func(w io.Writer) error { return c.cut.WriteTo(ctx, w) }}
		return content, nil
	}
	var out bytes.Buffer
	if err := c.cut.WriteTo(ctx, &out); err != nil {
		return nil, fmt.Errorf("writing the slides: %w", err)
	}
	content.Body, content.Size = io.NopCloser(ctxio.Reader(ctx, &out)), int64(out.Len())
	return content, nil
}

// size returns about how large the cut is.
func (c *cutter) size() (int64, error) {
	parts, err := c.cut.Parts(c.ctx)
	var size int64
	for _, part := range parts {
		size += c.pkg.Part(part).Size()
	}
	return size, err
}

// A piped body is what a function writes, from the first Read on.
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
