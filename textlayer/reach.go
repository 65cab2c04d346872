package textlayer

import "github.com/citekit/citekit"

// Reaches reports whether the runs show that a location ends within its source:
// there is text on or behind its last page, line, block, row and column, in the
// member, part, message, sheet or table that it is in. If it is false, the
// location may end in a place without text, or beyond the end. Times are not
// compared: a source may go on behind its last words.
func (l *Layer) Reaches(loc citekit.Location) bool {
	var got lastPlace
	want := cornerOf(loc)
	if loc.Parts().Len() == 1 {
		want.part = 0 // there is text in it, or there is none to compare
	}
	if want == (lastPlace{}) {
		return true
	}
	near := l.near(loc)
	for _, r := range l.runs[near.first:near.end] {
		if !countsIn(r.loc, loc) {
			continue
		}
		c := cornerOf(r.loc)
		got = lastPlace{
			max(got.page, c.page), max(got.line, c.line), max(got.block, c.block),
			max(got.row, c.row), max(got.col, c.col), max(got.part, c.part),
		}
		if want.page <= got.page && want.line <= got.line && want.block <= got.block && want.row <= got.row && want.col <= got.col && want.part <= got.part {
			return true
		}
	}
	return false
}

// A lastPlace is the last number of each kind in a location, or 0.
type lastPlace struct{ page, line, block, row, col, part int }

func cornerOf(loc citekit.Location) lastPlace {
	c := lastPlace{page: lastPage(loc), line: loc.Lines.Last, block: loc.Blocks.Last, row: rowsOf(loc).Last, part: loc.Parts().Last}
	switch {
	case !loc.Cells.IsZero():
		c.col = int(loc.Cells.Last.Col)
	case loc.Sheet != "" && len(loc.Cols) > 0:
		_, c.col = loc.SheetCols()
	}
	return c
}

// countsIn reports whether a run counts from the same start as a location, so that
// their numbers may be compared.
func countsIn(r, loc citekit.Location) bool {
	if r.Member != loc.Member || loc.Modality != "" && r.Modality != loc.Modality || loc.Sheet != "" && r.Sheet != loc.Sheet || loc.Table != "" && r.Table != loc.Table {
		return false
	}
	return r.Message == loc.Message && (r.Part == loc.Part || loc.Parts().Len() > 1)
}
