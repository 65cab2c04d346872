package jpeg

import (
	"context"
	"fmt"
	"image"
)

// ratio returns the chroma sampling of a file, if [image.YCbCr] has it.
func (h *Header) ratio() (ratio image.YCbCrSubsampleRatio, ok bool) {
	y, cb, cr := h.comps[0], h.comps[1], h.comps[2]
	if cb.sampling != cr.sampling || y.h%cb.h != 0 || y.v%cb.v != 0 || y.v == 4 || y.h*y.v+2*cb.h*cb.v > 10 {
		return 0, false
	}
	for _, ratio := range []image.YCbCrSubsampleRatio{
		image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420,
		image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410,
	} {
		if width, height := Sampling(ratio); width == y.h/cb.h && height == y.v/cb.v {
			return ratio, true
		}
	}
	return 0, false
}

// A raster receives the samples of the MCUs of tile.
type raster struct {
	img   subImager
	tile  image.Rectangle // MCUs
	parts []samples       // by component
}

// samples are the samples of one component.
type samples struct {
	pix    []byte
	stride int
	h, v   int       // blocks of an MCU
	quant  [64]int32 // zigzag order
}

// newRaster returns a raster for tile, or nil if image/jpeg decodes the file to an
// image other than [image.Gray] and [image.YCbCr].
func (im *Image) newRaster(tile image.Rectangle) *raster {
	m := im.dec.h.mcu()
	bounds := image.Rect(tile.Min.X*m.X, tile.Min.Y*m.Y, tile.Max.X*m.X, tile.Max.Y*m.Y)
	p := &raster{tile: tile}
	switch {
	case im.Components == 1:
		img := image.NewGray(bounds)
		p.img, p.parts = img, []samples{{pix: img.Pix, stride: img.Stride}}
	case im.Components == 3 && !im.IsRGB():
		ratio, ok := im.Header.ratio()
		if !ok {
			return nil
		}
		img := image.NewYCbCr(bounds, ratio)
		p.img = img
		p.parts = []samples{{pix: img.Y, stride: img.YStride}, {pix: img.Cb, stride: img.CStride}, {pix: img.Cr, stride: img.CStride}}
	default:
		return nil
	}
	for i := range p.parts {
		c := im.comps[i]
		p.parts[i].h, p.parts[i].v = c.h, c.v
		p.parts[i].quant = im.Header.quantValues(c.quant)
	}
	return p
}

// quantValues returns a quantization table; a missing one has zeros.
func (h *Header) quantValues(id byte) (values [64]int32) {
	stored := h.quant[id]
	for i := range values {
		switch {
		case stored == nil:
		case stored[0]>>4 == 0:
			values[i] = int32(stored[1+i])
		default:
			values[i] = int32(stored[1+2*i])<<8 | int32(stored[2+2*i])
		}
	}
	return values
}

// decode sets the samples of the MCUs of strip, which is within the tile of p and
// equally wide.
func (im *Image) decode(ctx context.Context, c *cursor, p *raster, strip image.Rectangle) error {
	for row := strip.Min.Y; row < strip.Max.Y; row++ {
		first := row * im.dec.across
		if err := im.advance(ctx, c, first+strip.Min.X); err != nil {
			return err
		}
		for x := range strip.Dx() {
			if err := c.decode(p, x, row-p.tile.Min.Y); err != nil {
				return err
			}
		}
	}
	if c.bits.err != nil {
		return fmt.Errorf("reading the pixels: %w", c.bits.err)
	}
	return nil
}

// decode sets the samples of the next MCU, at x, y in p.
func (c *cursor) decode(p *raster, x, y int) error {
	if err := c.begin(); err != nil {
		return err
	}
	for i := 0; i < len(c.blocks); {
		comp := c.blocks[i].comp
		part := &p.parts[comp]
		for by := range part.v {
			for bx := range part.h {
				b := &c.blocks[i]
				i++
				dc, err := c.readDC(b)
				if err != nil {
					return err
				}
				block := coefficients{dc * part.quant[0]}
				last := c.bits.readAC(b.ac.huff, &block, &part.quant)
				if last == 0 {
					return c.damaged()
				}
				dst := part.pix[8*((y*part.v+by)*part.stride+x*part.h+bx):]
				if last == 1 {
					flat(dst, part.stride, block[0])
				} else {
					block.inverseDCT(dst, part.stride)
				}
			}
		}
	}
	return c.finish()
}

// readAC reads the AC coefficients of a block (T.81, section F.2.2.2). It returns the
// zigzag index after the last nonzero one, or 0 if they are invalid.
func (b *bitReader) readAC(t *huffTable, block *coefficients, quant *[64]int32) (last int) {
	last = 1
	for k := 1; k < 64; k++ {
		if b.n < 32 {
			b.fill()
		}
		value, length := t.find(b.acc)
		run, size := int(value>>4), uint(value&15)
		if length == 0 {
			return 0
		}
		b.acc <<= length & 63
		b.n -= int(length)
		if size == 0 {
			switch run {
			case 15:
				k += 15
				continue
			case 0:
				return last
			}
			return 0
		}
		if k += run; k > 63 {
			return last // past the last coefficient: the block ends before the extra bits
		}
		block[zigzag[k]&63] = extend(b.acc, size) * quant[k]
		b.acc <<= size & 63
		b.n -= int(size)
		last = k + 1
	}
	return last
}
