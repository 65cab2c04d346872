package selector

import (
	"math"
	"slices"
	"strings"
)

// Contains reports whether inner, which may be zero, lies inside r. The zero Run
// contains every other.
func (r Run) Contains(inner Run) bool {
	return r.IsZero() || r.First <= inner.First && inner.Last <= r.Last
}

// Contains reports whether every page of inner is one of p. The runs of both are sorted
// and apart.
func (p Pages[R]) Contains(inner Pages[R]) bool {
	if len(p) == 0 {
		return true
	}
	i := 0
	for _, next := range inner {
		for i < len(p) && Run(p[i]).Last < Run(next).First {
			i++
		}
		if i == len(p) || !Run(p[i]).Contains(Run(next)) {
			return false
		}
	}
	return len(inner) > 0
}

// Contains reports whether inner lies inside s, whose ends may differ by slack seconds.
func (s Span) Contains(inner Span, slack float64) bool {
	end := func(s Span) float64 {
		if s.End == 0 {
			return math.Inf(1)
		}
		return s.End
	}
	return s.IsZero() || s.Start <= inner.Start+slack && end(inner) <= end(s)+slack
}

// Contains reports whether inner lies inside b.
func (b Box) Contains(inner Box) bool {
	const rounding = 1e-6
	return b.IsZero() || !inner.IsZero() && b.X1 <= inner.X1+rounding && b.Y1 <= inner.Y1+rounding &&
		inner.X2 <= b.X2+rounding && inner.Y2 <= b.Y2+rounding
}

// Contains reports whether a part is another, is of a run of parts, or has the other in
// it.
func (p Part) Contains(inner Part) bool {
	if p == "" || p == inner || strings.HasPrefix(string(inner), string(p)+".") {
		return true
	}
	return !inner.Run().IsZero() && !p.Run().IsZero() && p.Run().Contains(inner.Run())
}

// ContainsMember reports whether a member is another, is in it, or lies in a folder that
// ends with "/".
func ContainsMember(outer, inner string) bool {
	return outer == "" || outer == inner || strings.HasPrefix(inner, outer+MemberSeparator) ||
		strings.HasSuffix(outer, "/") && strings.HasPrefix(inner, outer)
}

// Has reports whether c contains the cell. The zero Cells contain every cell.
func (c Cells[C]) Has(cell C) bool {
	first, last, is := Cell(c.First), Cell(c.Last), Cell(cell)
	return c.IsZero() || first.Col <= is.Col && is.Col <= last.Col && first.Row <= is.Row && is.Row <= last.Row
}

// A Grid is what a location selects of a sheet or a table.
type Grid[C ~struct{ Col, Row int32 }] struct {
	Cells  Cells[C]
	Rows   Run
	Cols   Columns
	Sheets bool // Cols are letters
}

// Contains reports whether the cells, or the rows or columns, of inner are among those
// of g.
func (g Grid[C]) Contains(inner Grid[C]) bool {
	if !g.Cells.IsZero() {
		return !inner.Cells.IsZero() && g.Cells.Has(inner.Cells.First) && g.Cells.Has(inner.Cells.Last)
	}
	first, last := g.Cols.Letters()
	if !inner.Cells.IsZero() { // in whole rows or columns
		from, to := Cell(inner.Cells.First), Cell(inner.Cells.Last)
		return g.Rows.Contains(Run{int(from.Row), int(to.Row)}) &&
			(len(g.Cols) == 0 || first <= int(from.Col) && int(to.Col) <= last)
	}
	if !g.Rows.Contains(inner.Rows) {
		return false
	}
	if len(g.Cols) == 0 {
		return true
	}
	if g.Sheets {
		from, to := inner.Cols.Letters()
		return from > 0 && first <= from && to <= last
	}
	return len(inner.Cols) > 0 && !slices.ContainsFunc(inner.Cols, func(col string) bool { return !slices.Contains(g.Cols, col) })
}
