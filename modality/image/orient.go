package image

import (
	"image"

	"github.com/citekit/citekit/modality/image/internal/exif"
)

// upright returns the pixels of img as displayed. The result may share them
// with img.
func upright(img image.Image, o exif.Orientation) image.Image {
	if o == exif.TopLeft {
		return img
	}
	return turned(img, o)
}

// turned returns a copy of img as displayed, without gaps between its rows.
func turned(img image.Image, o exif.Orientation) image.Image {
	width, height := o.Displayed(img.Bounds().Dx(), img.Bounds().Dy())
	r := image.Rect(0, 0, width, height)
	switch m := img.(type) {
	case *image.Gray:
		out := image.NewGray(r)
		turn(out.Pix, m.Pix, m.Stride, 1, r, o)
		return out
	case *image.Gray16:
		out := image.NewGray16(r)
		turn(out.Pix, m.Pix, m.Stride, 2, r, o)
		return out
	case *image.Paletted:
		out := image.NewPaletted(r, m.Palette)
		turn(out.Pix, m.Pix, m.Stride, 1, r, o)
		return out
	case *image.RGBA:
		out := image.NewRGBA(r)
		turn(out.Pix, m.Pix, m.Stride, 4, r, o)
		return out
	case *image.NRGBA:
		out := image.NewNRGBA(r)
		turn(out.Pix, m.Pix, m.Stride, 4, r, o)
		return out
	case *image.CMYK:
		out := image.NewCMYK(r)
		turn(out.Pix, m.Pix, m.Stride, 4, r, o)
		return out
	case *image.RGBA64:
		out := image.NewRGBA64(r)
		turn(out.Pix, m.Pix, m.Stride, 8, r, o)
		return out
	case *image.NRGBA64:
		out := image.NewNRGBA64(r)
		turn(out.Pix, m.Pix, m.Stride, 8, r, o)
		return out
	}
	return img
}

// turn copies pixels of size bytes from src, in stored order, to dst, in
// displayed order, in r without gaps.
func turn(dst, src []byte, stride, size int, r image.Rectangle, o exif.Orientation) {
	width, height := o.Displayed(r.Dx(), r.Dy()) // stored: turning is its own inverse for sizes
	at := 0
	for y := range r.Dy() {
		x0, y0 := o.Stored(0, y, width, height)
		x1, y1 := o.Stored(1, y, width, height)
		from := y0*stride + x0*size
		step := (y1-y0)*stride + (x1-x0)*size
		for range r.Dx() {
			copy(dst[at:at+size], src[from:from+size])
			at += size
			from += step
		}
	}
}
