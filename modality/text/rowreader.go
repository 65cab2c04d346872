package text

import (
	"context"
	"fmt"
	"io"

	"github.com/citekit/citekit"
)

// A rowReader reads one row after the other.
type rowReader struct {
	ctx     context.Context
	src     *citekit.Source
	scanner rowScanner

	buf      []byte
	from, to int   // range of buf that was read but not returned
	pos, end int64 // range in the source that was not returned
}

// newRowReader returns a reader of the rows in [start, end). A row must begin
// at start.
func newRowReader(ctx context.Context, src *citekit.Source, s rowScanner, start, end int64) *rowReader {
	return &rowReader{ctx: ctx, src: src, scanner: newRowScanner(s.coding, s.delimiter), pos: start, end: end}
}

// next returns the next row with its line end, or [io.EOF]. It is valid until
// the next call.
func (r *rowReader) next() ([]byte, error) {
	length := 0
	for r.pos < r.end {
		n, ended, err := r.step(length)
		if err != nil {
			return nil, err
		}
		length += n
		if ended || r.pos+int64(length) >= r.end {
			row := r.buf[r.from : r.from+length]
			r.from += length
			r.pos += int64(length)
			return row, nil
		}
		if length > maxRow {
			return nil, fmt.Errorf("a row of more than %d MiB; cite its lines: %w", maxRow>>20, citekit.ErrTooLarge)
		}
	}
	return nil, io.EOF
}

// skip skips a row of any length.
func (r *rowReader) skip() error {
	for r.pos < r.end {
		n, ended, err := r.step(0)
		if err != nil {
			return err
		}
		r.from += n
		r.pos += int64(n)
		if ended {
			return nil
		}
	}
	return errChanged
}

// step scans the bytes after the first length bytes, and reads more if needed.
func (r *rowReader) step(length int) (n int, ended bool, err error) {
	if r.to-r.from-length <= maxWidth && r.pos+int64(r.to-r.from) < r.end {
		if err := r.fill(); err != nil {
			return 0, false, err
		}
	}
	part := r.buf[r.from+length : r.to]
	stop := len(part)
	if r.pos+int64(r.to-r.from) < r.end {
		stop -= maxWidth
	}
	n, ended = r.scanner.scan(part, stop)
	return n, ended, nil
}

// fill reads more bytes, after those that were not returned yet.
func (r *rowReader) fill() error {
	held := r.to - r.from
	if len(r.buf)-held < runBytes {
		grown := make([]byte, min(int64(2*held+runBytes+maxWidth), r.end-r.pos+maxWidth))
		copy(grown, r.buf[r.from:r.to])
		r.buf = grown
	} else {
		copy(r.buf, r.buf[r.from:r.to])
	}
	r.from, r.to = 0, held
	more := r.buf[held:min(int64(len(r.buf)), r.end-r.pos)]
	if err := readFull(r.ctx, r.src, more, r.pos+int64(held)); err != nil {
		return err
	}
	r.to += len(more)
	return nil
}
