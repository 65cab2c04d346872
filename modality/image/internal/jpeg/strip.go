package jpeg

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"
)

// An encodeWorker encodes strips, one after another.
type encodeWorker struct {
	*encoder
	packer
	planes  []plane // of the encoder, with the chroma of the current row of MCUs
	scratch []int32
}

func (e *encoder) worker() *encodeWorker {
	w := &encodeWorker{encoder: e, planes: slices.Clone(e.planes)}
	if e.chroma != nil {
		w.scratch = chromaScratch(e.chroma)
		for i := range w.planes[1:] {
			w.planes[1+i].pix = make([]byte, 8*e.size.X)
		}
	}
	return w
}

// strip returns rows first to end-1 of MCUs, and the marker that follows them.
func (w *encodeWorker) strip(first, end int) []byte {
	var last [4]int32
	for y := first; y < end; y++ {
		if w.chroma != nil {
			w.interpolate(8 * y)
		}
		w.row(y, &last)
	}
	if end == w.down {
		return w.stuffed(markerEOI)
	}
	return w.stuffed(markerRST0 + byte((end/w.stripRows-1)%8))
}

// interpolate sets the chroma of eight rows of pixels, from top on.
func (w *encodeWorker) interpolate(top int) {
	m, width := w.chroma, w.size.X
	for i := range min(8, w.size.Y-top) {
		x, y := w.corner.X, w.corner.Y+top+i
		fillChroma(w.planes[1].pix[i*width:][:width], m, m.Cb, x, y, w.scratch)
		fillChroma(w.planes[2].pix[i*width:][:width], m, m.Cr, x, y, w.scratch)
	}
	w.planes[1].top, w.planes[2].top = top, top
}

// row appends a row of MCUs.
func (w *encodeWorker) row(y int, last *[4]int32) {
	var block dctBlock
	blocks := 0
	for _, p := range w.planes {
		blocks += p.h * p.v
	}
	for x := range w.across {
		w.reserve(blocks)
		for i := range w.planes {
			p := &w.planes[i]
			for k := range p.h * p.v {
				p.block(&block, 8*(x*p.h+k%p.h), 8*(y*p.v+k/p.h))
				forwardDCT(&block)
				last[i] = w.encoder.put(&w.packer, &block, p.table, last[i])
			}
		}
	}
}

// block reads the samples at x, y. Beyond the edges it repeats the last column and row.
func (p *plane) block(b *dctBlock, x, y int) {
	if x+8 <= p.width && y+8 <= p.height {
		pix := p.pix[(y-p.top)*p.stride+x:]
		for i := range 8 {
			copy(b.samples[8*i:8*i+8], pix[i*p.stride:][:8])
		}
		return
	}
	for i := range 8 {
		row := p.pix[(min(y+i, p.height-1)-p.top)*p.stride:]
		for j := range 8 {
			b.samples[8*i+j] = row[min(x+j, p.width-1)]
		}
	}
}

// put quantizes and appends a block, for which there must be room (T.81, section
// F.1.2). It returns the DC value, to which the next block of the component is
// relative.
func (e *encoder) put(w *packer, b *dctBlock, table int, last int32) int32 {
	divide, round := &e.divide[table], &e.round[table]
	dc, ac := &e.codes[table][0], &e.codes[table][1]
	magnitude, sign := b.quantize(0, round[0], divide[0])
	value := (int32(magnitude) ^ sign) - sign
	w.put(coded(dc, 0, value-last))

	acc, n := w.acc, w.n
	raw, pos := w.raw, w.pos
	next := uint(1)
	for left := e.nonzero(b, table) &^ 1; left != 0; left &= left - 1 {
		i := uint(bits.TrailingZeros64(left))
		run := i - next
		for ; run > 15; run -= 16 {
			acc = acc<<(ac[0xf0].length&31) | uint64(ac[0xf0].code)
			n += uint(ac[0xf0].length)
			binary.BigEndian.PutUint64(raw[pos:], acc<<((64-n)&63))
			pos += int(n >> 3)
			n &= 7
		}
		magnitude, sign := b.quantize(zigzag[i&63], round[i&63], divide[i&63])
		size := uint(bits.Len32(magnitude))
		c := &ac[(run<<4|size)&0xff]
		extra := (magnitude ^ uint32(sign)) & (1<<(size&31) - 1)
		acc = (acc<<(c.length&31)|uint64(c.code))<<(size&31) | uint64(extra)
		n += uint(c.length) + size
		binary.BigEndian.PutUint64(raw[pos:], acc<<((64-n)&63))
		pos += int(n >> 3)
		n &= 7
		next = i + 1
	}
	w.acc, w.n, w.pos = acc, n, pos
	if next < 64 {
		w.put(uint64(ac[0].code), uint(ac[0].length))
	}
	return value
}

// quantize returns the magnitude of the quantized coefficient at a place in the block;
// sign is -1 if it is negative, else 0.
func (b *dctBlock) quantize(at byte, round, divide uint32) (magnitude uint32, sign int32) {
	v := int32(b.pairs[at/2%32]>>(at%2*32)&0xffff) - coefBias
	sign = v >> 31
	return uint32(uint64(uint32((v^sign)-sign)+round) * uint64(divide) >> 32), sign
}

// nonzero returns a bit for each coefficient, in zigzag order: whether it is nonzero
// when quantized. It tests four at a time, one in each quarter of a word.
func (e *encoder) nonzero(b *dctBlock, table int) uint64 {
	above, below := &e.above[table], &e.below[table]
	mask := uint64(0)
	for i := range 16 {
		four := b.pairs[i] | b.pairs[i+16]<<16
		reached := (four + above[i]) | (below[i] - four)
		mask |= reached >> 15 & 0x0001000100010001 << i
	}
	ordered := uint64(0)
	for i := range e.inZigzag {
		ordered |= e.inZigzag[i][mask>>(8*i)&0xff]
	}
	return ordered
}

// quarterOf returns the bit that nonzero's mask has for the coefficient at a place in a
// block: its word, plus sixteen times its quarter.
func quarterOf(at byte) int {
	row, column := int(at/8), int(at%8)
	return row%4*4 + column/2 + 16*(row/4+column%2*2)
}

// inZigzag maps each byte of nonzero's mask to its bits in zigzag order. It is built at
// first use, because most programs with this package never encode.
var inZigzag = sync.OnceValue(func() *[8][256]uint64 {
	var table [8][256]uint64
	for k, at := range zigzag {
		bit := quarterOf(at)
		for v := range 256 {
			table[bit/8][v] |= uint64(v>>(bit%8)&1) << k
		}
	}
	return &table
})

// coded returns the code of a run of zeros and a value, followed by its extra bits, and
// its length in bits.
func coded(codes *[256]huffCode, run int, v int32) (uint64, uint) {
	sign := v >> 31
	size := uint(bits.Len32(uint32((v ^ sign) - sign)))
	c := codes[(uint(run)<<4|size)&0xff]
	extra := uint32(v+sign) & (1<<(size&31) - 1)
	return uint64(c.code)<<(size&31) | uint64(extra), uint(c.length) + size
}
