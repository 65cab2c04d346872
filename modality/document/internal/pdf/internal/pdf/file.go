package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

const (
	firstWindow  = 1 << 10
	maxObject    = 8 << 20  // bytes of one object, without stream data
	bufferLength = 4 << 10  // bytes read at once if little is needed
	maxBuffer    = 64 << 10 // bytes of the last read that are kept
	checkEvery   = 1 << 12  // entries visited between two checks of the context
)

// A File reads the bytes of a PDF file for one job. It is not safe for concurrent
// use.
type File struct {
	ctx    context.Context
	r      io.ReaderAt
	size   int64
	budget *Budget

	measuring bool // whether the length of a stream is being looked up
	unchecked int  // entries visited since the context was checked
	gap       span // from where the last search for the end of a stream began to where it ended

	buffer   []byte // the last bytes read
	bufferAt int64  // their offset

	large struct { // the last object that was too large for the cache of its document
		of *Document
		at place
		cached
	}
}

// A span is a byte range of a file.
type span struct{ from, to int64 }

// NewFile returns a File that reads size bytes from r until ctx is done, with its own
// budget.
func NewFile(ctx context.Context, r io.ReaderAt, size int64) *File {
	return NewBudget(size).File(ctx, r, size)
}

// File returns a File that reads size bytes from r until ctx is done or b is
// exhausted.
func (b *Budget) File(ctx context.Context, r io.ReaderAt, size int64) *File {
	return &File{ctx: ctx, r: r, size: size, budget: b}
}

// Err returns the error of the context of f, once that is done.
func (f *File) Err() error { return f.ctx.Err() }

// Size returns the length of the file in bytes.
func (f *File) Size() int64 { return f.size }

// Work returns the work charged to the budget of f.
func (f *File) Work() Work { return f.budget.spent }

// Spend charges n decoded bytes, so that a small file cannot keep a reader busy for
// long. The error matches [ErrLimit] if the budget is exhausted, or is that of the
// context.
func (f *File) Spend(n int) error {
	if err := f.budget.spend(Work{Decoded: int64(n)}); err != nil {
		return err
	}
	return f.ctx.Err()
}

// Visit charges n visited entries of an array or dictionary. Its errors are those of
// Spend.
func (f *File) Visit(n int) error {
	if err := f.budget.spend(Work{Visited: int64(n)}); err != nil {
		return err
	}
	if f.unchecked += n; f.unchecked < checkEvery {
		return nil
	}
	f.unchecked = 0
	return f.ctx.Err()
}

// parsed charges an object of n bytes.
func (f *File) parsed(n int) error {
	return f.budget.spend(Work{Objects: 1, Parsed: int64(n)})
}

// Exhausted reports whether the budget of f is exhausted.
func (f *File) Exhausted() bool { return f.budget.Exhausted() }

// Within calls do with the n-th part of the remaining budget.
func (f *File) Within(n int64, do func() error) error {
	whole := f.budget
	f.budget = whole.Part(n)
	defer func() { f.budget = whole }()
	return do()
}

// bytes reads n bytes at off, fewer at the end of the file.
func (f *File) bytes(off int64, n int) ([]byte, error) {
	n, err := f.clip(off, n)
	if err != nil {
		return nil, err
	}
	data := make([]byte, n)
	return data, f.fill(data, off)
}

// view is like bytes, but its result is only valid until the next call.
func (f *File) view(off int64, n int) ([]byte, error) {
	n, err := f.clip(off, n)
	if err != nil {
		return nil, err
	}
	if from := off - f.bufferAt; from >= 0 && from+int64(n) <= int64(len(f.buffer)) {
		return f.buffer[from : from+int64(n)], nil
	}
	length := int(min(max(int64(n), bufferLength), f.size-off))
	data := f.buffer[:0]
	if cap(data) < length {
		data = make([]byte, 0, max(length, bufferLength))
	}
	data = data[:length]
	f.buffer, f.bufferAt = nil, 0
	if err := f.fill(data, off); err != nil {
		return nil, err
	}
	if length <= maxBuffer {
		f.buffer, f.bufferAt = data, off
	}
	return data[:n], nil
}

// clip returns how many of n bytes at off exist.
func (f *File) clip(off int64, n int) (int, error) {
	if off < 0 || off > f.size {
		return 0, fmt.Errorf("offset %d in a file of %d bytes: %w", off, f.size, ErrDamaged)
	}
	return int(min(int64(n), f.size-off)), nil
}

// fill reads data at off.
func (f *File) fill(data []byte, off int64) error {
	if err := f.ctx.Err(); err != nil {
		return err
	}
	if err := f.budget.spend(Work{Read: int64(len(data))}); err != nil {
		return err
	}
	got, err := f.r.ReadAt(data, off)
	if got < len(data) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("reading the source: %w", err)
	}
	return nil
}

// parse calls read with a parser at off. It calls read again with more data as long
// as that returns errShort.
func (f *File) parse(off int64, read func(*parser) error) error {
	return f.parseUpTo(off, maxObject, read)
}

// parseUpTo is like parse, with an error matching [ErrLimit] if read needs much more
// than most bytes.
func (f *File) parseUpTo(off int64, most int, read func(*parser) error) error {
	for n := firstWindow; ; n *= 4 {
		data, err := f.view(off, n)
		if err != nil {
			return err
		}
		p := &parser{data: data, more: off+int64(len(data)) < f.size}
		err = read(p)
		if err := f.parsed(p.pos); err != nil {
			return err
		}
		if p.more && (errors.Is(err, errShort) || errors.Is(err, ErrDamaged) && p.pos >= len(data)-1) {
			if n >= most {
				return fmt.Errorf("an object of more than %d bytes: %w", most, ErrLimit)
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
	data, err := f.view(start, int(f.size-start))
	if err != nil {
		return 0, err
	}
	i := bytes.LastIndex(data, []byte(word))
	if i < 0 {
		return -1, nil
	}
	return start + int64(i), nil
}

// findStreamEnd returns the offset of the next "endstream" at or after off. It does
// not repeat the last search.
func (f *File) findStreamEnd(off int64) (int64, error) {
	const word = "endstream"
	const longest = 256 << 10
	end := int64(-1)
	if f.gap.from <= off && off <= f.gap.to {
		end = f.gap.to
	}
	for start, step := off, 4<<10; end < 0 && start < f.size; step = min(4*step, longest) {
		data, err := f.view(start, step+len(word))
		if err != nil {
			return 0, err
		}
		if i := bytes.Index(data, []byte(word)); i >= 0 {
			end = start + int64(i)
		}
		start += int64(step)
	}
	if end < 0 {
		end = f.size
	}
	f.gap = span{off, end}
	if end == f.size {
		return 0, fmt.Errorf("a stream at offset %d does not end: %w", off, ErrDamaged)
	}
	return end, nil
}
