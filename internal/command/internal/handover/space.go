package handover

import (
	"math"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/citekit/citekit"
)

// A rect is in default user space: in units of the page, from the bottom left.
type rect struct{ x1, y1, x2, y2 float64 }

// letter is the size of a page without a MediaBox.
var letter = rect{0, 0, 612, 792}

func (r rect) isEmpty() bool { return r.x2 <= r.x1 || r.y2 <= r.y1 }

func (r rect) intersect(s rect) rect {
	return rect{max(r.x1, s.x1), max(r.y1, s.y1), min(r.x2, s.x2), min(r.y2, s.y2)}
}

func (r rect) union(s rect) rect {
	return rect{min(r.x1, s.x1), min(r.y1, s.y1), max(r.x2, s.x2), max(r.y2, s.y2)}
}

// array returns the numbers of r to a thousandth of a unit, so that they are the same
// on all machines.
func (r rect) array() types.Array { return numbers(r.x1, r.y1, r.x2, r.y2) }

func numbers(all ...float64) types.Array {
	a := make(types.Array, len(all))
	for i, v := range all {
		if v = thousandth(v); v == math.Trunc(v) && math.Abs(v) < 1<<31 {
			a[i] = types.Integer(v)
		} else {
			a[i] = types.Float(v)
		}
	}
	return a
}

func thousandth(v float64) float64 { return math.Round(v*1000) / 1000 }

// A space converts between a page as displayed and its own units: its crop box, clipped
// to its media box, turned by a number of quarters to the right.
type space struct {
	shown rect
	turns int
}

// spaceOf returns the space of a page whose dictionary has all its entries, as pages of
// evidence do. UserUnit scales all units of a page, also those of annotations, so that
// it changes nothing here.
func spaceOf(ctx *model.Context, page types.Dict) space {
	s := space{shown: letter}
	if media, ok := rectOf(ctx, page["MediaBox"]); ok && !media.isEmpty() {
		s.shown = media
	}
	if crop, ok := rectOf(ctx, page["CropBox"]); ok {
		if both := s.shown.intersect(crop); !both.isEmpty() {
			s.shown = both
		}
	}
	if angle, ok := number(ctx, page["Rotate"]); ok {
		s.turns = (int(math.Mod(angle, 360))/90 + 4) % 4
	}
	return s
}

func rectOf(ctx *model.Context, o types.Object) (r rect, ok bool) {
	a, err := ctx.DereferenceArray(o)
	if err != nil || len(a) < 4 {
		return r, false
	}
	var v [4]float64
	for i := range v {
		if v[i], ok = number(ctx, a[i]); !ok {
			return r, false
		}
	}
	return rect{min(v[0], v[2]), min(v[1], v[3]), max(v[0], v[2]), max(v[1], v[3])}, true
}

func number(ctx *model.Context, o types.Object) (float64, bool) {
	o, err := ctx.Dereference(o)
	if err != nil {
		return 0, false
	}
	switch v := o.(type) {
	case types.Integer:
		return float64(v), true
	case types.Float:
		return float64(v), true
	}
	return 0, false
}

// A quad is a box by its corners, as a reader of the page sees them: top left, top
// right, bottom left, bottom right, each x and y.
type quad [8]float64

// quad returns a box, in fractions of the displayed page, in the units of the page.
func (s space) quad(b citekit.Box) (q quad) {
	for i, corner := range [][2]float64{{b.X1, b.Y1}, {b.X2, b.Y1}, {b.X1, b.Y2}, {b.X2, b.Y2}} {
		q[2*i], q[2*i+1] = s.point(corner[0], corner[1])
	}
	return q
}

// point converts a point in fractions from the top left corner of the displayed page.
func (s space) point(x, y float64) (float64, float64) {
	u, v := x, 1-y // from the bottom left corner of the page before it is turned
	switch s.turns {
	case 1:
		u, v = y, x
	case 2:
		u, v = 1-x, y
	case 3:
		u, v = 1-y, 1-x
	}
	return s.shown.x1 + u*(s.shown.x2-s.shown.x1), s.shown.y1 + v*(s.shown.y2-s.shown.y1)
}

// bounds returns the rectangle around a quad, whose sides are upright.
func (q quad) bounds() rect {
	return rect{min(q[0], q[6]), min(q[1], q[7]), max(q[0], q[6]), max(q[1], q[7])}
}

// within returns a box of a page in fractions of a region of it, and false if it lies
// outside. The zero region is the whole page.
func within(b, region citekit.Box) (citekit.Box, bool) {
	if region.IsZero() {
		return b, true
	}
	w, h := region.X2-region.X1, region.Y2-region.Y1
	in := citekit.Box{
		X1: max(0, (b.X1-region.X1)/w), Y1: max(0, (b.Y1-region.Y1)/h),
		X2: min(1, (b.X2-region.X1)/w), Y2: min(1, (b.Y2-region.Y1)/h),
	}
	return in, in.X1 < in.X2 && in.Y1 < in.Y2
}
