package image

import (
	"context"
	"image"
	"image/draw"

	"github.com/citekit/citekit"
)

// A painter converts a row of stored samples to pixels of an [image.RGBA], over
// white.
type painter func(rgba, row []byte)

// put sets a pixel to a colour over white, with an opacity of alpha/255.
func put(rgba []byte, red, green, blue, alpha byte) {
	rgba[0], rgba[1], rgba[2], rgba[3] = onWhite(red, alpha), onWhite(green, alpha), onWhite(blue, alpha), 0xff
}

// onWhite returns a level over white, with an opacity of alpha/255.
func onWhite(level, alpha byte) byte {
	if alpha == 0xff {
		return level
	}
	a := uint32(alpha)
	return byte((uint32(level)*a + 0xff*(0xff-a) + 0x7f) / 0xff)
}

// A colourTable has the colour of each value of up to 8 bits.
type colourTable [256][4]byte

// painter returns the painter for pixels of the given number of bits that are
// values of t.
func (t *colourTable) painter(bits int) painter {
	return func(rgba, row []byte) {
		for x := range len(rgba) / 4 {
			copy(rgba[4*x:4*x+4], t[bitsAt(row, x*bits, bits)][:])
		}
	}
}

// setGreys sets the values of the given number of bits to greys from black to
// white.
func (t *colourTable) setGreys(bits int) {
	most := 1<<bits - 1
	for v := range most + 1 {
		level := byte(v * 0xff / most)
		put(t[v][:], level, level, level, 0xff)
	}
}

// readWhole implements read for a format that is decoded at once.
func readWhole(ctx context.Context, r *Resolver, src *citekit.Source, p *picture, region image.Rectangle, visit func(rgba []byte) error) error {
	img, err := r.decodeWhole(ctx, src, p)
	if err != nil {
		return err
	}
	return eachRow(img.(subImager).SubImage(region), visit)
}

// eachRow calls visit for the rows of img, over white.
func eachRow(img image.Image, visit func(rgba []byte) error) error {
	bounds := img.Bounds()
	row := image.NewRGBA(image.Rect(0, 0, bounds.Dx(), 1))
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		draw.Draw(row, row.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(row, row.Rect, img, image.Pt(bounds.Min.X, y), draw.Over)
		if err := visit(row.Pix); err != nil {
			return err
		}
	}
	return nil
}

// luma returns the brightness of a pixel without transparency, as defined by
// JPEG (T.871, section 7).
func luma(rgba []byte) byte {
	return byte((19595*uint32(rgba[0]) + 38470*uint32(rgba[1]) + 7471*uint32(rgba[2]) + 1<<15) >> 16)
}
