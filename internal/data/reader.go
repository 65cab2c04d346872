package data

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/citekit/citekit"
)

const readBytes = 64 << 10

// A reader gives the bytes of a source one by one, and says where they stand.
type reader struct {
	ctx  context.Context
	src  io.Reader
	held []byte // instead of src, if that is nil

	buf      []byte
	pos, end int   // of what was read and not given
	passed   int64 // bytes before buf

	line int  // of the next byte, from 1; whoever passes an LF counts it
	last byte // the last byte read
	err  error
}

func newReader(ctx context.Context, src io.Reader) *reader {
	return &reader{ctx: ctx, src: src, buf: make([]byte, readBytes), line: 1}
}

// newHeldReader returns a reader of what is in memory, which it does not copy.
func newHeldReader(ctx context.Context, src []byte) *reader {
	return &reader{ctx: ctx, held: src, line: 1}
}

// peek returns the next byte, or false at the end or after an error.
func (r *reader) peek() (byte, bool) {
	if r.pos == r.end && !r.fill() {
		return 0, false
	}
	return r.buf[r.pos], true
}

// next is peek, and passes the byte.
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

// fill reads on. It reports false at the end or after an error.
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

// maxIdle is how often a reader may give nothing before that is its end.
const maxIdle = 100

// rest returns what was read and not given yet, reading on if that is nothing.
// It is empty at the end.
func (r *reader) rest() []byte {
	if r.pos == r.end && !r.fill() {
		return nil
	}
	return r.buf[r.pos:r.end]
}

// skip passes n bytes of rest.
func (r *reader) skip(n int) {
	r.line += bytes.Count(r.buf[r.pos:r.pos+n], []byte("\n"))
	r.pos += n
}

// offset is where the next byte stands.
func (r *reader) offset() int64 { return r.passed + int64(r.pos) }

// lines is the number of lines, once the end was reached.
func (r *reader) lines() int {
	if r.last == '\n' {
		return r.line - 1
	}
	return r.line
}

// all returns the whole source. Nothing may have been read before. The result
// must not be modified.
func (r *reader) all() ([]byte, error) {
	all := r.held
	if r.src != nil {
		for part := r.rest(); len(part) > 0 && len(all) <= MaxWhole; part = r.rest() {
			all = append(all, part...)
			r.pos = r.end
		}
	}
	if len(all) > MaxWhole {
		return nil, fmt.Errorf("more than %d MiB of a format that is read whole: %w", MaxWhole>>20, citekit.ErrTooLarge)
	}
	r.line += bytes.Count(all, []byte("\n"))
	if len(all) > 0 {
		r.last = all[len(all)-1]
	}
	return all, r.err
}

// eachLine calls f for every line, with as many of its first bytes as most
// allows, and its size in bytes with its end. The bytes are valid until f
// returns.
func (r *reader) eachLine(most int, f func(head []byte, size int64)) {
	var joined []byte
	var before int64 // bytes of the line that were passed
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
