package drawing

import (
	"image"
	"image/color"
	"math"

	"golang.org/x/image/draw"

	"github.com/citekit/citekit"
)

// Colours of a highlight. Dark and light content below it stays legible.
var (
	highlight = image.NewUniform(color.NRGBA{R: 255, G: 225, B: 0, A: 90})
	outline   = image.NewUniform(color.NRGBA{R: 230, G: 120, B: 0, A: 255})
)

const outlineWidth = 2 // pixels, outside the box

// Mark highlights boxes on img. Boxes are in fractions of the whole; img shows part of
// the whole, or all of it if part is zero.
func Mark(img *image.RGBA, boxes []citekit.Box, part citekit.Box) {
	if part.IsZero() {
		part = citekit.Box{X2: 1, Y2: 1}
	}
	for _, b := range boxes {
		r := placed(b, part, img.Rect)
		if r.Intersect(img.Rect).Empty() {
			continue
		}
		draw.Draw(img, r, highlight, image.Point{}, draw.Over)
		frame(img, r)
	}
}

// placed returns every pixel that a box touches on a picture of part of the whole.
func placed(b, part citekit.Box, on image.Rectangle) image.Rectangle {
	across := float64(on.Dx()) / (part.X2 - part.X1)
	down := float64(on.Dy()) / (part.Y2 - part.Y1)
	return image.Rect(
		floor((b.X1-part.X1)*across), floor((b.Y1-part.Y1)*down),
		-floor((part.X1-b.X2)*across), -floor((part.Y1-b.Y2)*down),
	).Add(on.Min)
}

// floor rounds down, except for values just below a whole number. The result is limited
// to the coordinates of pictures.
func floor(v float64) int {
	const hair, most = 1e-6, 1 << 24
	return int(math.Floor(min(max(v, -most), most) + hair))
}

// frame draws the outline of r, outside r.
func frame(img *image.RGBA, r image.Rectangle) {
	out := r.Inset(-outlineWidth)
	for _, side := range []image.Rectangle{
		{Min: out.Min, Max: image.Pt(out.Max.X, r.Min.Y)},
		{Min: image.Pt(out.Min.X, r.Max.Y), Max: out.Max},
		{Min: image.Pt(out.Min.X, r.Min.Y), Max: image.Pt(r.Min.X, r.Max.Y)},
		{Min: image.Pt(r.Max.X, r.Min.Y), Max: image.Pt(out.Max.X, r.Max.Y)},
	} {
		draw.Draw(img, side, outline, image.Point{}, draw.Src)
	}
}
