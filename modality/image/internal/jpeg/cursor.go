package jpeg

import (
	"fmt"
	"image"
	"io"
)

// A decoder holds the immutable data for decoding the scan of a file.
type decoder struct {
	h        *Header
	across   int // MCUs in a row
	down     int // rows of MCUs
	blocks   []blockKind
	dc       [4]*huffTable
	ac       [4]*stepTable
	interval int
	end      int64 // file offset where the data ends
}

// A blockKind is one block of an MCU.
type blockKind struct {
	comp int // index of its component in the frame
	dc   *huffTable
	ac   *stepTable
}

// newDecoder prepares to decode a sequential scan with all components.
func newDecoder(h *Header, end int64) (*decoder, error) {
	mcu := h.mcu()
	d := &decoder{
		h:        h,
		across:   (h.Width + mcu.X - 1) / mcu.X,
		down:     (h.Height + mcu.Y - 1) / mcu.Y,
		interval: h.interval,
		end:      end,
	}
	for _, sc := range h.scan {
		if h.huff[0][sc.dc] == nil || h.huff[1][sc.ac] == nil {
			return nil, fmt.Errorf("a Huffman table is missing: %w", ErrFormat)
		}
		if d.dc[sc.dc] == nil {
			d.dc[sc.dc] = newHuffTable(h.huff[0][sc.dc])
		}
		if d.ac[sc.ac] == nil {
			d.ac[sc.ac] = newStepTable(newHuffTable(h.huff[1][sc.ac]))
		}
		comp := h.comps[sc.index]
		for range comp.h * comp.v {
			d.blocks = append(d.blocks, blockKind{comp: sc.index, dc: d.dc[sc.dc], ac: d.ac[sc.ac]})
		}
	}
	return d, nil
}

// tile returns the MCUs that hold the pixels of r.
func (d *decoder) tile(r image.Rectangle) image.Rectangle {
	m := d.h.mcu()
	return image.Rect(r.Min.X/m.X, r.Min.Y/m.Y, (r.Max.X+m.X-1)/m.X, (r.Max.Y+m.Y-1)/m.Y)
}

// A cursor decodes MCUs in the order of the file.
type cursor struct {
	*decoder
	bits *bitReader
	next int      // number of the next MCU
	dc   [4]int32 // last DC value by component
}

// A point is a saved position of a cursor.
type point struct {
	mcu  int
	bits bitState
	dc   [4]int32
}

func (d *decoder) cursor(r io.ReaderAt, p point) *cursor {
	c := &cursor{decoder: d, bits: newBitReader(r, d.end)}
	c.seek(p)
	return c
}

func (c *cursor) seek(p point) {
	c.bits.seek(p.bits)
	c.next, c.dc = p.mcu, p.dc
}

// point returns the position of c, which must be between two MCUs.
func (c *cursor) point() point {
	return point{mcu: c.next, bits: c.bits.state(), dc: c.dc}
}

// skip skips n MCUs.
func (c *cursor) skip(n int) error {
	for range n {
		if err := c.begin(); err != nil {
			return err
		}
		for i := range c.blocks {
			b := &c.blocks[i]
			if _, err := c.readDC(b); err != nil {
				return err
			}
			if !c.bits.skipAC(b.ac) {
				return c.damaged()
			}
		}
		if err := c.finish(); err != nil {
			return err
		}
	}
	return nil
}

// copy appends n MCUs to w unchanged, with DC values relative to last.
func (c *cursor) copy(w *bitWriter, n int, last *[4]int32) error {
	for range n {
		if err := c.begin(); err != nil {
			return err
		}
		for i := range c.blocks {
			b := &c.blocks[i]
			dc, err := c.readDC(b)
			if err != nil {
				return err
			}
			if !w.putDC(dc - last[b.comp]) {
				return c.damaged()
			}
			last[b.comp] = dc
			if !c.bits.copyAC(b.ac, w) {
				return c.damaged()
			}
		}
		if err := c.finish(); err != nil {
			return err
		}
	}
	return nil
}

// begin reads the restart marker that may precede an MCU (T.81, section F.2.1.3.1).
func (c *cursor) begin() error {
	if c.interval == 0 || c.next == 0 || c.next%c.interval != 0 {
		return nil
	}
	want := markerRST0 + byte((c.next/c.interval-1)%8)
	if got := c.bits.nextMarker(); got != want {
		return fmt.Errorf("restart marker %d is missing: %w", c.next/c.interval, c.fileError())
	}
	c.dc = [4]int32{}
	return nil
}

func (c *cursor) finish() error {
	c.next++
	if c.bits.short() {
		return c.damaged()
	}
	return nil
}

func (c *cursor) fileError() error {
	if c.bits.err != nil {
		return c.bits.err
	}
	return ErrFormat
}

func (c *cursor) damaged() error {
	return fmt.Errorf("the pixels are damaged in block %d of %d: %w", c.next+1, c.across*c.down, c.fileError())
}

// readDC returns the DC value of the next block (T.81, section F.2.2.1).
func (c *cursor) readDC(b *blockKind) (int32, error) {
	bits := c.bits
	if bits.n < 32 {
		bits.fill()
	}
	size, length := b.dc.find(bits.acc)
	if length == 0 || size > 16 {
		return 0, c.damaged()
	}
	if size > 0 {
		c.dc[b.comp] += extend(bits.acc<<length, uint(size))
	}
	bits.acc <<= length + uint(size)
	bits.n -= int(length) + int(size)
	return c.dc[b.comp], nil
}

// extend returns the value of the top size bits of acc (T.81, figure F.12); size is at
// least 1.
func extend(acc uint64, size uint) int32 {
	v := int32(acc >> (64 - size))
	if v < 1<<(size-1) {
		v += -1<<size + 1
	}
	return v
}

// skipAC skips the AC coefficients of a block (T.81, section F.2.2.2). It reports
// whether they are valid.
func (b *bitReader) skipAC(t *stepTable) bool {
	k := 1 // next coefficient
	for k < 64 {
		if b.n < 32 {
			b.fill()
		}
		e := t.steps[b.acc>>(64-stepBits)]
		bits, count := uint(e&0x7f), int(e>>8)
		if e == 0 || k+count > 63 {
			if bits, count = t.one(b.acc, k); bits == 0 {
				return false
			}
			e = 0
		}
		b.acc <<= bits
		b.n -= int(bits)
		k += count
		if e&stepEnd != 0 {
			return true
		}
	}
	return true
}

// copyAC is skipAC, but appends the codes to w.
func (b *bitReader) copyAC(t *stepTable, w *bitWriter) bool {
	k := 1
	for k < 64 {
		if b.n < 32 {
			b.fill()
		}
		e := t.steps[b.acc>>(64-stepBits)]
		bits, count := uint(e&0x7f), int(e>>8)
		if e == 0 || k+count > 63 {
			if bits, count = t.one(b.acc, k); bits == 0 {
				return false
			}
			e = 0
		}
		w.put(b.acc>>(64-bits), bits)
		b.acc <<= bits
		b.n -= int(bits)
		k += count
		if e&stepEnd != 0 {
			return true
		}
	}
	return true
}

// one returns the length of the next code with its extra bits, and how many
// coefficients it covers if k is the next one. Zero bits mean that the code is invalid.
func (t *stepTable) one(acc uint64, k int) (bits uint, count int) {
	value, length := t.huff.find(acc)
	run, size := int(value>>4), uint(value&15)
	switch {
	case length == 0:
		return 0, 0
	case size != 0 && k+run > 63:
		return length, 64 // past the last coefficient: the block ends before the extra bits
	case size != 0:
		return length + size, run + 1
	case run == 15:
		return length, 16
	case run == 0:
		return length, 64
	}
	return 0, 0
}
