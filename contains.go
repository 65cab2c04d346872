package citekit

import (
	"math"
	"slices"
	"strings"
)

// Contains reports whether inner lies inside l. Both must be valid locations of
// one source. A location that selects everything contains every other; a page
// contains a box on it. For locations of different modalities Contains returns
// true, because they cannot be compared. Ends of time may differ by a tenth of
// a second.
func (l Location) Contains(inner Location) bool {
	switch {
	case l.Member != "" && !containsMember(l.Member, inner.Member):
		return false
	case l.Modality != inner.Modality || l.IsWhole():
		return true
	case l.Member != "" && l.Member != inner.Member:
		return l.In("").IsWhole()
	case inner.IsWhole():
		return false
	}
	return containsPages(l, inner) &&
		containsNamed(l, inner) &&
		containsRange(l.Blocks, inner.Blocks) && (!inner.Cells.IsZero() || containsRange(l.Rows, inner.Rows)) && l.containsCells(inner) &&
		(l.Lines.IsZero() || l.Lines.First <= inner.Lines.First && inner.Lines.Last <= l.Lines.Last) &&
		(l.Time.IsZero() || containsTime(l.Time, inner.Time)) &&
		(l.Box.IsZero() || containsBox(l.Box, inner.Box))
}

// Widened returns l without the selectors that divide a run of text: a box
// becomes its page, cells of a table become the block of the table, cells of a
// sheet become their rows, and columns are left out. Other locations are
// returned unchanged, as are boxes of images.
func (l Location) Widened() Location {
	if l.Modality != Image {
		l.Box = Box{}
	}
	if c := l.Cells; !c.IsZero() && l.Sheet != "" {
		l.Rows = Range{int(c.First.Row), int(c.Last.Row)}
	}
	l.Cells, l.Cols = Cells{}, nil
	return l
}

// containsPages reports whether every page of inner is one of outer. The runs
// of both are sorted and apart.
func containsPages(outer, inner Location) bool {
	if len(outer.Pages) == 0 {
		return true
	}
	i := 0
	for _, run := range inner.Pages {
		for i < len(outer.Pages) && outer.Pages[i].Last < run.First {
			i++
		}
		if i == len(outer.Pages) || run.First < outer.Pages[i].First || run.Last > outer.Pages[i].Last {
			return false
		}
	}
	return len(inner.Pages) > 0
}

func containsTime(outer, inner Span) bool {
	end := func(s Span) float64 {
		if s.End == 0 {
			return math.Inf(1)
		}
		return s.End
	}
	return outer.Start <= inner.Start+timeSlack && end(inner) <= end(outer)+timeSlack
}

func containsBox(outer, inner Box) bool {
	const rounding = 1e-6
	return !inner.IsZero() && outer.X1 <= inner.X1+rounding && outer.Y1 <= inner.Y1+rounding &&
		inner.X2 <= outer.X2+rounding && inner.Y2 <= outer.Y2+rounding
}

// containsNamed reports whether what outer names, as a sheet, inner names too,
// or a part of that part.
func containsNamed(outer, inner Location) bool {
	same := func(outer, inner string) bool { return outer == "" || outer == inner }
	return containsMember(outer.Member, inner.Member) && containsPart(outer, inner) &&
		same(outer.Sheet, inner.Sheet) && same(outer.Table, inner.Table) && (outer.Message == 0 || outer.Message == inner.Message)
}

// containsMember reports whether a member is another, is in it, or lies in a
// folder that ends with "/".
func containsMember(outer, inner string) bool {
	return outer == "" || outer == inner || strings.HasPrefix(inner, outer+MemberSeparator) ||
		strings.HasSuffix(outer, "/") && strings.HasPrefix(inner, outer)
}

func containsRange(outer, inner Range) bool {
	return outer.IsZero() || outer.First <= inner.First && inner.Last <= outer.Last
}

// containsCells reports whether the cells of inner, or its rows or columns of a
// sheet, are among those of l.
func (l Location) containsCells(inner Location) bool {
	if !l.Cells.IsZero() {
		return !inner.Cells.IsZero() && l.Cells.contains(inner.Cells)
	}
	if !inner.Cells.IsZero() { // in whole rows or columns
		first, last := l.SheetCols()
		return (l.Rows.IsZero() || containsRange(l.Rows, Range{int(inner.Cells.First.Row), int(inner.Cells.Last.Row)})) &&
			(len(l.Cols) == 0 || first <= int(inner.Cells.First.Col) && int(inner.Cells.Last.Col) <= last)
	}
	if len(l.Cols) == 0 {
		return true
	}
	if first, last := l.SheetCols(); l.Sheet != "" {
		from, to := inner.SheetCols()
		return from > 0 && first <= from && to <= last
	}
	return len(inner.Cols) > 0 && !slices.ContainsFunc(inner.Cols, func(col string) bool { return !slices.Contains(l.Cols, col) })
}
