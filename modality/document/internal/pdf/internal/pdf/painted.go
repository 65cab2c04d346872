package pdf

import (
	"math"
	"strconv"
	"strings"
)

const (
	maxPainted   = 10_000 // lines, areas and shapes of a page; if there are more, it has none
	maxPoints    = 1_000  // of a path that may be lines
	thinnest     = 3.0    // points; what is narrower is a line
	slant        = 0.5    // points that the ends of a level line may differ
	leastVisible = 0.05   // points of length
)

// A Painted is something that a page paints and that is not text: a straight line, level
// or upright, with its width; a filled rectangle; or the bounds of anything else. It is in
// the space of the page.
type Painted struct {
	X1, Y1, X2, Y2 float64
	Kind           PaintedKind
}

// A PaintedKind is a kind of [Painted].
type PaintedKind int

const (
	PaintedLine PaintedKind = iota
	PaintedArea
	PaintedShape
)

// Painted returns what page i, counted from 0, paints besides text, in the order of its
// content, without what is white and behind which is none, and what is clipped. It returns false if that cannot be
// examined, or is more than 10,000 pieces.
func (d *Document) Painted(f *File, i int) (painted []Painted, known bool, err error) {
	page, err := d.PageDict(f, i)
	if err == nil {
		p := painter{d: d, f: f, left: maxDrawnForms}
		var data []byte
		if data, err = d.contents(f, page); err == nil {
			err = p.content(data, page["Resources"], graphics{space: unit, width: 1, clip: everywhere}, 0)
		}
		painted = p.painted
	}
	if err != nil {
		return nil, false, spared(err)
	}
	return painted, true, nil
}

// A painter collects what content paints.
type painter struct {
	d       *Document
	f       *File
	left    int // forms that may still be read
	painted []Painted
}

// graphics is the part of the state of content that says how paths are painted.
type graphics struct {
	space matrix
	width float64 // of lines
	clip  rect
	white struct{ fill, line bool }
}

type rect struct{ x1, y1, x2, y2 float64 }

var everywhere = rect{math.Inf(-1), math.Inf(-1), math.Inf(1), math.Inf(1)}

func (r rect) within(o rect) rect {
	return rect{max(r.x1, o.x1), max(r.y1, o.y1), min(r.x2, o.x2), min(r.y2, o.y2)}
}

// A subpath is a part of a path, in the space of the page.
type subpath struct {
	points [][2]float64
	closed bool
	bounds rect
	curved bool // or too long
}

func (s *subpath) add(x, y float64) {
	if len(s.points) == 0 {
		s.bounds = rect{x, y, x, y}
	}
	s.bounds = rect{min(s.bounds.x1, x), min(s.bounds.y1, y), max(s.bounds.x2, x), max(s.bounds.y2, y)}
	if len(s.points) >= maxPoints {
		s.curved = true
		return
	}
	s.points = append(s.points, [2]float64{x, y})
}

// content collects what content paints.
func (p *painter) content(data []byte, resources Object, now graphics, depth int) error {
	dict, err := p.d.Dict(p.f, resources)
	if err != nil {
		return err
	}
	objects, err := p.d.Dict(p.f, dict["XObject"])
	if err != nil {
		return err
	}
	s := scanner{parser: parser{data: data}}
	var saved []graphics
	var path []subpath
	clips := false
	lost := 0
	for {
		operator, ok := s.operator()
		if !ok {
			return p.f.Visit(len(data) / 64)
		}
		if len(p.painted) > maxPainted {
			return ErrLimit
		}
		var n []float64
		if operator[0] != 'T' { // not of text
			n = numbers(s.operands)
		}
		switch operator {
		case "q":
			if len(saved) == maxSaved {
				lost++
				continue
			}
			saved = append(saved, now)
		case "Q":
			if n := len(saved); lost > 0 {
				lost--
			} else if n > 0 {
				now, saved = saved[n-1], saved[:n-1]
			}
		case "cm":
			if len(n) == len(matrix{}) {
				now.space = matrix(n[:6]).times(now.space)
			}
		case "w":
			if len(n) > 0 {
				now.width = math.Abs(n[len(n)-1])
			}
		case "g", "rg", "k", "sc", "scn":
			now.white.fill = isWhite(operator, n)
		case "G", "RG", "K", "SC", "SCN":
			now.white.line = isWhite(operator, n)
		case "cs":
			now.white.fill = false
		case "CS":
			now.white.line = false
		case "m":
			if len(n) >= 2 && len(path) < maxPainted {
				path = append(path, subpath{})
				path[len(path)-1].add(now.space.apply(n[len(n)-2], n[len(n)-1]))
			}
		case "l", "c", "v", "y":
			if len(n) >= 2 && len(path) > 0 {
				last := &path[len(path)-1]
				last.curved = last.curved || operator != "l"
				last.add(now.space.apply(n[len(n)-2], n[len(n)-1]))
			}
		case "h":
			if len(path) > 0 {
				path[len(path)-1].closed = true
			}
		case "re":
			if len(n) >= 4 && len(path) < maxPainted {
				x, y, w, h := n[len(n)-4], n[len(n)-3], n[len(n)-2], n[len(n)-1]
				r := subpath{closed: true}
				for _, at := range [4][2]float64{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}} {
					r.add(now.space.apply(at[0], at[1]))
				}
				path = append(path, r)
			}
		case "W", "W*":
			clips = true
		case "S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "n":
			if operator == "s" || operator == "b" || operator == "b*" {
				for i := range path {
					path[i].closed = true
				}
			}
			if operator != "n" {
				p.paint(path, now, operator)
			}
			if clips {
				now.clip = now.clip.within(boundsOf(path))
			}
			path, clips = path[:0], false
		case "sh":
			p.add(now.clip, PaintedShape, everywhere)
		case "Do":
			if err := p.object(objects[s.name], dict, now, depth); err != nil {
				return err
			}
		}
	}
}

func boundsOf(path []subpath) rect {
	if len(path) == 0 {
		return everywhere
	}
	all := path[0].bounds
	for _, s := range path[1:] {
		b := s.bounds
		all = rect{min(all.x1, b.x1), min(all.y1, b.y1), max(all.x2, b.x2), max(all.y2, b.y2)}
	}
	return all
}

func numbers(operands [][]byte) []float64 {
	n := make([]float64, 0, len(matrix{}))
	for _, word := range operands {
		v, err := strconv.ParseFloat(string(word), 64)
		if err != nil || math.IsNaN(v) || math.Abs(v) > 1e9 {
			v = 0
		}
		n = append(n, v)
	}
	return n
}

// isWhite reports whether a colour is white. Colours of unknown spaces are not.
func isWhite(operator string, n []float64) bool {
	const nearly = 0.995
	switch {
	case operator == "k" || operator == "K":
		return len(n) == 4 && max(n[0], n[1], n[2], n[3]) <= 1-nearly
	case len(n) == 1 || len(n) == 3:
		for _, v := range n {
			if v < nearly {
				return false
			}
		}
		return true
	}
	return false
}

// paint adds a path.
func (p *painter) paint(path []subpath, now graphics, operator string) {
	strokes := strings.ContainsAny(operator, "SsBb")
	fills := strings.ContainsAny(operator, "fFBb")
	width := now.width * math.Sqrt(math.Abs(now.space[0]*now.space[3]-now.space[1]*now.space[2]))
	for _, s := range path {
		if len(p.painted) > maxPainted {
			return
		}
		box, isBox := s.box()
		fills, strokes := fills, strokes
		if now.white.fill && fills {
			fills = isBox && min(box.x2-box.x1, box.y2-box.y1) <= thinnest && p.isOver(box)
		}
		if now.white.line && strokes {
			strokes = p.isOver(s.bounds)
		}
		switch {
		case isBox && fills && min(box.x2-box.x1, box.y2-box.y1) <= thinnest:
			p.add(box, PaintedLine, now.clip)
		case isBox && fills:
			p.add(box, PaintedArea, now.clip)
		}
		if fills && !isBox {
			p.add(s.bounds, PaintedShape, now.clip)
			continue
		}
		if strokes && !p.stroke(s, width, now.clip) {
			p.add(s.bounds, PaintedShape, now.clip)
		}
	}
}

// isOver reports whether an area has been painted behind the middle of something.
func (p *painter) isOver(r rect) bool {
	const enough, near = 300, 1.5 // of the last pieces; points
	x, y := (r.x1+r.x2)/2, (r.y1+r.y2)/2
	for _, a := range p.painted[max(0, len(p.painted)-enough):] {
		if a.Kind == PaintedArea && a.X1-near <= x && x <= a.X2+near && a.Y1-near <= y && y <= a.Y2+near {
			return true
		}
	}
	return false
}

// box returns the rectangle that a subpath is.
func (s *subpath) box() (rect, bool) {
	points := s.points
	if n := len(points); n == 5 && points[0] == points[4] {
		points = points[:4]
	}
	if len(points) != 4 || s.curved {
		return rect{}, false
	}
	for i, a := range points {
		b := points[(i+1)%4]
		level, upright := math.Abs(a[1]-b[1]) <= slant, math.Abs(a[0]-b[0]) <= slant
		if !level && !upright {
			return rect{}, false
		}
	}
	return s.bounds, true
}

// stroke adds the lines of a subpath; it returns false if not all are level or upright.
func (p *painter) stroke(s subpath, width float64, clip rect) bool {
	points := s.points
	if s.curved {
		return false
	}
	if s.closed && len(points) > 0 {
		points = append(points[:len(points):len(points)], points[0])
	}
	for i := 1; i < len(points); i++ {
		if a, b := points[i-1], points[i]; math.Abs(a[0]-b[0]) > slant && math.Abs(a[1]-b[1]) > slant {
			return false
		}
	}
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		line := rect{min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])}
		if half := width / 2; line.x2-line.x1 >= line.y2-line.y1 {
			line.y1, line.y2 = line.y1-half, line.y2+half
		} else {
			line.x1, line.x2 = line.x1-half, line.x2+half
		}
		kind := PaintedLine
		if min(line.x2-line.x1, line.y2-line.y1) > 2*thinnest {
			kind = PaintedArea
		}
		p.add(line, kind, clip)
	}
	return true
}

func (p *painter) add(r rect, kind PaintedKind, clip rect) {
	r = r.within(clip)
	if !(r.x2 >= r.x1 && r.y2 >= r.y1) || r.x2-r.x1 < leastVisible && r.y2-r.y1 < leastVisible {
		return
	}
	p.painted = append(p.painted, Painted{r.x1, r.y1, r.x2, r.y2, kind})
}

// object adds a picture, or what a form paints.
func (p *painter) object(o Object, around Dict, now graphics, depth int) error {
	resolved, err := p.d.Resolve(p.f, o)
	if err != nil {
		return err
	}
	stream, ok := resolved.(*Stream)
	if !ok {
		return nil
	}
	if p.left--; p.left < 0 {
		return ErrLimit
	}
	if stream.Dict["Subtype"] != Name("Form") {
		var s subpath
		for _, at := range [4][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}} {
			s.add(now.space.apply(at[0], at[1]))
		}
		p.add(s.bounds, PaintedShape, now.clip)
		return nil
	}
	if depth == formDepth {
		return nil
	}
	data, err := p.d.Data(p.f, stream, maxContent)
	if err != nil {
		return err
	}
	own, err := p.d.matrixOf(p.f, stream.Dict["Matrix"])
	if err != nil {
		return err
	}
	now.space = own.times(now.space)
	if box, err := p.d.Array(p.f, stream.Dict["BBox"]); err != nil {
		return err
	} else if len(box) == 4 {
		var v [4]float64
		for i, o := range box {
			v[i], _ = Number(o)
		}
		var s subpath
		for _, at := range [4][2]float64{{v[0], v[1]}, {v[2], v[1]}, {v[2], v[3]}, {v[0], v[3]}} {
			s.add(now.space.apply(at[0], at[1]))
		}
		now.clip = now.clip.within(s.bounds)
	}
	var resources Object = around
	if own := stream.Dict["Resources"]; own != nil {
		resources = own
	}
	return p.content(data, resources, now, depth+1)
}
