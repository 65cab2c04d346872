package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

const (
	firstWindow = 1 << 10
	maxObject   = 8 << 20   // bytes of one object without its stream data
	maxRead     = 4 << 30   // bytes that one File reads
	maxDecoded  = 512 << 20 // bytes that one File decodes
)

// A File reads from the bytes of a PDF file on behalf of one call. It is not
// safe for concurrent use.
type File struct {
	ctx  context.Context
	r    io.ReaderAt
	size int64

	read      int64 // bytes read so far
	decoded   int64 // bytes decoded so far
	measuring bool  // the length of a stream is being looked up
}

// NewFile returns a File that reads size bytes from r until ctx is done.
func NewFile(ctx context.Context, r io.ReaderAt, size int64) *File {
	return &File{ctx: ctx, r: r, size: size}
}

// Err returns the error of the context of f once it is done.
func (f *File) Err() error { return f.ctx.Err() }

// Spend counts n bytes that were decoded, so that a small file cannot keep a
// reader busy for long. It returns an error matching [ErrLimit] if there have
// been too many, or that of the context.
func (f *File) Spend(n int) error {
	f.decoded += int64(n)
	if f.decoded > maxDecoded {
		return fmt.Errorf("more than %d bytes to decode: %w", maxDecoded, ErrLimit)
	}
	return f.ctx.Err()
}

// bytes reads n bytes at off, fewer at the end of the file.
func (f *File) bytes(off int64, n int) ([]byte, error) {
	if off < 0 || off > f.size {
		return nil, fmt.Errorf("offset %d in a file of %d bytes: %w", off, f.size, ErrDamaged)
	}
	if err := f.ctx.Err(); err != nil {
		return nil, err
	}
	n = int(min(int64(n), f.size-off))
	if f.read += int64(n); f.read > maxRead {
		return nil, fmt.Errorf("more than %d bytes to read: %w", int64(maxRead), ErrLimit)
	}
	buf := make([]byte, n)
	got, err := f.r.ReadAt(buf, off)
	if got < n {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("reading the source: %w", err)
	}
	return buf, nil
}

// parse calls read with a parser at off, again with more data as long as it
// says errShort.
func (f *File) parse(off int64, read func(*parser) error) error {
	for n := firstWindow; ; n *= 4 {
		data, err := f.bytes(off, n)
		if err != nil {
			return err
		}
		p := &parser{data: data, more: off+int64(len(data)) < f.size}
		err = read(p)
		if p.more && (errors.Is(err, errShort) || errors.Is(err, ErrDamaged) && p.pos >= len(data)-1) {
			if n >= maxObject {
				return fmt.Errorf("an object of more than %d bytes: %w", maxObject, ErrLimit)
			}
			continue
		}
		return err
	}
}

// findLast returns the offset of the last occurrence of word in the last n
// bytes of the file, or -1.
func (f *File) findLast(word string, n int64) (int64, error) {
	start := max(f.size-n, 0)
	data, err := f.bytes(start, int(f.size-start))
	if err != nil {
		return 0, err
	}
	i := bytes.LastIndex(data, []byte(word))
	if i < 0 {
		return -1, nil
	}
	return start + int64(i), nil
}

// findStreamEnd returns the offset of the next "endstream" at or after off.
func (f *File) findStreamEnd(off int64) (int64, error) {
	const word = "endstream"
	const step = 256 << 10
	for start := off; start < f.size; start += step {
		data, err := f.bytes(start, step+len(word))
		if err != nil {
			return 0, err
		}
		if i := bytes.Index(data, []byte(word)); i >= 0 {
			return start + int64(i), nil
		}
	}
	return 0, fmt.Errorf("a stream at offset %d does not end: %w", off, ErrDamaged)
}
