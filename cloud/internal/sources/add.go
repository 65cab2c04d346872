package sources

import (
	"context"
	"fmt"
	"io"
	"io/fs"

	"github.com/citekit/citekit/workspace/driver"
)

// AddSource stores content as the source with a path and returns its size, all of it or
// nothing. It never replaces a source, which is an error that matches [fs.ErrExist]. If
// reading content fails, the error wraps the cause.
func (b *Bucket) AddSource(ctx context.Context, name string, content io.Reader) (size int64, err error) {
	key, err := keyOf(name)
	if err != nil {
		return 0, err
	}
	body := &counted{r: content}
	_, err = b.store.Write(ctx, key, body, driver.WriteOptions{Size: -1, IfAbsent: true})
	switch {
	case err == nil:
		return body.n, nil
	case body.err != nil:
		return 0, body.err
	case b.store.ErrorKind(err) == driver.Conflict:
		return 0, fmt.Errorf("source: %w", fs.ErrExist)
	}
	return 0, b.fault(ctx, err)
}

// A counted reader remembers how much was read, and why reading failed.
type counted struct {
	r   io.Reader
	n   int64
	err error
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}
