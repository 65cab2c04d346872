package image

import (
	"image"

	"github.com/citekit/citekit/modality/image/internal/exif"
	"github.com/citekit/citekit/modality/image/internal/jpeg"
)

// chromaMargin is the number of pixels around a region that can affect the
// chroma inside it.
const chromaMargin = 4

// uprightYCbCr returns the pixels of region of m as displayed, with the top
// left pixel first in its chroma sample. The chroma samples are unchanged if
// they divide the region in the same way as m, in any orientation. Otherwise
// every pixel gets its own sample.
func uprightYCbCr(m *image.YCbCr, region image.Rectangle, o exif.Orientation) *image.YCbCr {
	ratio, ok := turnedRatio(m.SubsampleRatio, o)
	if !ok || !onChromaGrid(m, region, o) {
		m, ratio = jpeg.FullChroma(m, region), image.YCbCrSubsampleRatio444
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

// turnedRatio returns the sampling of an image turned by o, if it exists.
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
