package image

import (
	"image"

	"github.com/citekit/citekit/internal/exif"
	"github.com/citekit/citekit/internal/jpeg"
)

// chromaMargin is how many pixels around a region the chroma inside it can
// depend on.
const chromaMargin = 4

// uprightYCbCr returns the pixels of region of m as displayed, with the top
// left one first in its chroma sample. The chroma samples stay as they are if
// the region is divided into them in the same way as m, whichever way it is
// turned; else every pixel gets its own.
func uprightYCbCr(m *image.YCbCr, region image.Rectangle, o exif.Orientation) *image.YCbCr {
	ratio, ok := turnedRatio(m.SubsampleRatio, o)
	if !ok || !onChromaGrid(m, region, o) {
		m, ratio = fullChroma(m, region), image.YCbCrSubsampleRatio444
	}
	part := m.SubImage(region).(*image.YCbCr)
	if o == exif.TopLeft {
		return part
	}
	width, height := o.Displayed(region.Dx(), region.Dy())
	out := image.NewYCbCr(image.Rect(0, 0, width, height), ratio)
	turn(out.Y, part.Y, part.YStride, 1, out.Rect, o)
	h, v := jpeg.Sampling(ratio)
	chroma := image.Rect(0, 0, (width+h-1)/h, (height+v-1)/v)
	turn(out.Cb, part.Cb, part.CStride, 1, chroma, o)
	turn(out.Cr, part.Cr, part.CStride, 1, chroma, o)
	return out
}

// turnedRatio returns the sampling of an image turned by o, if there is such
// a one.
func turnedRatio(ratio image.YCbCrSubsampleRatio, o exif.Orientation) (image.YCbCrSubsampleRatio, bool) {
	if !o.Turned() {
		return ratio, true
	}
	switch ratio {
	case image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio420:
		return ratio, true
	case image.YCbCrSubsampleRatio422:
		return image.YCbCrSubsampleRatio440, true
	case image.YCbCrSubsampleRatio440:
		return image.YCbCrSubsampleRatio422, true
	}
	return ratio, false
}

// onChromaGrid reports whether the edges of region that are displayed on the
// left and at the top lie between chroma samples.
func onChromaGrid(m *image.YCbCr, region image.Rectangle, o exif.Orientation) bool {
	h, v := jpeg.Sampling(m.SubsampleRatio)
	x, y := o.Stored(0, 0, region.Dx(), region.Dy())
	edgeX, edgeY := region.Min.X, region.Min.Y
	if x > 0 {
		edgeX = region.Max.X
	}
	if y > 0 {
		edgeY = region.Max.Y
	}
	return edgeX%h == 0 && edgeY%v == 0
}

// fullChroma returns the pixels of region with a chroma sample for each. Where
// a sample stands for two pixels across or down it is interpolated, as
// displaying programs do; else it is repeated.
func fullChroma(m *image.YCbCr, region image.Rectangle) *image.YCbCr {
	out := image.NewYCbCr(region, image.YCbCrSubsampleRatio444)
	for y := region.Min.Y; y < region.Max.Y; y++ {
		at := out.YOffset(region.Min.X, y)
		copy(out.Y[at:at+region.Dx()], m.Y[m.YOffset(region.Min.X, y):])
		fillChroma(out.Cb[at:at+region.Dx()], m, m.Cb, region.Min.X, y)
		fillChroma(out.Cr[at:at+region.Dx()], m, m.Cr, region.Min.X, y)
	}
	return out
}

// fillChroma sets dst to the chroma of the pixels of m from x, y on.
func fillChroma(dst []byte, m *image.YCbCr, plane []byte, x, y int) {
	h, v := jpeg.Sampling(m.SubsampleRatio)
	if h > 2 {
		for i := range dst {
			dst[i] = plane[m.COffset(x+i, y)]
		}
		return
	}
	bounds := image.Rect(m.Rect.Min.X/h, m.Rect.Min.Y/v, (m.Rect.Max.X-1)/h+1, (m.Rect.Max.Y-1)/v+1) // in samples
	row := func(cy int) []byte { return plane[(cy-bounds.Min.Y)*m.CStride:][:bounds.Dx()] }
	near, far := row(y/v), row(neighbour(y, v, bounds.Min.Y, bounds.Max.Y))
	for i := range dst {
		cx, side := (x+i)/h-bounds.Min.X, neighbour(x+i, h, bounds.Min.X, bounds.Max.X)-bounds.Min.X
		this, other := 3*int(near[cx])+int(far[cx]), 3*int(near[side])+int(far[side])
		dst[i] = byte((3*this + other + chromaBias(x+i, y, h, v)) >> 4)
	}
}

// neighbour returns the second nearest of the samples from first to end, each
// of which stands for n pixels, one or two; that is the nearest one itself at
// the edges.
func neighbour(x, n, first, end int) int {
	if n == 1 {
		return x
	}
	return min(max(x/2-1+2*(x&1), first), end-1)
}

// chromaBias returns what makes the sum of 16 parts round as in libjpeg, which
// alternates.
func chromaBias(x, y, h, v int) int {
	switch {
	case h == 2 && v == 2:
		return 8 - x&1
	case h == 2:
		return 4 + 4*(x&1)
	case v == 2:
		return 4 + 4*(y&1)
	}
	return 0
}
