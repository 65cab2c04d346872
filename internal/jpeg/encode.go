package jpeg

import (
	"fmt"
	"image"
	"image/color"
	"math/bits"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// EncodeOptions are the options of [Encode].
type EncodeOptions struct {
	Quality int    // 1 to 100
	Profile []byte // ICC profile to store, or nil
}

// Encode returns img as a baseline JPEG. An [image.Gray] has one component;
// an [image.YCbCr] keeps its chroma sampling; other images are opaque and have
// a chroma sample for every pixel. The top left pixel of an image.YCbCr must
// be the first of its chroma sample.
//
// The same image always gives the same bytes. It uses all CPUs there are.
func Encode(img image.Image, o EncodeOptions) ([]byte, error) {
	size := img.Bounds().Size()
	if size.X < 1 || size.Y < 1 || size.X > 0xffff || size.Y > 0xffff {
		return nil, fmt.Errorf("%dx%d pixels do not fit in a JPEG: %w", size.X, size.Y, ErrUnsupported)
	}
	e := newEncoder(img, o.Quality)
	out := e.header(Prelude(o.Profile))

	parts := make([][]byte, (e.down+e.stripRows-1)/e.stripRows)
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range parts {
		g.Go(func() error {
			parts[i] = e.strip(i*e.stripRows, min((i+1)*e.stripRows, e.down))
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i, part := range parts {
		if i > 0 {
			out = append(out, 0xff, markerRST0+byte((i-1)%8))
		}
		out = append(out, part...)
	}
	return append(out, 0xff, markerEOI), nil
}

// Prelude returns the segments that begin an upright JPEG: JFIF, and the ICC
// profile if there is one.
func Prelude(profile []byte) []byte {
	b := appendSegment(nil, markerAPP0, []byte("JFIF\x00\x01\x02\x00\x00\x01\x00\x01\x00\x00"))
	return appendProfile(b, profile)
}

// A plane holds the samples of one component.
type plane struct {
	pix           []byte
	stride        int
	width, height int
	h, v          int // sampling factors
	table         int // in the tables of encoder
}

// An encoder holds what encoding an image needs and does not change.
type encoder struct {
	size         image.Point
	planes       []plane
	across, down int // in MCUs
	stripRows    int // rows of MCUs between restart markers

	quant  [2][64]byte   // zigzag order
	divide [2][64]uint32 // 2^32 over eight times quant, zigzag order
	round  [2][64]uint32 // half of eight times quant, zigzag order
	above  [2][16]uint64 // what sets the top bit of a quarter whose coefficient is at least round
	below  [2][16]uint64 // what does so, less the quarter, if it is at most -round
	codes  [2][2][256]huffCode
}

// A huffCode is the code of one value.
type huffCode struct {
	code   uint16
	length uint8
}

func newEncoder(img image.Image, quality int) *encoder {
	e := &encoder{size: img.Bounds().Size(), planes: imagePlanes(img)}
	h, v := e.planes[0].h, e.planes[0].v
	e.across = (e.size.X + 8*h - 1) / (8 * h)
	e.down = (e.size.Y + 8*v - 1) / (8 * v)
	e.stripRows = min(max(1, stripPixels/(e.across*64*h*v)), max(1, 0xffff/e.across))
	for i := range e.quant {
		e.setQuant(i, quality)
		for k, spec := range typicalHuffman[i] {
			e.codes[i][k] = huffCodes(spec)
		}
	}
	return e
}

// setQuant scales a typical table to the quality, as is customary: 50 gives
// the table itself, 100 no quantization.
func (e *encoder) setQuant(i, quality int) {
	quality = min(max(quality, 1), 100)
	scale := 200 - 2*quality
	if quality < 50 {
		scale = 5000 / quality
	}
	for k, q := range typicalQuant[i] {
		step := min(max((int(q)*scale+50)/100, 1), 255)
		e.quant[i][k] = byte(step)
		e.divide[i][k] = uint32((1<<32)/(step<<quantizeBits) + 1)
		half := uint64(step << quantizeBits / 2)
		e.round[i][k] = uint32(half)
		at := quarterOf(zigzag[k])
		e.above[i][at%16] |= (1<<15 - coefBias - half) << (at / 16 * 16)
		e.below[i][at%16] |= (1<<15 + coefBias - half) << (at / 16 * 16)
	}
}

// huffCodes returns the codes of a table as stored (T.81, section C.2).
func huffCodes(spec []byte) (codes [256]huffCode) {
	code, values := uint16(0), spec[16:]
	for i, n := range spec[:16] {
		for range n {
			codes[values[0]] = huffCode{code, uint8(i + 1)}
			values = values[1:]
			code++
		}
		code <<= 1
	}
	return codes
}

// imagePlanes returns the components of img.
func imagePlanes(img image.Image) []plane {
	switch m := img.(type) {
	case *image.Gray:
		return []plane{{pix: m.Pix, stride: m.Stride, width: m.Rect.Dx(), height: m.Rect.Dy(), h: 1, v: 1}}
	case *image.YCbCr:
		h, v := Sampling(m.SubsampleRatio)
		width, height := m.Rect.Dx(), m.Rect.Dy()
		cw, ch := chromaSize(width, height, m.SubsampleRatio)
		at := m.COffset(m.Rect.Min.X, m.Rect.Min.Y)
		return []plane{
			{pix: m.Y[m.YOffset(m.Rect.Min.X, m.Rect.Min.Y):], stride: m.YStride, width: width, height: height, h: h, v: v},
			{pix: m.Cb[at:], stride: m.CStride, width: cw, height: ch, h: 1, v: 1, table: 1},
			{pix: m.Cr[at:], stride: m.CStride, width: cw, height: ch, h: 1, v: 1, table: 1},
		}
	}
	return imagePlanes(toYCbCr(img))
}

// toYCbCr converts an opaque image.
func toYCbCr(img image.Image) *image.YCbCr {
	b := img.Bounds()
	out := image.NewYCbCr(image.Rect(0, 0, b.Dx(), b.Dy()), image.YCbCrSubsampleRatio444)
	i := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, bl, _ := img.At(x, y).RGBA()
			out.Y[i], out.Cb[i], out.Cr[i] = color.RGBToYCbCr(byte(r>>8), byte(g>>8), byte(bl>>8))
			i++
		}
	}
	return out
}

// header returns everything before the entropy-coded data.
func (e *encoder) header(prelude []byte) []byte {
	tables := min(len(e.planes), 2)
	b := append([]byte{0xff, markerSOI}, prelude...)
	for i := range tables {
		b = appendSegment(b, markerDQT, append([]byte{byte(i)}, e.quant[i][:]...))
	}
	frame := []byte{8, byte(e.size.Y >> 8), byte(e.size.Y), byte(e.size.X >> 8), byte(e.size.X), byte(len(e.planes))}
	scan := []byte{byte(len(e.planes))}
	for i, p := range e.planes {
		frame = append(frame, byte(i+1), byte(p.h<<4|p.v), byte(p.table))
		scan = append(scan, byte(i+1), byte(p.table<<4|p.table))
	}
	b = appendSegment(b, markerSOF0, frame)
	for i := range tables {
		for class, spec := range typicalHuffman[i] {
			b = appendSegment(b, markerDHT, append([]byte{byte(class<<4 | i)}, spec...))
		}
	}
	if e.stripRows < e.down {
		n := e.stripRows * e.across
		b = appendSegment(b, markerDRI, []byte{byte(n >> 8), byte(n)})
	}
	return appendSegment(b, markerSOS, append(scan, 0, 63, 0))
}

// strip returns the rows of MCUs from first to end, without the last.
func (e *encoder) strip(first, end int) []byte {
	var w bitWriter
	var last [4]int32
	var block dctBlock
	for y := first; y < end; y++ {
		for x := range e.across {
			for i := range e.planes {
				p := &e.planes[i]
				for k := range p.h * p.v {
					p.block(&block, 8*(x*p.h+k%p.h), 8*(y*p.v+k/p.h))
					forwardDCT(&block)
					last[i] = e.put(&w, &block, p.table, last[i])
				}
			}
		}
	}
	w.flush()
	return w.out
}

// block reads the samples at x, y. The last column and row go on beyond the
// edges.
func (p *plane) block(b *dctBlock, x, y int) {
	if x+8 <= p.width && y+8 <= p.height {
		for i := range 8 {
			copy(b.samples[8*i:8*i+8], p.pix[(y+i)*p.stride+x:][:8])
		}
		return
	}
	for i := range 8 {
		row := p.pix[min(y+i, p.height-1)*p.stride:]
		for j := range 8 {
			b.samples[8*i+j] = row[min(x+j, p.width-1)]
		}
	}
}

// put quantizes and appends a block (T.81, section F.1.2). It returns the DC
// value, which the next block of the component is relative to.
func (e *encoder) put(w *bitWriter, b *dctBlock, table int, last int32) int32 {
	divide, round := &e.divide[table], &e.round[table]
	dc, ac := &e.codes[table][0], &e.codes[table][1]
	magnitude, sign := b.quantize(0, round[0], divide[0])
	value := (int32(magnitude) ^ sign) - sign
	w.put(coded(dc, 0, value-last))

	acc, n := w.acc, w.n
	next := uint(1)
	for left := e.nonzero(b, table) &^ 1; left != 0; left &= left - 1 {
		i := uint(bits.TrailingZeros64(left))
		run := i - next
		for ; run > 15; run -= 16 {
			acc = acc<<ac[0xf0].length | uint64(ac[0xf0].code)
			if n += uint(ac[0xf0].length); n >= 32 {
				n = w.word(acc, n)
			}
		}
		magnitude, sign := b.quantize(zigzag[i&63], round[i&63], divide[i&63])
		size := uint(bits.Len32(magnitude))
		c := &ac[(run<<4|size)&0xff]
		extra := (magnitude ^ uint32(sign)) & (1<<(size&31) - 1)
		acc = (acc<<(c.length&31)|uint64(c.code))<<(size&31) | uint64(extra)
		if n += uint(c.length) + size; n >= 32 {
			n = w.word(acc, n)
		}
		next = i + 1
	}
	w.acc, w.n = acc, n
	if next < 64 {
		w.put(uint64(ac[0].code), uint(ac[0].length))
	}
	return value
}

// quantize returns the size of the quantized coefficient at a place in the
// block, and -1 if it is negative, else 0.
func (b *dctBlock) quantize(at byte, round, divide uint32) (magnitude uint32, sign int32) {
	v := int32(b.pairs[at/2%32]>>(at%2*32)&0xffff) - coefBias
	sign = v >> 31
	return uint32(uint64(uint32((v^sign)-sign)+round) * uint64(divide) >> 32), sign
}

// nonzero returns a bit for each coefficient, in zigzag order: whether it is
// nonzero when quantized. It looks at four at a time: a quarter of a word each.
func (e *encoder) nonzero(b *dctBlock, table int) uint64 {
	above, below := &e.above[table], &e.below[table]
	mask := uint64(0)
	for i := range 16 {
		four := b.pairs[i] | b.pairs[i+16]<<16
		reached := (four + above[i]) | (below[i] - four)
		mask |= reached >> 15 & 0x0001000100010001 << i
	}
	ordered := uint64(0)
	for i := range inZigzag {
		ordered |= inZigzag[i][mask>>(8*i)&0xff]
	}
	return ordered
}

// quarterOf returns the bit of the coefficient at a place in a block in the
// mask of nonzero: its word, and sixteen times its quarter.
func quarterOf(at byte) int {
	row, column := int(at/8), int(at%8)
	return row%4*4 + column/2 + 16*(row/4+column%2*2)
}

// inZigzag gives the bits in zigzag order for each byte of the mask of nonzero.
var inZigzag = func() (table [8][256]uint64) {
	for k, at := range zigzag {
		bit := quarterOf(at)
		for v := range 256 {
			table[bit/8][v] |= uint64(v>>(bit%8)&1) << k
		}
	}
	return table
}()

// coded returns the code of a run of zeros and a value, with its extra bits,
// and its length.
func coded(codes *[256]huffCode, run int, v int32) (uint64, uint) {
	sign := v >> 31
	size := uint(bits.Len32(uint32((v ^ sign) - sign)))
	c := codes[(uint(run)<<4|size)&0xff]
	extra := uint32(v+sign) & (1<<(size&31) - 1)
	return uint64(c.code)<<(size&31) | uint64(extra), uint(c.length) + size
}
