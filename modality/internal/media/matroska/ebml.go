package matroska

import (
	"io"
	"iter"
	"math"
)

// An element is an EBML element (RFC 8794, section 6) in a buffer.
type element struct {
	id   uint32
	data []byte
}

// elements yields the elements in b. It stops at the first that does not fit.
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

// unknown is the size of an element that does not give it.
const unknown = math.MaxUint64

// maxHeader is the length in bytes of the longest header of an element.
const maxHeader = 12

// header reads the id and the size of an element. Head is the length of both in bytes,
// or 0 if they are damaged or truncated.
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

// number reads an integer of variable length (RFC 8794, section 4). Width is 0 if there
// is none. If all bits are ones, the value is unknown.
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

// integer reads the content of an unsigned integer element. More than eight bytes give
// 0, the default of most elements.
func integer(b []byte) (v uint64) {
	if len(b) > 8 {
		return 0
	}
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	return v
}

// windowSize is how many bytes are read at once when only headers matter.
const windowSize = 4 << 10

// A window reads small, nearby pieces of a file.
type window struct {
	r    io.ReaderAt
	size int64
	held []byte
	at   int64 // offset of held
}

// bytes returns n bytes at an offset, or fewer at the end of the file. They are valid
// until the next call; n is at most windowSize.
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

// A place is an element and its place in the file.
type place struct {
	id      uint32
	at      int64 // offset of its header
	content int64 // offset
	end     int64 // offset; the end of the file if the size is unknown
	open    bool  // whether the size is unknown
}

// place reads the header of the element at an offset. It returns false at the end of
// the file and if no element begins there.
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
			p.end = w.size // truncated
		} else {
			p.end = p.content + int64(size)
		}
	}
	return p, true, nil
}

// content reads a whole element of at most limit bytes. It returns nil for larger ones.
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
