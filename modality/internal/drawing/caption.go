package drawing

import (
	"image"
	"image/color"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// Size of a letter in captions, in pixels before enlargement.
const (
	letterWidth  = 7
	letterHeight = 13
	baseline     = 11
)

// textSize returns the size in pixels of a line of ASCII text enlarged by times.
func textSize(text string, times int) (width, height int) {
	return len(text) * letterWidth * times, letterHeight * times
}

// Text draws a line of ASCII text, enlarged by times, with its top left corner at a
// point.
func Text(img *image.RGBA, at image.Point, text string, times int, ink color.Color) {
	width, height := textSize(text, 1)
	letters := image.NewAlpha(image.Rect(0, 0, width, height))
	drawer := font.Drawer{Dst: letters, Src: image.Opaque, Face: basicfont.Face7x13, Dot: fixed.P(0, baseline)}
	drawer.DrawString(text)
	large := image.NewAlpha(image.Rect(0, 0, width*times, height*times))
	draw.NearestNeighbor.Scale(large, large.Rect, letters, letters.Rect, draw.Src, nil)
	draw.DrawMask(img, large.Rect.Add(at), image.NewUniform(ink), image.Point{}, large, image.Point{}, draw.Over)
}
