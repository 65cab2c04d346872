package image

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"io"
	"strings"

	"golang.org/x/image/webp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/image/internal/exif"
)

func webpFormat() *format {
	return &format{
		name:      "WebP",
		mediaType: "image/webp",
		ext:       ".webp",
		id:        "webp",
		open:      openWebP,
		size:      sizeWebP,
		crop:      cropWebP,
		read:      readWhole,
		readMemory: func(_ *Resolver, p *picture, _ image.Rectangle) int64 {
			return p.memory
		},
		decode: decodeWebP,
		cards:  webpCards,
	}
}

// A webpFrame holds the places of the pixels of a WebP, or of its first frame.
type webpFrame struct {
	rect     image.Rectangle // on the canvas
	alpha    riffChunk       // ALPH, or size 0
	pixels   riffChunk       // "VP8 " or "VP8L"
	lossless bool
}

// A riffChunk is a chunk of a RIFF file (RFC 9649, section 2.3).
type riffChunk struct {
	kind   string
	offset int64 // of its data
	size   int64
}

// eachRIFF calls visit for the chunks from offset to end, or until visit
// reports false.
func eachRIFF(in *input, offset, end int64, visit func(riffChunk) (bool, error)) error {
	var head [8]byte
	for range maxChunks {
		if offset+int64(len(head)) > end {
			return nil
		}
		if err := in.full(head[:], offset); err != nil {
			return err
		}
		c := riffChunk{
			kind:   string(head[:4]),
			offset: offset + int64(len(head)),
			size:   int64(binary.LittleEndian.Uint32(head[4:])),
		}
		if c.offset+c.size > end {
			return io.ErrUnexpectedEOF
		}
		if more, err := visit(c); err != nil || !more {
			return err
		}
		offset = c.offset + c.size + c.size&1
	}
	return fmt.Errorf("more than %d chunks: %w", maxChunks, citekit.ErrTooLarge)
}

// openWebP reads the container (RFC 9649, section 2).
func openWebP(ctx context.Context, _ *Resolver, src *citekit.Source) (*picture, error) {
	in := newInput(ctx, src)
	p := &picture{frame: &webpFrame{}}
	var head [12]byte
	err := in.full(head[:], 0)
	if err == nil {
		end := int64(binary.LittleEndian.Uint32(head[4:])) + 8
		if end > src.Size() {
			return nil, fmt.Errorf("the WebP is truncated: %w", citekit.ErrFormat)
		}
		err = eachRIFF(in, int64(len(head)), end, func(c riffChunk) (bool, error) { return true, p.readWebP(in, c) })
	}
	if err == nil {
		err = p.placeFrame(in)
	}
	if err != nil {
		return nil, in.blame(webpFormat(), err)
	}
	perPixel := int64(4)
	if !p.frame.lossless {
		perPixel = 8 // planes and their converted copy
	}
	if p.width > 0 && p.height > 0 {
		p.memory = perPixel*int64(p.width)*int64(p.height) + p.frame.codeMemory()
	}
	return p, nil
}

// sizeWebP reads the first chunk.
func sizeWebP(in *input) (width, height int, err error) {
	p := &picture{frame: &webpFrame{}}
	err = eachRIFF(in, 12, in.src.Size(), func(c riffChunk) (bool, error) { return false, p.readWebP(in, c) })
	if err != nil || p.width > 0 {
		return p.width, p.height, err
	}
	if p.frame.pixels.size == 0 {
		return 0, 0, fmt.Errorf("the WebP has no pixels: %w", citekit.ErrFormat)
	}
	size, err := p.frame.size(in)
	return size.X, size.Y, err
}

// cropWebP cuts a region out of the decoded image. It becomes a PNG.
func cropWebP(ctx context.Context, r *Resolver, src *citekit.Source, p *picture, region image.Rectangle) (*crop, error) {
	return r.encoded(ctx, p.memory+deflatedMost(8*area(region)), region, pngFormat(), func() (*output, error) {
		img, err := r.decodeWhole(ctx, src, p)
		if err != nil {
			return nil, err
		}
		part := img.(subImager).SubImage(p.orientation.StoredRect(region, p.width, p.height))
		return encodePNG(upright(part, p.orientation).(*image.NRGBA), profileChunk(p.profile))
	})
}

// readWebP reads one chunk of the container.
func (p *picture) readWebP(in *input, c riffChunk) error {
	switch c.kind {
	case "VP8X":
		var x [10]byte
		if err := in.full(x[:], c.offset); err != nil {
			return err
		}
		p.width, p.height = 1+uint24(x[4:]), 1+uint24(x[7:])
	case "VP8 ", "VP8L", "ALPH":
		p.frame.add(c)
	case "ANMF":
		if p.frame.pixels.size > 0 {
			p.animated = true
			return nil // not the first frame
		}
		return p.readFrame(in, c)
	case "EXIF":
		if c.size > maxExif || p.orientation.Valid() {
			return nil
		}
		block := make([]byte, c.size)
		if err := in.full(block, c.offset); err != nil {
			return err
		}
		if o, ok := exif.Parse(block); ok {
			p.orientation = o
		}
	case "ICCP":
		if c.size > maxICCProfile {
			return nil
		}
		p.profile = make([]byte, c.size)
		return in.full(p.profile, c.offset)
	}
	return nil
}

// readFrame reads the first frame of an animation (section 2.7.1.1).
func (p *picture) readFrame(in *input, c riffChunk) error {
	var f [16]byte
	if err := in.full(f[:], c.offset); err != nil {
		return err
	}
	x, y := 2*uint24(f[0:]), 2*uint24(f[3:])
	p.frame.rect = image.Rect(x, y, x+1+uint24(f[6:]), y+1+uint24(f[9:]))
	return eachRIFF(in, c.offset+16, c.offset+c.size, func(c riffChunk) (bool, error) {
		p.frame.add(c)
		return true, nil
	})
}

// add keeps the first chunk of pixels, and the alpha before it.
func (f *webpFrame) add(c riffChunk) {
	switch {
	case f.pixels.size > 0:
	case c.kind == "ALPH":
		f.alpha = c
	case c.kind == "VP8 " || c.kind == "VP8L":
		f.pixels = c
		f.lossless = c.kind == "VP8L"
	}
}

// placeFrame checks that the pixels have the size given in the container.
func (p *picture) placeFrame(in *input) error {
	f := p.frame
	if f.pixels.size == 0 {
		return fmt.Errorf("the WebP has no pixels: %w", citekit.ErrFormat)
	}
	size, err := f.size(in)
	if err != nil {
		return err
	}
	if p.width == 0 { // the simple container
		p.width, p.height = size.X, size.Y
	}
	if f.rect.Empty() {
		f.rect = image.Rectangle{Max: image.Pt(p.width, p.height)}
	}
	if f.rect.Size() != size || !f.rect.In(image.Rect(0, 0, p.width, p.height)) {
		return fmt.Errorf("a frame of %v pixels at %v in a WebP of %dx%d: %w", size, f.rect, p.width, p.height, citekit.ErrFormat)
	}
	return nil
}

// size reads the size from the pixel data itself (RFC 6386, section 9.1; RFC
// 9649, section 3.4).
func (f *webpFrame) size(in *input) (image.Point, error) {
	var h [10]byte
	if f.lossless {
		if err := in.full(h[:5], f.pixels.offset); err != nil {
			return image.Point{}, err
		}
		v := binary.LittleEndian.Uint32(h[1:])
		return image.Pt(1+int(v&0x3fff), 1+int(v>>14&0x3fff)), nil
	}
	if err := in.full(h[:], f.pixels.offset); err != nil {
		return image.Point{}, err
	}
	return image.Pt(int(binary.LittleEndian.Uint16(h[6:])&0x3fff), int(binary.LittleEndian.Uint16(h[8:])&0x3fff)), nil
}

// codeMemory returns the maximum memory for the codes of lossless pixels, in
// bytes (RFC 9649, section 3.7). The decoder reads at most 2,600 groups of
// codes.
func (f *webpFrame) codeMemory() int64 {
	const perByte, most = 256, 130 << 20
	size := f.alpha.size
	if f.lossless {
		size = f.pixels.size
	}
	return min(perByte*size, most)
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

// decodeWebP decodes the picture or its first frame onto the canvas.
func decodeWebP(ctx context.Context, src *citekit.Source, p *picture) (image.Image, error) {
	in := newInput(ctx, src)
	img, err := webp.Decode(p.frame.file(in))
	if err != nil && in.err == nil && strings.Contains(err.Error(), "too many Huffman trees") {
		return nil, fmt.Errorf("the WebP has more groups of codes than encoders make; convert it to PNG: %w", citekit.ErrTooLarge)
	}
	if err != nil {
		return nil, in.blame(p.format, err)
	}
	pixels, err := webpPixels(img)
	if err != nil {
		return nil, err
	}
	canvas := image.Rect(0, 0, p.width, p.height)
	if p.frame.rect == canvas {
		return pixels, nil
	}
	whole := image.NewNRGBA(canvas)
	for y := range pixels.Rect.Dy() {
		copy(whole.Pix[whole.PixOffset(p.frame.rect.Min.X, p.frame.rect.Min.Y+y):], pixels.Pix[y*pixels.Stride:][:4*pixels.Rect.Dx()])
	}
	return whole, nil
}

// file returns a WebP file with only the pixels of the frame.
func (f *webpFrame) file(in *input) io.Reader {
	var parts []io.Reader
	size := uint32(4)
	add := func(kind string, n int64, data io.Reader) {
		head := binary.LittleEndian.AppendUint32([]byte(kind), uint32(n))
		parts = append(parts, bytes.NewReader(head), data, bytes.NewReader(make([]byte, n&1)))
		size += uint32(8 + n + n&1)
	}
	if f.alpha.size > 0 && !f.lossless {
		const alphaFlag = 1 << 4
		w, h := f.rect.Dx()-1, f.rect.Dy()-1
		add("VP8X", 10, bytes.NewReader([]byte{alphaFlag, 0, 0, 0, byte(w), byte(w >> 8), byte(w >> 16), byte(h), byte(h >> 8), byte(h >> 16)}))
		add("ALPH", f.alpha.size, in.section(f.alpha.offset, f.alpha.size))
	}
	add(f.pixels.kind, f.pixels.size, in.section(f.pixels.offset, f.pixels.size))
	head := append(binary.LittleEndian.AppendUint32([]byte("RIFF"), size), "WEBP"...)
	return io.MultiReader(append([]io.Reader{bytes.NewReader(head)}, parts...)...)
}
