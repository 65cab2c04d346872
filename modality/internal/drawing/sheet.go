package drawing

import (
	"image"
	"image/color"

	"golang.org/x/image/draw"
)

// MaxCells is the maximum number of pictures on a sheet.
const MaxCells = 12

const (
	gap       = 6   // pixels around each cell
	wideCell  = 200 // cell width in pixels from which captions are enlarged
	enlarging = 2   // factor of the enlargement
)

// A Sheet is a grid of pictures with a caption below each.
type Sheet struct {
	Cell image.Point // size in pixels of the largest picture that fits a cell

	columns, rows int
	times         int // factor that enlarges captions
}

// NewSheet returns the sheet that shows n pictures, each with the aspect ratio width to
// height, as large as possible. It is at most side pixels wide and high; side must be
// at least 128.
func NewSheet(n int, width, height float64, side int) Sheet {
	var best Sheet
	for columns := 1; columns <= n; columns++ {
		s := Sheet{columns: columns, rows: (n + columns - 1) / columns, times: 1}
		s.Cell = s.fit(width, height, side)
		if s.Cell.X >= wideCell {
			s.times = enlarging
			s.Cell = s.fit(width, height, side)
		}
		if columns == 1 || s.Cell.X*s.Cell.Y > best.Cell.X*best.Cell.Y {
			best = s
		}
	}
	return best
}

// Within returns s with cells that do not enlarge pictures of the given size.
func (s Sheet) Within(width, height int) Sheet {
	s.Cell = Shrink(width, height, s.Cell.X, s.Cell.Y)
	return s
}

func (s Sheet) fit(width, height float64, side int) image.Point {
	across := (side-gap)/s.columns - gap
	down := (side-gap)/s.rows - gap - s.captionHeight()
	if across < 1 || down < 1 {
		return image.Point{} // no room
	}
	return Fit(width, height, across, down)
}

func (s Sheet) captionHeight() int {
	_, height := textSize("", s.times)
	return height
}

// pitch is the distance from one cell to the next.
func (s Sheet) pitch() image.Point {
	return s.Cell.Add(image.Pt(gap, gap+s.captionHeight()))
}

var background = color.RGBA{R: 0xe4, G: 0xe4, B: 0xe4, A: 0xff}

// Draw returns the sheet with pictures in reading order, each at most as large as a
// cell and with its caption below; there must be as many captions. With fewer pictures
// than s has cells, the sheet is smaller.
func (s Sheet) Draw(pictures []*image.RGBA, captions []string) *image.RGBA {
	pitch := s.pitch()
	s.columns = max(1, min(s.columns, len(pictures)))
	s.rows = (len(pictures) + s.columns - 1) / s.columns
	img := image.NewRGBA(image.Rect(0, 0, s.columns*pitch.X+gap, s.rows*pitch.Y+gap))
	draw.Draw(img, img.Rect, image.NewUniform(background), image.Point{}, draw.Src)
	for i, picture := range pictures {
		corner := image.Pt(gap+i%s.columns*pitch.X, gap+i/s.columns*pitch.Y)
		s.put(img, corner, picture, captions[i])
	}
	return img
}

// put draws a picture and its caption in the cell that begins at corner.
func (s Sheet) put(img *image.RGBA, corner image.Point, picture *image.RGBA, caption string) {
	size := picture.Rect.Size()
	at := corner.Add(image.Pt((s.Cell.X-size.X)/2, s.Cell.Y-size.Y))
	draw.Draw(img, picture.Rect.Sub(picture.Rect.Min).Add(at), picture, picture.Rect.Min, draw.Src)
	width, _ := textSize(caption, s.times)
	times := s.times
	if width > s.Cell.X {
		times = 1
		width, _ = textSize(caption, times)
	}
	Text(img, corner.Add(image.Pt((s.Cell.X-width)/2, s.Cell.Y)), caption, times, color.Black)
}
