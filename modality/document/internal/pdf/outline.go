package pdf

import (
	"cmp"
	"errors"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
)

const (
	maxTitle = 500 // bytes; a longer text is not a title, or part of the running text

	// topOfPage is the part of the height of a page within which a section
	// counts as beginning at the top, if the text there is unknown.
	topOfPage = 0.1
)

// An entry is a section whose end is not yet known: an entry of an outline, or
// a heading.
type entry struct {
	title string
	depth int     // from 0
	page  int     // from 1; 0 if it does not lead to a page
	top   float64 // its beginning, as a fraction of the height of the page; -1 if unknown

	// inside reports that other text stands, or may stand, above it on its
	// page.
	inside bool
}

// entriesOf makes entries from the items of an outline. If lenient is true, it
// accepts pages whose measures cannot be read.
func entriesOf(d *pdf.Document, f *pdf.File, items []pdf.OutlineItem, lenient bool) ([]entry, error) {
	frames := map[int]frame{}
	var entries []entry
	for _, item := range items {
		e := entry{title: cleanTitle(item.Title), depth: item.Depth, page: item.Page + 1, top: -1}
		if item.Page >= 0 {
			shown, ok := frames[item.Page]
			if !ok {
				var err error
				shown, err = frameOf(d, f, item.Page)
				if lenient && errors.Is(err, pdf.ErrDamaged) {
					shown, err = letter, nil
				}
				if err != nil {
					return nil, err
				}
				frames[item.Page] = shown
			}
			e.top = shown.topOf(item.View)
			e.inside = e.top < 0 || e.top > topOfPage
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// A frame is the displayed area of a page, in its own space.
type frame struct {
	left, bottom, right, top float64
	rotate                   int // degrees clockwise, 0 to 270
}

// letter is the frame of a page without a frame of its own.
var letter = frame{0, 0, 612, 792, 0}

func frameOf(d *pdf.Document, f *pdf.File, index int) (frame, error) {
	page, err := d.PageDict(f, index)
	if err != nil {
		return frame{}, err
	}
	shown := letter
	for _, key := range []pdf.Name{"MediaBox", "CropBox"} {
		box, err := d.Array(f, page[key])
		if err != nil {
			return frame{}, err
		}
		var v [4]float64
		ok := len(box) == 4
		for i := 0; ok && i < 4; i++ {
			v[i], ok = pdf.Number(box[i])
		}
		if ok && v[0] != v[2] && v[1] != v[3] {
			shown = frame{min(v[0], v[2]), min(v[1], v[3]), max(v[0], v[2]), max(v[1], v[3]), 0}
		}
	}
	rotate, err := d.Resolve(f, page["Rotate"])
	if degrees, ok := rotate.(int64); ok {
		shown.rotate = int((degrees%360 + 360) % 360)
	}
	return shown, err
}

// topOf returns the top of the view of a destination, as a fraction of the
// height of the page as displayed; -1 if the destination does not give it
// (12.3.2.2).
func (p frame) topOf(view pdf.Array) float64 {
	if len(view) == 0 {
		return 0
	}
	x, y := pdf.Object(nil), pdf.Object(nil)
	switch view[0] {
	case pdf.Name("Fit"), pdf.Name("FitB"):
		return 0
	case pdf.Name("XYZ"):
		x, y = at(view, 1), at(view, 2)
	case pdf.Name("FitH"), pdf.Name("FitBH"):
		y = at(view, 1)
	case pdf.Name("FitV"), pdf.Name("FitBV"):
		x = at(view, 1)
	case pdf.Name("FitR"):
		x, y = at(view, 1), at(view, 4)
	}
	return p.fraction(x, y)
}

func at(a pdf.Array, i int) pdf.Object {
	if i < len(a) {
		return a[i]
	}
	return nil
}

// fraction returns the distance of a point from the top; it depends on one
// coordinate only.
func (p frame) fraction(x, y pdf.Object) float64 {
	coordinate, low, high, down := y, p.bottom, p.top, false
	switch p.rotate {
	case 90:
		coordinate, low, high, down = x, p.left, p.right, true
	case 180:
		down = true
	case 270:
		coordinate, low, high = x, p.left, p.right
	}
	v, ok := pdf.Number(coordinate)
	if !ok {
		return -1
	}
	from := (v - low) / (high - low)
	if !down {
		from = 1 - from
	}
	return min(max(from, 0), 1)
}

// cleanTitle returns text in one line, without invisible characters, cut at a
// word.
func cleanTitle(text string) string { return plain.Words(text, maxTitle) }

// coarse returns the entries of as many levels as fit into a map; nil if not
// even one fits.
func coarse(entries []entry) []entry {
	var levels []int // number of entries of each level
	for _, e := range entries {
		for len(levels) <= e.depth {
			levels = append(levels, 0)
		}
		levels[e.depth]++
	}
	total, depth := 0, 0
	for depth < len(levels) && total+levels[depth] <= about.MaxMappedNodes {
		total += levels[depth]
		depth++
	}
	if depth == len(levels) {
		return entries
	}
	if depth == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return e.depth >= depth })
}

// A section is an unfinished node.
type section struct {
	entry
	first, last int
	isRun       bool // it is only a run of pages
	node        *citekit.Node
	children    []*section
	parent      *section // nil at the top
}

// arrange makes a tree from entries and finds the pages of each.
func arrange(entries []entry, pages int) []*section {
	all := make([]*section, len(entries))
	for i, e := range entries {
		all[i] = &section{entry: e}
	}
	roots := tree(all)
	for _, s := range roots {
		s.inherit()
	}
	setEnds(all, pages)
	whole := citekit.Range{First: 1, Last: pages}
	for _, s := range roots {
		s.cover()
		s.settle(whole)
	}
	return roots
}

// tree gathers sections below the last one that is less deep.
func tree(all []*section) (roots []*section) {
	var open []*section
	for _, s := range all {
		for len(open) > 0 && open[len(open)-1].depth >= s.depth {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			roots = append(roots, s)
		} else {
			above := open[len(open)-1]
			above.children = append(above.children, s)
			s.parent = above
		}
		open = append(open, s)
	}
	return roots
}

// inherit gives a section without a page the beginning of the first of its
// children that has one.
func (s *section) inherit() {
	for _, child := range s.children {
		child.inherit()
		if s.page == 0 && child.page != 0 {
			s.page, s.top, s.inside = child.page, child.top, child.inside
		}
	}
}

// setEnds finds the ends of sections: where the next section of their level or
// above begins. If that is on an earlier page or missing, or the section itself
// is on an earlier page than its parent, the nearest later beginning of such a
// level is used: not all outlines are in the order of the pages.
func setEnds(all []*section, pages int) {
	starts := &startFinder{all: all}
	var following []*section // candidates, the nearest last
	for i := len(all) - 1; i >= 0; i-- {
		s := all[i]
		if s.page == 0 {
			continue
		}
		for len(following) > 0 && following[len(following)-1].depth > s.depth {
			following = following[:len(following)-1]
		}
		var next *section
		if n := len(following); n > 0 {
			next = following[n-1]
		}
		if next == nil || next.page < s.page || s.parent != nil && s.parent.page > s.page {
			next = starts.after(s)
		}
		s.first, s.last = s.page, endBefore(s, next, pages)
		following = append(following, s)
	}
}

// endBefore returns the last page of s if next follows it; nil means that no
// section follows.
func endBefore(s, next *section, pages int) int {
	switch {
	case next == nil:
		return pages
	case next.inside:
		return next.page
	}
	return max(next.page-1, s.page)
}

// A startFinder finds beginnings of sections by page.
type startFinder struct {
	all   []*section
	depth map[int][]*section // sections up to a depth, sorted by page
}

// after returns the section of the level of s or above that begins on the
// nearest later page, or nil.
func (f *startFinder) after(s *section) *section {
	sorted, ok := f.depth[s.depth]
	if !ok {
		for _, other := range f.all {
			if other.page != 0 && other.depth <= s.depth {
				sorted = append(sorted, other)
			}
		}
		slices.SortStableFunc(sorted, func(a, b *section) int { return cmp.Compare(a.page, b.page) })
		if f.depth == nil {
			f.depth = map[int][]*section{}
		}
		f.depth[s.depth] = sorted
	}
	i, _ := slices.BinarySearchFunc(sorted, s.page+1, func(other *section, page int) int { return cmp.Compare(other.page, page) })
	if i == len(sorted) {
		return nil
	}
	return sorted[i]
}

// cover widens a section to the end of its children. It keeps its own
// beginning: children that an outline puts on earlier pages stay outside.
func (s *section) cover() {
	for _, child := range s.children {
		child.cover()
		if child.first == 0 {
			continue
		}
		if s.first == 0 {
			s.first, s.last = child.first, child.last
		}
		s.last = max(s.last, child.last)
	}
}

// settle gives sections without pages those of their parent.
func (s *section) settle(parent citekit.Range) {
	if s.first == 0 {
		s.first, s.last = parent.First, parent.Last
	}
	for _, child := range s.children {
		child.settle(citekit.Range{First: s.first, Last: s.last})
	}
}
