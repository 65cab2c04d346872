package jpeg

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// EncodeOptions are the options of [Encode].
type EncodeOptions struct {
	Quality int             // 1 to 100
	Profile []byte          // ICC profile to store, or nil
	Region  image.Rectangle // the part to encode, within the image; empty means all of it
}

// Encode returns img as a baseline JPEG, in consecutive parts. An [image.Gray] has one
// component. An [image.YCbCr] keeps its chroma sampling if the top left pixel is the
// first of its chroma sample; otherwise it gets a chroma sample for every pixel, made
// by [FullChroma]. Other images are treated as opaque, and also get one for every
// pixel.
//
// The same image always gives the same bytes. Encode uses all CPUs and, besides the
// result, the memory that [EncodeMemory] returns. The error is ctx.Err(), or matches
// [ErrUnsupported].
func Encode(ctx context.Context, img image.Image, o EncodeOptions) ([][]byte, error) {
	region := o.Region
	if region.Empty() {
		region = img.Bounds()
	}
	size := region.Size()
	if size.X < 1 || size.Y < 1 || size.X > 0xffff || size.Y > 0xffff {
		return nil, fmt.Errorf("%dx%d pixels do not fit in a JPEG: %w", size.X, size.Y, ErrUnsupported)
	}
	e := newEncoder(img, region, o.Quality)
	strips := (e.down + e.stripRows - 1) / e.stripRows
	parts := make([][]byte, 1+strips)
	parts[0] = e.header(Prelude(o.Profile))

	var next atomic.Int64 // strip
	var g errgroup.Group
	for range min(runtime.GOMAXPROCS(0), strips) {
		g.Go(func() error {
			w := e.worker()
			for i := int(next.Add(1)) - 1; i < strips; i = int(next.Add(1)) - 1 {
				if err := ctx.Err(); err != nil {
					return err
				}
				parts[1+i] = w.strip(i*e.stripRows, min((i+1)*e.stripRows, e.down))
			}
			return nil
		})
	}
	return parts, g.Wait()
}

// EncodeMemory estimates the memory in bytes for encoding an image of the given width,
// without the image and the result.
func EncodeMemory(width int) int64 {
	// A worker holds the codes of a strip before stuffing, which are rarely more than
	// its samples, and eight rows of chroma.
	const perStrip = 3 * stripPixels
	return int64(runtime.GOMAXPROCS(0)) * (perStrip + int64(width)*(2*8+4))
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
	top           int // row of the component that pix begins with
	h, v          int // sampling factors
	table         int // index in the tables of encoder
}

// An encoder holds the immutable data for encoding an image.
type encoder struct {
	size         image.Point
	planes       []plane
	chroma       *image.YCbCr // source of interpolation for planes without samples
	corner       image.Point  // of the region, in chroma
	across, down int          // in MCUs
	stripRows    int          // rows of MCUs between restart markers

	quant  [2][64]byte   // zigzag order
	divide [2][64]uint32 // 2^32 over eight times quant, zigzag order
	round  [2][64]uint32 // half of eight times quant, zigzag order
	above  [2][16]uint64 // added to four coefficients, sets the top bit of each that is at least round
	below  [2][16]uint64 // minus four coefficients, has the top bit of each that is at most -round
	codes  [2][2][256]huffCode

	inZigzag *[8][256]uint64 // result of the function inZigzag
}

// A huffCode is the code of one value.
type huffCode struct {
	code   uint16
	length uint8
}

func newEncoder(img image.Image, region image.Rectangle, quality int) *encoder {
	e := &encoder{size: region.Size(), inZigzag: inZigzag()}
	e.setPlanes(img, region)
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

// huffCodes returns the codes of a stored table (T.81, section C.2).
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

// setPlanes sets the components of a region of img.
func (e *encoder) setPlanes(img image.Image, region image.Rectangle) {
	switch m := img.(type) {
	case *image.Gray:
		e.planes = []plane{{pix: m.Pix[m.PixOffset(region.Min.X, region.Min.Y):], stride: m.Stride, width: e.size.X, height: e.size.Y, h: 1, v: 1}}
	case *image.YCbCr:
		e.setYCbCr(m, region)
	default:
		m = toYCbCr(img, region)
		e.setYCbCr(m.(*image.YCbCr), m.Bounds())
	}
}

func (e *encoder) setYCbCr(m *image.YCbCr, region image.Rectangle) {
	h, v := Sampling(m.SubsampleRatio)
	luma := plane{pix: m.Y[m.YOffset(region.Min.X, region.Min.Y):], stride: m.YStride, width: e.size.X, height: e.size.Y, h: h, v: v}
	if region.Min.X%h != 0 || region.Min.Y%v != 0 {
		luma.h, luma.v = 1, 1
		chroma := plane{stride: e.size.X, width: e.size.X, height: e.size.Y, h: 1, v: 1, table: 1}
		e.planes, e.chroma, e.corner = []plane{luma, chroma, chroma}, m, region.Min
		return
	}
	at := m.COffset(region.Min.X, region.Min.Y)
	chroma := plane{stride: m.CStride, h: 1, v: 1, table: 1}
	chroma.width, chroma.height = chromaSize(e.size.X, e.size.Y, m.SubsampleRatio)
	cb, cr := chroma, chroma
	cb.pix, cr.pix = m.Cb[at:], m.Cr[at:]
	e.planes = []plane{luma, cb, cr}
}

// toYCbCr converts region b of an opaque image.
func toYCbCr(img image.Image, b image.Rectangle) *image.YCbCr {
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
