package textlayer

import (
	"iter"
	"math"
	"sort"
	"strings"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/selector"
)

// A scope is the names that a location is within.
type scope struct {
	member, part, table, sheet string
	message                    int
}

func withinOf(loc *citekit.Location) scope {
	return scope{loc.Member, loc.Part, loc.Table, loc.Sheet, loc.Message}
}

// An area is the runs that are within some names. A run is in an area for each choice
// of its names, so that a location finds its runs without looking at others.
type area struct {
	scope
	first, end int // numbers of runs; those between may be in other areas
	count      int // runs of the area

	measure measure       // the measure of all places, if they never go back; else noMeasure
	last    extent        // of the last run
	strays  bool          // some runs are in members of the member
	mixed   bool          // some are within more names; a part does not count if parts are the measure
	cells   int           // runs that have cells
	cols    citekit.Range // the columns of these
}

// areas are the areas of a text. They are made when they are first needed.
type areas struct {
	once   sync.Once
	of     map[scope]*area
	spread bool // a run is in several parts of a book
}

// mostFolders is how many of the folders around a member have areas.
const mostFolders = 64

func (s *areas) make(runs []run) {
	s.of = make(map[scope]*area)
	var last scope
	var in []*area // of the last run
	for i := range runs {
		loc := &runs[i].loc
		if now := withinOf(loc); i == 0 || now != last {
			in, last = s.around(in[:0], loc), now
		}
		for _, a := range in {
			a.add(i, loc)
		}
	}
}

// around appends the areas of a location to in.
func (s *areas) around(in []*area, loc *citekit.Location) []*area {
	enter := func(w scope) {
		a := s.of[w]
		if a == nil {
			a = &area{scope: w}
			s.of[w] = a
		}
		in = append(in, a)
	}
	s.spread = s.spread || loc.Parts().Len() > 1
	messages := []int{0}
	if loc.Message != 0 {
		messages = append(messages, loc.Message)
	}
	members := outward(loc.Member, selector.MemberSeparator)
	if loc.Member != "" {
		members = members[:len(members)-1] // a location in no member has none of its runs
	}
	for _, member := range members {
		for _, part := range outward(loc.Part, ".") {
			for _, table := range outward(loc.Table, "") {
				for _, sheet := range outward(loc.Sheet, "") {
					for _, message := range messages {
						enter(scope{member, part, table, sheet, message})
					}
				}
			}
		}
	}
	for at := range folders(loc.Member) {
		enter(scope{member: loc.Member[:at]})
	}
	return in
}

// outward returns a name, what it is in, as its separators show, and "".
func outward(name, separator string) []string {
	all := []string{name}
	for separator != "" {
		i := strings.LastIndex(name, separator)
		if i < 0 {
			break
		}
		name = name[:i]
		all = append(all, name)
	}
	if name != "" {
		all = append(all, "")
	}
	return all
}

// add adds the run of a number.
func (a *area) add(i int, loc *citekit.Location) {
	if a.count == 0 {
		a.first = i
	}
	a.end, a.count = i+1, a.count+1
	m, e := a.extentOf(loc)
	if a.count == 1 {
		a.measure = m
	} else if m != a.measure || e.first < a.last.first || e.last < a.last.last {
		a.measure = noMeasure
	}
	a.last = e
	in := withinOf(loc)
	a.strays = a.strays || in.member != a.member
	if a.measure == byParts {
		in.part = a.part
	}
	a.mixed = a.mixed || in != a.scope
	if loc.Cells.IsZero() {
		return
	}
	cols := colsOf(*loc)
	if a.cells++; a.cells > 1 {
		cols = citekit.Range{First: min(a.cols.First, cols.First), Last: max(a.cols.Last, cols.Last)}
	}
	a.cols = cols
}

// A measure is the kind of number that orders places.
type measure byte

const (
	noMeasure measure = iota
	byParts
	byPages
	byBlocks
	byRows
	byLines
	byTime
)

// An extent is the first and the last number of a place.
type extent struct{ first, last float64 }

// extentOf returns the measure of a place in the area, and its extent in that measure.
func (a *area) extentOf(loc *citekit.Location) (measure, extent) {
	of := func(r citekit.Range) extent { return extent{float64(r.First), float64(r.Last)} }
	switch n := len(loc.Pages); {
	case n > 0:
		return byPages, extent{float64(loc.Pages[0].First), float64(loc.Pages[n-1].Last)}
	case loc.Message != a.message:
	case loc.Part != a.part:
		if parts := loc.Parts(); !parts.IsZero() {
			return byParts, of(parts)
		}
	case !loc.Blocks.IsZero():
		return byBlocks, of(loc.Blocks)
	case !rowsOf(*loc).IsZero():
		return byRows, of(rowsOf(*loc))
	case !loc.Lines.IsZero():
		return byLines, of(loc.Lines)
	case !loc.Time.IsZero() && loc.Time.End == 0:
		return byTime, extent{loc.Time.Start, math.Inf(1)}
	case !loc.Time.IsZero():
		return byTime, extent{loc.Time.Start, loc.Time.End}
	}
	return noMeasure, extent{}
}

// isBefore reports whether a place ends before another begins.
func (m measure) isBefore(a, b extent) bool {
	return a.last < b.first || m == byTime && a.last == b.first
}

// A span is the numbers of runs that are to be looked at for a location: from first up
// to end. Those from in up to out need no look, as they are in the location as a whole.
type span struct{ first, end, in, out int }

// near returns the runs to look at for a location: all that overlap it, and few others
// if the places of its area are in order.
func (x *index) near(loc citekit.Location) span {
	x.areas.once.Do(func() { x.areas.make(x.runs) })
	a := x.areas.find(&loc)
	if a == nil {
		return span{}
	}
	all := span{first: a.first, end: a.end}
	if a.count < a.end-a.first { // runs of other areas are between its own
		return all
	}
	by := selectorsOf(&loc)
	if by == 0 && withinOf(&loc) == a.scope {
		if !a.strays || a.scope == (scope{member: a.member}) {
			all.in, all.out = all.first, all.end
		}
		return all
	}
	m, e := a.extentOf(&loc)
	if m == noMeasure || m != a.measure {
		return all
	}
	search := func(is func(extent) bool) int {
		return a.first + sort.Search(a.count, func(i int) bool {
			_, its := a.extentOf(&x.runs[a.first+i].loc)
			return is(its)
		})
	}
	near := span{
		first: search(func(its extent) bool { return !m.isBefore(its, e) }),
		end:   search(func(its extent) bool { return m.isBefore(e, its) }),
	}
	near.end = max(near.first, near.end)
	switch {
	case a.mixed:
	case by == 1<<m, by == 0 && m == byParts,
		by == 1<<m|byCells && a.cells == a.count && containsCols(loc, a.cols):
		near.in = max(near.first, search(func(its extent) bool { return its.first >= e.first }))
		near.out = max(near.in, min(near.end, search(func(its extent) bool { return its.last > e.last })))
	}
	return near
}

// find returns the area that has all runs that overlap a location, or nil if there are
// none.
func (s *areas) find(loc *citekit.Location) *area {
	w := withinOf(loc)
	if strings.HasSuffix(w.member, "/") {
		w = scope{member: folder(w.member)}
	}
	parts := !loc.Parts().IsZero()
	if a := s.of[w]; a != nil && !(parts && s.spread) || !parts {
		return a
	}
	w.part = ""
	return s.of[w]
}

// folder returns the folder around a name that has an area: the name itself, if it is a
// folder that is not too deep.
func folder(name string) string {
	end := 0
	for at := range folders(name) {
		end = at
	}
	return name[:end]
}

// folders yields the lengths of the names of the folders around a name, the outermost
// first.
func folders(name string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at, n := 0, 0; n < mostFolders; n++ {
			i := strings.IndexByte(name[at:], '/')
			if at += i + 1; i < 0 || !yield(at) {
				return
			}
		}
	}
}

// Selectors other than names, as bits: 1<<m for that of a measure m, byCells in addition
// to that of rows, and byOther.
const (
	byCells = 1 << (byTime + 1 + iota)
	byOther
)

func selectorsOf(loc *citekit.Location) (by int) {
	for _, selector := range [...]struct {
		bit int
		has bool
	}{
		{1 << byPages, len(loc.Pages) > 0},
		{1 << byBlocks, !loc.Blocks.IsZero()},
		{1 << byRows, !loc.Rows.IsZero() || !loc.Cells.IsZero()},
		{1 << byLines, !loc.Lines.IsZero()},
		{1 << byTime, !loc.Time.IsZero()},
		{byCells, !loc.Cells.IsZero()},
		{byOther, len(loc.Pages) > 1 || len(loc.Cols) > 0 || !loc.Box.IsZero()},
	} {
		if selector.has {
			by |= selector.bit
		}
	}
	return by
}

func containsCols(loc citekit.Location, cols citekit.Range) bool {
	c := colsOf(loc)
	return c.First <= cols.First && cols.Last <= c.Last
}
