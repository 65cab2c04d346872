package image

import "image"

// compact returns img with nothing between its rows. The TIFF encoder reads a
// whole stride past each row, also past the last one, which a part of an image
// does not have.
func compact(img image.Image) image.Image {
	r := img.Bounds()
	switch m := img.(type) {
	case *image.Gray:
		c := image.NewGray(r)
		copyRows(c.Pix, c.Stride, m.Pix, m.Stride, r.Dy())
		return c
	case *image.Gray16:
		c := image.NewGray16(r)
		copyRows(c.Pix, c.Stride, m.Pix, m.Stride, r.Dy())
		return c
	case *image.NRGBA:
		c := image.NewNRGBA(r)
		copyRows(c.Pix, c.Stride, m.Pix, m.Stride, r.Dy())
		return c
	case *image.NRGBA64:
		c := image.NewNRGBA64(r)
		copyRows(c.Pix, c.Stride, m.Pix, m.Stride, r.Dy())
		return c
	case *image.RGBA:
		c := image.NewRGBA(r)
		copyRows(c.Pix, c.Stride, m.Pix, m.Stride, r.Dy())
		return c
	case *image.RGBA64:
		c := image.NewRGBA64(r)
		copyRows(c.Pix, c.Stride, m.Pix, m.Stride, r.Dy())
		return c
	case *image.Paletted:
		c := image.NewPaletted(r, m.Palette)
		copyRows(c.Pix, c.Stride, m.Pix, m.Stride, r.Dy())
		return c
	}
	return img
}

// copyRows copies rows of the width of dst, which has no gaps.
func copyRows(dst []byte, width int, src []byte, stride, rows int) {
	for y := range rows {
		copy(dst[y*width:(y+1)*width], src[y*stride:])
	}
}
