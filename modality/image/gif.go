package image

import (
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"io"

	"github.com/citekit/citekit"
)

func gifFormat() *format {
	return &format{
		name:      "GIF",
		mediaType: "image/gif",
		ext:       ".gif",
		id:        "gif",
		open:      openGIF,
		crop:      cropGIF,
		read:      readWhole,
		readMemory: func(_ *Resolver, p *picture, _ image.Rectangle) int64 {
			return 6 * int64(p.width) * int64(p.height) // the screen and a frame, twice
		},
		decode: decodeFirstFrame,
		size: func(in *input) (width, height int, err error) {
			var head [13]byte
			err = in.full(head[:], 0)
			return int(binary.LittleEndian.Uint16(head[6:])), int(binary.LittleEndian.Uint16(head[8:])), err
		},
	}
}

// Limits on an animation.
const (
	maxFrames     = 10_000
	frameOverhead = 8 << 10 // bytes of memory, for palettes

	// maxGIFPixels is the maximum number of pixels that are decoded and encoded
	// again.
	maxGIFPixels = 160_000_000
)

// openGIF reads the size of the screen (GIF89a, section 18).
func openGIF(ctx context.Context, _ *Resolver, src *citekit.Source) (*picture, error) {
	width, height, err := gifFormat().size(newInput(ctx, src))
	if err != nil {
		return nil, err
	}
	return &picture{width: width, height: height, memory: 4 * int64(width) * int64(height)}, nil
}

// decodeFirstFrame draws the first frame on its screen.
func decodeFirstFrame(ctx context.Context, src *citekit.Source, p *picture) (image.Image, error) {
	in := newInput(ctx, src)
	frame, err := gif.Decode(in.all())
	if err != nil {
		return nil, in.blame(p.format, err)
	}
	screen := image.NewRGBA(image.Rect(0, 0, p.width, p.height))
	draw.Draw(screen, frame.Bounds(), frame, frame.Bounds().Min, draw.Src)
	return screen, nil
}

// cropGIF cuts every frame to the region. Palettes, delays and disposal are
// unchanged, so that the animation plays as before.
func cropGIF(ctx context.Context, r *Resolver, src *citekit.Source, p *picture, region image.Rectangle) (*crop, error) {
	in := newInput(ctx, src)
	memory, err := gifMemory(in, p, region)
	if err != nil {
		return nil, in.blame(p.format, err)
	}
	held, err := r.reserve(ctx, memory)
	if err != nil {
		return nil, fmt.Errorf("the frames of the GIF are too many or too large: %w", err)
	}
	out, err := gifRegion(in, p, region)
	if err != nil {
		held.release()
		return nil, err
	}
	return &crop{out: out, format: p.format, held: held}, nil
}

func gifRegion(in *input, p *picture, region image.Rectangle) (*output, error) {
	g, err := gif.DecodeAll(in.all())
	if err != nil {
		return nil, in.blame(p.format, err)
	}
	cutFrames(g, region)
	var out output
	if err := gif.EncodeAll(&out, g); err != nil {
		return nil, fmt.Errorf("the GIF cannot be encoded: %w", err)
	}
	return &out, in.ctx.Err()
}

// cutFrames cuts the frames to a region, which becomes the screen.
func cutFrames(g *gif.GIF, region image.Rectangle) {
	for i, frame := range g.Image {
		part := frame.Rect.Intersect(region)
		if part.Empty() {
			g.Image[i] = blankFrame()
			g.Disposal[i] = gif.DisposalNone
			continue
		}
		cut := frame.SubImage(part).(*image.Paletted)
		cut.Rect = part.Sub(region.Min)
		g.Image[i] = cut
	}
	g.Config.Width, g.Config.Height = region.Dx(), region.Dy()
}

// blankFrame returns an empty frame; it keeps the time of a frame outside the
// region.
func blankFrame() *image.Paletted {
	return image.NewPaletted(image.Rect(0, 0, 1, 1), color.Palette{color.RGBA{}, color.RGBA{A: 0xff}})
}

// gifMemory returns the memory for decoding, in bytes, according to the headers
// of all frames.
func gifMemory(in *input, p *picture, region image.Rectangle) (int64, error) {
	w := &gifWalker{in: in, pos: 13}
	var flags [1]byte
	if err := in.full(flags[:], 10); err != nil {
		return 0, err
	}
	w.passPalette(flags[0])
	memory, decoded := int64(0), int64(0)
	for frames := 0; ; {
		kind, err := w.byte()
		if err != nil {
			return 0, err
		}
		switch kind {
		case 0x21: // extension: a label and blocks
			w.pos++
			err = w.passBlocks()
		case 0x2c:
			frames++
			if frames > maxFrames {
				return 0, fmt.Errorf("the GIF has more than %d frames: %w", maxFrames, citekit.ErrTooLarge)
			}
			var r image.Rectangle
			r, err = w.frame()
			if !r.In(image.Rect(0, 0, p.width, p.height)) {
				return 0, fmt.Errorf("a frame at %v in a GIF of %dx%d pixels: %w", r, p.width, p.height, citekit.ErrFormat)
			}
			decoded += area(r)
			// A badly encoded pixel takes at most 12 bits.
			memory += area(r) + area(r.Intersect(region))*3/2 + frameOverhead
		case 0x3b:
			return memory, nil
		default:
			return 0, fmt.Errorf("a GIF block of kind %#x: %w", kind, citekit.ErrFormat)
		}
		if err != nil {
			return 0, err
		}
		if decoded > maxGIFPixels {
			return 0, fmt.Errorf("the frames of the GIF have more than %d pixels together: %w", maxGIFPixels, citekit.ErrTooLarge)
		}
		if memory > decodeMemory {
			return memory, nil // reserve returns the error
		}
	}
}

// A gifWalker walks over the blocks of a GIF.
type gifWalker struct {
	in  *input
	pos int64
	buf []byte
	at  int64 // offset of buf
}

// byte returns the next byte.
func (w *gifWalker) byte() (byte, error) {
	if w.pos < w.at || w.pos >= w.at+int64(len(w.buf)) {
		if w.buf == nil {
			w.buf = make([]byte, 32<<10)
		}
		w.buf = w.buf[:cap(w.buf)]
		n, err := w.in.ReadAt(w.buf, w.pos)
		w.buf, w.at = w.buf[:n], w.pos
		if n == 0 {
			if err == io.EOF || err == nil {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
	}
	b := w.buf[w.pos-w.at]
	w.pos++
	return b, nil
}

// passBlocks skips data blocks up to an empty one (section 15).
func (w *gifWalker) passBlocks() error {
	for {
		n, err := w.byte()
		if err != nil || n == 0 {
			return err
		}
		w.pos += int64(n)
	}
}

// passPalette skips the colour table announced by flags.
func (w *gifWalker) passPalette(flags byte) {
	if flags&0x80 != 0 {
		w.pos += 3 << (1 + flags&7)
	}
}

// frame skips an image and returns its rectangle (section 20).
func (w *gifWalker) frame() (image.Rectangle, error) {
	var d [9]byte
	for i := range d {
		b, err := w.byte()
		if err != nil {
			return image.Rectangle{}, err
		}
		d[i] = b
	}
	x, y := int(binary.LittleEndian.Uint16(d[0:])), int(binary.LittleEndian.Uint16(d[2:]))
	width, height := int(binary.LittleEndian.Uint16(d[4:])), int(binary.LittleEndian.Uint16(d[6:]))
	w.passPalette(d[8])
	w.pos++ // LZW code size
	return image.Rect(x, y, x+width, y+height), w.passBlocks()
}
