package matroska

import (
	"io"
	"iter"
	"math"
)

// An element of EBML (RFC 8794, section 6) inside a buffer.
type element struct {
	id   uint32
	data []byte
}

// elements yields the elements that fill b. It stops at the first that does
// not fit.
func elements(b []byte) iter.Seq[element] {
	return func(yield func(element) bool) {
		for len(b) > 0 {
			id, size, head := header(b)
			if head == 0 || size == unknown || size > uint64(len(b)-head) {
				return
			}
			end := head + int(size)
			if !yield(element{id, b[head:end]}) {
				return
			}
			b = b[end:]
		}
	}
}

// unknown is the size of an element that does not say it.
const unknown = math.MaxUint64

// maxHeader is the length in bytes of the longest header of an element.
const maxHeader = 12

// header reads the id and the size of an element. head is the length of both,
// or 0 if they are damaged or cut short.
func header(b []byte) (id uint32, size uint64, head int) {
	if len(b) == 0 || b[0] < 0x10 {
		return 0, 0, 0
	}
	width := 1
	for mask := byte(0x80); b[0]&mask == 0; mask >>= 1 {
		width++
	}
	if len(b) < width {
		return 0, 0, 0
	}
	for _, c := range b[:width] {
		id = id<<8 | uint32(c)
	}
	size, n := number(b[width:])
	if n == 0 {
		return 0, 0, 0
	}
	return id, size, width + n
}

// number reads an integer of variable length (RFC 8794, section 4). width is 0
// if there is none; all ones is unknown.
func number(b []byte) (value uint64, width int) {
	if len(b) == 0 || b[0] == 0 {
		return 0, 0
	}
	width = 1
	mask := byte(0x80)
	for ; b[0]&mask == 0; mask >>= 1 {
		width++
	}
	if len(b) < width {
		return 0, 0
	}
	value = uint64(b[0] &^ mask)
	ones := b[0]|mask == b[0] && value == uint64(mask-1)
	for _, c := range b[1:width] {
		value = value<<8 | uint64(c)
		ones = ones && c == 0xff
	}
	if ones {
		value = unknown
	}
	return value, width
}

// integer reads the content of an unsigned integer element. One of more than
// eight bytes is 0, the value most have if they are missing.
func integer(b []byte) (v uint64) {
	if len(b) > 8 {
		return 0
	}
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	return v
}

// windowSize is how much is read at once where only headers matter.
const windowSize = 4 << 10

// A window reads small pieces of a file that lie close together.
type window struct {
	r    io.ReaderAt
	size int64
	held []byte
	at   int64 // where held begins
}

// bytes returns n bytes at an offset, or fewer if the file ends before. They
// are valid until the next call; n is at most windowSize.
func (w *window) bytes(at int64, n int) ([]byte, error) {
	if at < w.at || at+int64(n) > w.at+int64(len(w.held)) {
		if w.held == nil {
			w.held = make([]byte, windowSize)
		}
		k, err := w.r.ReadAt(w.held[:windowSize], at)
		w.held, w.at = w.held[:k], at
		if err != nil && err != io.EOF {
			return nil, err
		}
	}
	rest := w.held[at-w.at:]
	return rest[:min(n, len(rest))], nil
}

// A place is an element of the file.
type place struct {
	id      uint32
	at      int64 // of its header
	content int64 // offset
	end     int64 // offset; that of the file if the size is not known
	open    bool  // the size is not known
}

// place reads the header of the element at an offset. ok is false at the end
// of the file and where no element begins.
func (w *window) place(at int64) (p place, ok bool, err error) {
	b, err := w.bytes(at, maxHeader)
	if err != nil {
		return place{}, false, err
	}
	id, size, head := header(b)
	if head == 0 {
		return place{}, false, nil
	}
	p = place{id: id, at: at, content: at + int64(head), end: w.size, open: size == unknown}
	if !p.open {
		if size > uint64(max(w.size-p.content, 0)) {
			p.end = w.size // cut short
		} else {
			p.end = p.content + int64(size)
		}
	}
	return p, true, nil
}

// content reads an element whole if it has at most limit bytes, and otherwise
// returns nil.
func (w *window) content(p place, limit int64) ([]byte, error) {
	n := p.end - p.content
	if n <= 0 || n > limit || p.open {
		return nil, nil
	}
	b := make([]byte, n)
	k, err := w.r.ReadAt(b, p.content)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return b[:k], nil
}
