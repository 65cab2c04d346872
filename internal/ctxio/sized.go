package ctxio

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
)

// A Sized reads content that must have a size. It hashes what it reads, and fails if
// there is more or less.
type Sized struct {
	r    io.Reader
	sum  hash.Hash
	want int64
	size int64
	err  error
}

// NewSized returns a reader of what r has, which must be want bytes unless that is
// negative.
func NewSized(r io.Reader, want int64) *Sized { return &Sized{r: r, sum: sha256.New(), want: want} }

// Read implements [io.Reader].
func (r *Sized) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.sum.Write(p[:n])
	r.size += int64(n)
	switch {
	case r.want >= 0 && r.size > r.want:
		err = fmt.Errorf("more than the %d bytes announced", r.want)
	case r.want >= 0 && err == io.EOF && r.size < r.want:
		err = fmt.Errorf("%d bytes came of %d", r.size, r.want)
	}
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// Err returns why reading ended, if not at the end.
func (r *Sized) Err() error { return r.err }

// Size returns how many bytes were read.
func (r *Sized) Size() int64 { return r.size }

// Sum returns the SHA-256 of what was read, in lower-case hex.
func (r *Sized) Sum() string { return hex.EncodeToString(r.sum.Sum(nil)) }
