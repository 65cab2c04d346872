package ctxio

import (
	"errors"
	"io"
)

// A Ranged reads content that can only be read from an offset on, such as that of an
// object store, from where its reader is.
type Ranged struct {
	size int64
	open func(offset int64) (io.ReadCloser, error)

	offset int64
	body   io.ReadCloser // at the offset; nil if nothing is open
}

// NewRanged returns a reader of content of size bytes, which open reads from an offset
// on. It begins with body, which is at offset 0.
func NewRanged(size int64, body io.ReadCloser, open func(offset int64) (io.ReadCloser, error)) *Ranged {
	return &Ranged{size: size, open: open, body: body}
}

// Read implements [io.Reader].
func (c *Ranged) Read(p []byte) (n int, err error) {
	if c.offset >= c.size {
		return 0, io.EOF
	}
	if c.body == nil {
		if c.body, err = c.open(c.offset); err != nil {
			return 0, err
		}
	}
	n, err = c.body.Read(p)
	c.offset += int64(n)
	if err == io.EOF && c.offset < c.size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Seek implements [io.Seeker].
func (c *Ranged) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += c.offset
	case io.SeekEnd:
		offset += c.size
	}
	if offset < 0 {
		return c.offset, errors.New("seek before the start of the evidence")
	}
	if offset != c.offset {
		_ = c.Close()
	}
	c.offset = offset
	return offset, nil
}

// Close closes what is open.
func (c *Ranged) Close() error {
	if c.body != nil {
		c.body.Close()
	}
	c.body = nil
	return nil
}
