package text

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"unicode/utf8"

	"golang.org/x/text/transform"

	"github.com/citekit/citekit"
)

// A unified reads a source as UTF-8 in which all lines, as defined by its
// encoding, end with LF. The byte order mark is left out, and invalid bytes
// become U+FFFD.
type unified struct {
	decoded  io.Reader
	cr       bool // a CR alone also ends a line
	afterCR  bool // the last byte returned was the LF for a CR
	heldCR   bool // a CR was read that may be the first half of CRLF
	progress func()
}

func newUnified(ctx context.Context, src *citekit.Source, c textEncoding, progress func(float64)) io.Reader {
	raw := newBody(ctx, src, int64(c.mark), src.Size())
	u := &unified{cr: c.cr, progress: func() {}}
	if progress != nil {
		u.progress = func() { progress(1 - float64(raw.left)/float64(src.Size())) }
	}
	if c.charset == "utf-8" {
		u.decoded = &validReader{src: raw, size: runSize(src)}
	} else {
		u.decoded = transform.NewReader(raw, decoder(c.charset))
	}
	return bufio.NewReaderSize(u, runSize(src))
}

// runSize is the size of a buffer for a part of a source, in bytes. Most sources are small.
func runSize(src *citekit.Source) int { return int(min(runBytes, 1<<10+src.Size())) }

// Read implements [io.Reader]. P must have room for two bytes.
func (u *unified) Read(p []byte) (int, error) {
	u.progress()
	start := 0
	if u.heldCR {
		p[0], start = '\r', 1
		u.heldCR = false
	}
	n, err := u.decoded.Read(p[start:])
	n += start
	if bytes.IndexByte(p[:n], '\r') >= 0 || u.afterCR {
		if !u.cr && err == nil && p[n-1] == '\r' {
			u.heldCR = true
			n--
		}
		n = u.unify(p[:n])
	}
	return n, err
}

// unify replaces every line end in text by LF, in place, and returns the new
// length.
func (u *unified) unify(text []byte) int {
	n := 0
	for i, b := range text {
		switch {
		case b == '\n' && u.afterCR:
			u.afterCR = false
			continue
		case b == '\r' && u.cr:
			u.afterCR = true
			b = '\n'
		case b == '\r' && i+1 < len(text) && text[i+1] == '\n':
			continue
		default:
			u.afterCR = false
		}
		text[n] = b
		n++
	}
	return n
}

// A validReader reads UTF-8, with U+FFFD for invalid bytes.
type validReader struct {
	src  io.Reader
	size int // of buf
	buf  []byte
	text []byte // in buf or made from it; not returned yet
	tail []byte // the beginning of an incomplete character
	err  error
}

func (v *validReader) Read(p []byte) (int, error) {
	for len(v.text) == 0 {
		if v.err != nil {
			return 0, v.err
		}
		v.fill()
	}
	n := copy(p, v.text)
	v.text = v.text[n:]
	return n, nil
}

func (v *validReader) fill() {
	if v.buf == nil {
		v.buf = make([]byte, v.size)
	}
	n := copy(v.buf, v.tail)
	read, err := v.src.Read(v.buf[n:])
	v.text, v.tail, v.err = v.buf[:n+read], nil, err
	if err == nil {
		whole := len(v.text) - cutRune(v.text)
		v.tail = append(v.tail, v.text[whole:]...)
		v.text = v.text[:whole]
	}
	if !utf8.Valid(v.text) {
		v.text = bytes.ToValidUTF8(v.text, []byte("\ufffd"))
	}
}
