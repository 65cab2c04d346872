// Package inflate reads DEFLATE streams (RFC 1951) from the middle. While it reads a
// stream, it records points from which reading can later resume without the data
// before. It serves formats that keep millions of rows in one compressed part.
package inflate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// ErrCorrupt reports data that is not a DEFLATE stream, or a truncated stream.
var ErrCorrupt = errors.New("corrupt DEFLATE stream")

const (
	windowSize = 32 << 10
	chunkSize  = 64 << 10 // bytes that are decompressed at a time
	maxMatch   = 258
	inputSize  = 16 << 10
	firstInput = 128
)

// A Point is a place in a stream from which reading can resume. It uses about 33 KB of
// memory.
type Point struct {
	// Offset is the number of bytes of content before the point.
	Offset int64

	in     int64 // bytes of the stream up to the end of bits
	bits   uint64
	nbits  uint
	block  block
	window []byte
}

// Bytes estimates the memory that a point uses, in bytes.
func (p *Point) Bytes() int64 { return int64(len(p.window)+len(p.block.lengths)) + 128 }

// A block is the state of the current block.
type block struct {
	open, final bool
	stored      int     // bytes left in an uncompressed block
	lengths     []uint8 // code lengths, literals first; nil if uncompressed
	literals    int     // how many of lengths are for literals
}

// A Reader reads the content of a stream. It is not safe for concurrent use.
type Reader struct {
	// Every is the minimum distance between points in bytes of content; 0 records none.
	// Set it before the first call of Read.
	Every int64

	// Points are the points recorded so far.
	Points []Point

	src io.ReaderAt // the stream

	bits  uint64
	nbits uint
	input []byte // bytes read from src that are not yet in bits
	space []byte // backing array of input
	ahead int    // bytes to read next: few at first, as a stream may be short
	in    int64  // offset in the stream of the end of input

	block           block
	lit, dist       *table // of the block: own, or fixed
	ownLit, ownDist table

	buf   []byte
	pos   int   // end in buf of the decompressed bytes
	given int   // end in buf of the bytes returned to the caller
	base  int64 // offset of buf in the content
	err   error
}

// NewReader returns a Reader for the stream in r, from its beginning.
func NewReader(r io.ReaderAt) *Reader {
	return &Reader{src: r, space: make([]byte, inputSize), ahead: firstInput, buf: make([]byte, windowSize+chunkSize+maxMatch)}
}

// NewReaderAt returns a Reader for the stream in r, from one of its points.
func NewReaderAt(r io.ReaderAt, p *Point) *Reader {
	d := NewReader(r)
	d.bits, d.nbits, d.in, d.block = p.bits, p.nbits, p.in, p.block
	d.pos = copy(d.buf, p.window)
	d.given = d.pos
	d.base = p.Offset - int64(d.pos)
	if d.block.lengths != nil {
		d.err = d.tables()
	}
	return d
}

// Reset makes d read the stream in r from its beginning, like [NewReader], but keeps
// its buffers and Every.
func (d *Reader) Reset(r io.ReaderAt) {
	*d = Reader{Every: d.Every, src: r, space: d.space, ahead: firstInput, buf: d.buf, ownLit: d.ownLit, ownDist: d.ownDist}
}

// End returns the size of the stream in bytes, once Read has returned [io.EOF].
func (d *Reader) End() int64 { return d.in - int64(len(d.input)) - int64(d.nbits/8) }

// Offset returns the offset in the content of the next byte to be read.
func (d *Reader) Offset() int64 { return d.base + int64(d.given) }

// Read implements [io.Reader]. Errors match [ErrCorrupt], or are those of the
// underlying reader.
func (d *Reader) Read(p []byte) (int, error) {
	for d.given == d.pos {
		if d.err != nil {
			return 0, d.err
		}
		d.fill()
	}
	n := copy(p, d.buf[d.given:d.pos])
	d.given += n
	return n, nil
}

// Skip reads and discards n bytes.
func (d *Reader) Skip(n int64) error {
	for n > 0 {
		if d.given == d.pos {
			if d.err == io.EOF {
				return io.ErrUnexpectedEOF
			}
			if d.err != nil {
				return d.err
			}
			d.fill()
			continue
		}
		step := int(min(n, int64(d.pos-d.given)))
		d.given += step
		n -= int64(step)
	}
	return nil
}

// fill decompresses the next chunk. The caller must have got everything before it.
func (d *Reader) fill() {
	if over := d.pos - windowSize; over > 0 {
		copy(d.buf, d.buf[over:d.pos])
		d.base += int64(over)
		d.pos, d.given = windowSize, windowSize
	}
	d.note()
	limit := min(d.pos+chunkSize, windowSize+chunkSize)
	for d.pos < limit && d.err == nil {
		switch {
		case !d.block.open && d.block.final:
			d.err = io.EOF
		case !d.block.open:
			d.err = d.begin()
		case d.block.lengths == nil:
			d.err = d.copyStored(limit)
		default:
			d.err = d.decode(limit)
		}
	}
}

// note records a point here if the last one is far enough away.
func (d *Reader) note() {
	here := d.base + int64(d.pos)
	last := int64(0)
	if n := len(d.Points); n > 0 {
		last = d.Points[n-1].Offset
	}
	if d.Every <= 0 || here-last < d.Every {
		return
	}
	d.Points = append(d.Points, Point{
		Offset: here, in: d.in - int64(len(d.input)), bits: d.bits, nbits: d.nbits, block: d.block,
		window: bytes.Clone(d.buf[max(d.pos-windowSize, 0):d.pos]),
	})
}

// refill loads at least 48 bits into bits if the stream has as many.
func (d *Reader) refill() error {
	for d.nbits < 48 {
		if len(d.input) >= 8 {
			d.bits |= binary.LittleEndian.Uint64(d.input) << d.nbits
			n := (63 - d.nbits) >> 3
			d.input = d.input[n:]
			d.nbits += n * 8
			d.bits &= 1<<d.nbits - 1 // nbits is at most 63
			return nil
		}
		if len(d.input) == 0 {
			n, err := d.src.ReadAt(d.space[:d.ahead], d.in)
			d.ahead = min(2*d.ahead, inputSize)
			d.input = d.space[:n]
			d.in += int64(n)
			if n == 0 {
				if err == io.EOF {
					return nil
				}
				return err
			}
		}
		d.bits |= uint64(d.input[0]) << d.nbits
		d.input = d.input[1:]
		d.nbits += 8
	}
	return nil
}

// take returns the next n bits, at most 16.
func (d *Reader) take(n uint) (uint, error) {
	if d.nbits < n {
		if err := d.refill(); err != nil {
			return 0, err
		}
		if d.nbits < n {
			return 0, ErrCorrupt
		}
	}
	v := uint(d.bits & (1<<n - 1))
	d.bits >>= n
	d.nbits -= n
	return v, nil
}

// begin reads the header of a block.
func (d *Reader) begin() error {
	head, err := d.take(3)
	if err != nil {
		return err
	}
	d.block = block{open: true, final: head&1 == 1}
	switch head >> 1 {
	case 0:
		return d.beginStored()
	case 1:
		d.block.lengths, d.block.literals = fixedLengths, 288
	case 2:
		if err := d.readLengths(); err != nil {
			return err
		}
	default:
		return ErrCorrupt
	}
	return d.tables()
}

func (d *Reader) tables() error {
	if &d.block.lengths[0] == &fixedLengths[0] {
		d.lit, d.dist = fixedTables()
		return nil
	}
	d.lit, d.dist = &d.ownLit, &d.ownDist
	if !d.lit.build(d.block.lengths[:d.block.literals], litBits, literalEntry) ||
		!d.dist.build(d.block.lengths[d.block.literals:], distBits, distanceEntry) {
		return ErrCorrupt
	}
	return nil
}

func (d *Reader) beginStored() error {
	drop := d.nbits % 8
	d.bits >>= drop
	d.nbits -= drop
	size, err := d.take(16)
	if err != nil {
		return err
	}
	check, err := d.take(16)
	if err != nil {
		return err
	}
	if size != check^0xffff {
		return ErrCorrupt
	}
	d.block.stored = int(size)
	d.block.open = size > 0
	return nil
}

func (d *Reader) copyStored(limit int) error {
	for d.pos < limit && d.block.stored > 0 {
		b, err := d.take(8)
		if err != nil {
			return err
		}
		d.buf[d.pos] = byte(b)
		d.pos++
		d.block.stored--
	}
	d.block.open = d.block.stored > 0
	return nil
}
