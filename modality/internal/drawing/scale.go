package drawing

import (
	"image"
	"math"
)

// Fit returns the largest size with the aspect ratio width to height that is at most
// wide and high. Each side has at least one pixel.
func Fit(width, height float64, wide, high int) image.Point {
	width, height = shape(width), shape(height)
	scale := min(float64(wide)/width, float64(high)/height)
	return image.Pt(
		min(max(int(math.Round(width*scale)), 1), wide),
		min(max(int(math.Round(height*scale)), 1), high),
	)
}

// shape limits a length from a source to a range that is safe to divide by.
func shape(length float64) float64 {
	const least, most = 1e-6, 1e12
	if math.IsNaN(length) {
		return 1
	}
	return min(max(length, least), most)
}

// Shrink is Fit, but does not enlarge.
func Shrink(width, height, wide, high int) image.Point {
	return Fit(float64(width), float64(height), min(wide, width), min(high, height))
}

// newWhite returns a white picture.
func newWhite(size image.Point) *image.RGBA {
	img := image.NewRGBA(image.Rectangle{Max: size})
	for i := range img.Pix {
		img.Pix[i] = 0xff
	}
	return img
}
