package jpeg

import (
	"encoding/binary"
	"io"
)

// readAhead is how many bytes of the file are buffered at a time.
const readAhead = 128 << 10

// A bitReader reads entropy-coded bits from a file. Before a marker it yields zero bits
// once the data is used up; short reports whether any of those were used.
type bitReader struct {
	r    io.ReaderAt
	end  int64 // no byte at or after end belongs to the data
	base int64 // file offset of buf
	buf  []byte
	pos  int // next byte of buf

	acc    uint64 // the next bits, from the top
	n      int    // how many bits of acc are valid
	padded int    // how many of those are padding after the end
	err    error  // first error from reading the file
}

// A bitState is the position of a bitReader. It holds no padding.
type bitState struct {
	offset int64
	acc    uint64
	n      int8
}

func newBitReader(r io.ReaderAt, end int64) *bitReader {
	return &bitReader{r: r, end: end}
}

func (b *bitReader) state() bitState {
	return bitState{offset: b.base + int64(b.pos), acc: b.acc, n: int8(b.n - b.padded)}
}

func (b *bitReader) seek(s bitState) {
	if at := s.offset - b.base; at >= 0 && at <= int64(len(b.buf)) {
		b.pos = int(at)
	} else {
		b.base, b.buf, b.pos = s.offset, b.buf[:0], 0
	}
	b.acc, b.n, b.padded = s.acc, int(s.n), 0
}

// short reports whether more bits were used than the data has.
func (b *bitReader) short() bool { return b.n < b.padded }

// load makes bytes from pos on available. It reports whether there are at least two, or
// all that remain.
func (b *bitReader) load() bool {
	if b.buf == nil {
		b.buf = make([]byte, 0, readAhead)
	}
	kept := copy(b.buf[:cap(b.buf)], b.buf[b.pos:])
	b.base += int64(b.pos)
	b.pos = 0
	want := min(int64(cap(b.buf)), b.end-b.base)
	if want <= int64(kept) {
		b.buf = b.buf[:kept]
		return kept > 0
	}
	n, err := b.r.ReadAt(b.buf[kept:want], b.base+int64(kept))
	b.buf = b.buf[:kept+n]
	if err != nil && err != io.EOF && int64(kept+n) < want {
		b.err = err
	}
	return len(b.buf) > 0
}

// fill makes at least 48 bits available.
func (b *bitReader) fill() {
	if b.pos+8 <= len(b.buf) {
		w := binary.BigEndian.Uint64(b.buf[b.pos:])
		if inv := ^w; (inv-0x0101010101010101)&w&0x8080808080808080 == 0 { // no byte is 0xff
			b.acc |= w >> uint(b.n)
			bytes := (63 - b.n) >> 3
			b.pos += bytes
			b.n += bytes << 3
			return
		}
	}
	b.fillSlowly()
}

func (b *bitReader) fillSlowly() {
	b.acc &= ^uint64(0) << (64 - uint(b.n)) // drop what fill left after the valid bits
	for b.n <= 56 {
		c, ok := b.nextByte()
		if !ok {
			b.padded += 64 - b.n
			b.n = 64
			return
		}
		b.acc |= uint64(c) << (56 - uint(b.n))
		b.n += 8
	}
}

// nextByte returns the next byte of data, with stuffing removed (T.81,
// section F.1.2.3), or false at a marker or the end.
func (b *bitReader) nextByte() (byte, bool) {
	if len(b.buf)-b.pos < 2 && !b.load() {
		return 0, false
	}
	c := b.buf[b.pos]
	if c != 0xff {
		b.pos++
		return c, true
	}
	if len(b.buf)-b.pos < 2 || b.buf[b.pos+1] != 0 {
		return 0, false
	}
	b.pos += 2
	return c, true
}

// nextMarker drops the remaining bits and returns the following marker, which it
// consumes, or 0 if there is none.
func (b *bitReader) nextMarker() byte {
	b.acc, b.n, b.padded = 0, 0, 0
	for {
		if len(b.buf)-b.pos < 2 && (!b.load() || len(b.buf) < 2) {
			return 0
		}
		c := b.buf[b.pos+1]
		if b.buf[b.pos] != 0xff || c == 0xff {
			b.pos++
			continue
		}
		b.pos += 2
		if c != 0 {
			return c
		}
	}
}

// A bitWriter appends entropy-coded bits to a JPEG.
type bitWriter struct {
	out []byte
	acc uint64 // pending bits, in the low end
	n   uint   // how many, less than 32
}

// put appends the low n bits of v, at most 32; the others must be 0.
func (w *bitWriter) put(v uint64, n uint) {
	w.acc = w.acc<<(n&63) | v
	if w.n += n; w.n >= 32 {
		w.n = w.word(w.acc, w.n)
	}
}

// word appends the first 32 of the last n bits of acc, and returns how many bits
// remain.
func (w *bitWriter) word(acc uint64, n uint) uint {
	n -= 32
	v := uint32(acc >> (n & 63))
	if inv := ^v; (inv-0x01010101)&v&0x80808080 == 0 { // no byte is 0xff
		w.out = binary.BigEndian.AppendUint32(w.out, v)
		return n
	}
	for shift := 24; shift >= 0; shift -= 8 {
		w.byte(byte(v >> shift))
	}
	return n
}

func (w *bitWriter) byte(c byte) {
	w.out = append(w.out, c)
	if c == 0xff {
		w.out = append(w.out, 0)
	}
}

// flush pads the last byte with ones (T.81, section F.1.2.3).
func (w *bitWriter) flush() {
	if w.n%8 > 0 {
		w.put(1<<(8-w.n%8)-1, 8-w.n%8)
	}
	for w.n > 0 {
		w.n -= 8
		w.byte(byte(w.acc >> w.n))
	}
	w.acc = 0
}
