package data

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/citekit/citekit"
)

const readBytes = 64 << 10

// A reader returns the bytes of a source one by one, and their position.
type reader struct {
	ctx  context.Context
	src  io.Reader
	held []byte // replaces src if that is nil

	buf      []byte
	pos, end int   // the unread bytes in buf
	passed   int64 // bytes before buf

	line int  // line of the next byte, from 1; whoever reads an LF counts it
	last byte // the last byte read
	err  error
}

func newReader(ctx context.Context, src io.Reader) *reader {
	return &reader{ctx: ctx, src: src, buf: make([]byte, readBytes), line: 1}
}

// newHeldReader returns a reader of src, which it does not copy.
func newHeldReader(ctx context.Context, src []byte) *reader {
	return &reader{ctx: ctx, held: src, line: 1}
}

// peek returns the next byte without reading it, or false at the end or after an
// error.
func (r *reader) peek() (byte, bool) {
	if r.pos == r.end && !r.fill() {
		return 0, false
	}
	return r.buf[r.pos], true
}

// next reads the next byte, like peek.
func (r *reader) next() (byte, bool) {
	c, ok := r.peek()
	if ok {
		r.pos++
		if c == '\n' {
			r.line++
		}
	}
	return c, ok
}

// fill reads more data. It returns false at the end or after an error.
func (r *reader) fill() bool {
	if r.err != nil {
		return false
	}
	r.passed += int64(r.end)
	r.pos, r.end = 0, 0
	if r.src == nil {
		return r.fillHeld()
	}
	for idle := 0; r.end < len(r.buf) && idle < maxIdle; idle++ {
		if r.err = r.ctx.Err(); r.err != nil {
			return false
		}
		n, err := r.src.Read(r.buf[r.end:])
		r.end += n
		if err == io.EOF {
			break
		}
		if r.err = err; err != nil {
			return false
		}
		if n > 0 {
			idle = 0
		}
	}
	if r.end == 0 {
		return false
	}
	r.last = r.buf[r.end-1]
	return true
}

func (r *reader) fillHeld() bool {
	if r.err = r.ctx.Err(); r.err != nil {
		return false
	}
	r.buf = r.held[r.passed:min(r.passed+readBytes, int64(len(r.held)))]
	if r.end = len(r.buf); r.end == 0 {
		return false
	}
	r.last = r.buf[r.end-1]
	return true
}

// maxIdle is how many empty reads in a row count as the end.
const maxIdle = 100

// rest returns the unread bytes in the buffer, after filling it if it is empty. It
// returns none at the end.
func (r *reader) rest() []byte {
	if r.pos == r.end && !r.fill() {
		return nil
	}
	return r.buf[r.pos:r.end]
}

// skip skips n bytes of rest.
func (r *reader) skip(n int) {
	r.line += bytes.Count(r.buf[r.pos:r.pos+n], []byte("\n"))
	r.pos += n
}

// offset returns the offset of the next byte.
func (r *reader) offset() int64 { return r.passed + int64(r.pos) }

// lines returns the number of lines, after the end was reached.
func (r *reader) lines() int {
	if r.last == '\n' {
		return r.line - 1
	}
	return r.line
}

// all returns the whole source. It must be the first read. The caller must not modify
// the result.
func (r *reader) all() ([]byte, error) {
	all := r.held
	if r.src != nil {
		for part := r.rest(); len(part) > 0 && len(all) <= MaxWhole; part = r.rest() {
			all = append(all, part...)
			r.pos = r.end
		}
	}
	if len(all) > MaxWhole {
		return nil, fmt.Errorf("more than %d MiB of a format that is read whole; cite its lines, or split the file: %w", MaxWhole>>20, citekit.ErrTooLarge)
	}
	r.line += bytes.Count(all, []byte("\n"))
	if len(all) > 0 {
		r.last = all[len(all)-1]
	}
	return all, r.err
}

// eachLine calls f for every line, with its first bytes, at most most, and its size
// in bytes including its line end. The bytes are valid until f returns.
func (r *reader) eachLine(most int, f func(head []byte, size int64)) {
	var joined []byte
	var before int64 // bytes of the line read before
	for part := r.rest(); len(part) > 0; part = r.rest() {
		end := bytes.IndexByte(part, '\n')
		if end < 0 {
			joined = append(joined, part[:min(len(part), most-len(joined))]...)
			before += int64(len(part))
			r.pos += len(part)
			continue
		}
		head := part[:min(end, most)]
		if before > 0 {
			joined = append(joined, part[:min(end, most-len(joined))]...)
			head = joined
		}
		f(head, before+int64(end)+1)
		r.pos += end + 1
		r.line++
		joined, before = joined[:0], 0
	}
	if before > 0 {
		f(joined, before)
	}
}
