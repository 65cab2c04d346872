package pdfcut

import (
	"math"
	"strconv"

	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
)

// A rectangle is in default user space: in points, from the bottom left.
type rectangle struct{ x1, y1, x2, y2 float64 }

// letter is the size of a page without a MediaBox.
var letter = rectangle{0, 0, 612, 792}

func (r rectangle) intersect(s rectangle) rectangle {
	return rectangle{max(r.x1, s.x1), max(r.y1, s.y1), min(r.x2, s.x2), min(r.y2, s.y2)}
}

func (r rectangle) isEmpty() bool { return r.x2 <= r.x1 || r.y2 <= r.y1 }

// array returns r with coordinates rounded to at most four decimals.
func (r rectangle) array() pdf.Array {
	return pdf.Array{coordinate(r.x1), coordinate(r.y1), coordinate(r.x2), coordinate(r.y2)}
}

func coordinate(v float64) pdf.Object {
	const precision = 1e4
	v = math.Round(v*precision) / precision
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return int64(v)
	}
	return pdf.Real(strconv.FormatFloat(v, 'f', -1, 64))
}

// rectangle reads a rectangle, which may start at any corner (7.9.5).
func (c *cutter) rectangle(o pdf.Object) (r rectangle, ok bool, err error) {
	array, err := c.d.Array(c.f, o)
	if err != nil || len(array) < 4 {
		return r, false, err
	}
	var v [4]float64
	for i := range v {
		o, err := c.d.Resolve(c.f, array[i])
		if err != nil {
			return r, false, err
		}
		if v[i], ok = pdf.Number(o); !ok {
			return r, false, nil
		}
	}
	return rectangle{min(v[0], v[2]), min(v[1], v[3]), max(v[0], v[2]), max(v[1], v[3])}, true, nil
}

// displayed returns the part of a page that is shown: its crop box, clipped to its
// media box (14.11.2).
func (c *cutter) displayed(page pdf.Dict) (rectangle, error) {
	media, ok, err := c.rectangle(page["MediaBox"])
	if err != nil {
		return media, err
	}
	if !ok || media.isEmpty() {
		media = letter
	}
	crop, ok, err := c.rectangle(page["CropBox"])
	if err != nil || !ok {
		return media, err
	}
	if shown := media.intersect(crop); !shown.isEmpty() {
		return shown, nil
	}
	return media, nil
}

// region returns the part of a page, in default user space, that the requested box
// covers after the page has been rotated for display.
func (c *cutter) region(page pdf.Dict) (rectangle, error) {
	shown, err := c.displayed(page)
	if err != nil {
		return shown, err
	}
	rotate, err := c.d.Resolve(c.f, page["Rotate"])
	if err != nil {
		return shown, err
	}
	angle, _ := pdf.Number(rotate)
	b := *c.box
	x1, y1, x2, y2 := b.X1, 1-b.Y2, b.X2, 1-b.Y1 // from the bottom left corner
	switch turns := int(math.Mod(angle, 360)) / 90; (turns + 4) % 4 {
	case 1:
		x1, y1, x2, y2 = b.Y1, b.X1, b.Y2, b.X2
	case 2:
		x1, y1, x2, y2 = 1-b.X2, b.Y1, 1-b.X1, b.Y2
	case 3:
		x1, y1, x2, y2 = 1-b.Y2, 1-b.X2, 1-b.Y1, 1-b.X1
	}
	width, height := shown.x2-shown.x1, shown.y2-shown.y1
	return rectangle{shown.x1 + x1*width, shown.y1 + y1*height, shown.x1 + x2*width, shown.y1 + y2*height}, nil
}
