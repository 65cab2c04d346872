package archive

import (
	"context"
	"fmt"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
)

// A cursor reads parts of the content of a compressed file. Reading parts in order
// takes one pass; to go back, it restarts at the last point before. It is not safe
// for concurrent use.
type cursor struct {
	open   func(from *point) (*contentReader, error)
	points []point // in rising order

	at *contentReader // nil before the first read
}

// fill makes the content of e that of the file from start on.
func (c *cursor) fill(e *entry, start int64) {
	e.inPlace = func() *io.SectionReader { return nil }
	e.open = func(ctx context.Context) (io.ReadCloser, error) {
		return io.NopCloser(ctxio.Reader(ctx, &contentRange{c, start, start + e.size})), nil
	}
}

// seek goes to an offset of the content.
func (c *cursor) seek(offset int64) (err error) {
	var from *point
	for i := range c.points {
		if c.points[i].offset > offset {
			break
		}
		from = &c.points[i]
	}
	if c.at == nil || c.at.n > offset || c.at.err != nil || from != nil && from.offset > c.at.n {
		if c.at, err = c.open(from); err != nil {
			return err
		}
	}
	if _, err = io.CopyN(io.Discard, c.at, offset-c.at.n); err == io.EOF {
		err = errShrunk
	}
	return err
}

var errShrunk = fmt.Errorf("the archive is shorter than when it was listed: %w", citekit.ErrFormat)

// A contentRange is a range of the content, from at to end.
type contentRange struct {
	c       *cursor
	at, end int64
}

// Read implements [io.Reader].
func (s *contentRange) Read(b []byte) (int, error) {
	if s.at == s.end {
		return 0, io.EOF
	}
	if s.c.at == nil || s.c.at.n != s.at || s.c.at.err != nil {
		if err := s.c.seek(s.at); err != nil {
			return 0, err
		}
	}
	n, err := s.c.at.Read(b[:min(int64(len(b)), s.end-s.at)])
	s.at += int64(n)
	switch {
	case err == io.EOF && s.at < s.end:
		return n, errShrunk
	case err == io.EOF:
		return n, nil
	}
	return n, err
}
