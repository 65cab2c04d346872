package textlayer

import (
	"math"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/selector"
)

// The structure of a run: the names that it is within, each with two bits, and
// then its numbers. Most runs are within the same names as the previous run;
// these are not written again.
const (
	nameIsNone = iota
	nameIsSame
	nameIsNew
)

const nameBits = 2

// names returns the names that a location is within.
func names(loc *citekit.Location) []*string {
	return []*string{(*string)(&loc.Modality), &loc.Member, &loc.Part, &loc.Table, &loc.Sheet}
}

// The numbers that a run may have.
const (
	hasMessage = 1 << (nameBits*5 + iota)
	hasBlocks
	hasCells
	hasRows
	hasCols
	hasSameCols
	structureBits = iota + nameBits*5
)

// isStructured reports whether a location selects by the structure of a text.
func isStructured(loc citekit.Location) bool {
	return loc.Member != "" || loc.Part != "" || loc.Table != "" || loc.Sheet != "" || loc.Message != 0 ||
		!loc.Blocks.IsZero() || !loc.Cells.IsZero() || !loc.Rows.IsZero() || len(loc.Cols) > 0
}

// structure writes the structure of a location relative to the previous one.
func (e encoder) structure(before, loc citekit.Location) {
	has := int64(0)
	last := names(&before)
	for i, name := range names(&loc) {
		state := int64(nameIsNew)
		if *name == "" {
			state = nameIsNone
		} else if *name == *last[i] {
			state = nameIsSame
		}
		has |= state << (nameBits * i)
	}
	for i, there := range []bool{loc.Message != 0, !loc.Blocks.IsZero(), !loc.Cells.IsZero(), !loc.Rows.IsZero(), len(loc.Cols) > 0} {
		if there {
			has |= hasMessage << i
		}
	}
	sameCols := slices.Equal(before.Cols, loc.Cols)
	if has&hasCols != 0 && sameCols {
		has |= hasSameCols
	}
	e.uint(has)
	for i, name := range names(&loc) {
		if has>>(nameBits*i)&3 == nameIsNew {
			e.text(*name)
		}
	}
	if has&hasMessage != 0 {
		e.int(loc.Message - before.Message)
	}
	for _, r := range []struct {
		bit          int64
		before, here citekit.Range
	}{{hasBlocks, before.Blocks, loc.Blocks}, {hasRows, before.Rows, loc.Rows}} {
		if has&r.bit != 0 {
			e.int(r.here.First - r.before.Last)
			e.uint(int64(r.here.Len() - 1))
		}
	}
	if has&hasCells != 0 {
		c := loc.Cells
		e.int(int(c.First.Row - before.Cells.Last.Row))
		e.uint(int64(c.Last.Row - c.First.Row))
		e.uint(int64(c.First.Col))
		e.uint(int64(c.Last.Col - c.First.Col))
	}
	if has&hasCols != 0 && !sameCols {
		e.uint(int64(len(loc.Cols)))
		for _, col := range loc.Cols {
			e.text(col)
		}
	}
}

// structure reads the structure of a location, stored relative to the previous
// one.
func (d *decoder) structure(before citekit.Location, loc *citekit.Location) {
	has := d.uint(1<<structureBits - 1)
	last := names(&before)
	for i, name := range names(loc) {
		switch has >> (nameBits * i) & 3 {
		case nameIsSame:
			*name = *last[i]
		case nameIsNew:
			*name = d.text()
		}
	}
	if has&hasMessage != 0 {
		loc.Message = d.from(before.Message)
	}
	if has&hasBlocks != 0 {
		loc.Blocks = d.lines(before.Blocks.Last)
	}
	if has&hasRows != 0 {
		loc.Rows = d.lines(before.Rows.Last)
	}
	if has&hasCells != 0 {
		rows := d.lines(int(before.Cells.Last.Row))
		col := int32(d.uint(selector.MaxCol))
		width := int32(d.uint(selector.MaxCol))
		if rows.Last > selector.MaxRow || rows.First < 1 {
			d.fail()
			return
		}
		loc.Cells = citekit.Cells{
			First: citekit.Cell{Col: col, Row: int32(rows.First)},
			Last:  citekit.Cell{Col: col + width, Row: int32(rows.Last)},
		}
	}
	switch {
	case has&hasSameCols != 0:
		loc.Cols = before.Cols
	case has&hasCols != 0:
		n := d.uint(int64(len(d.rest)))
		for range n {
			loc.Cols = append(loc.Cols, d.text())
		}
	}
}

// isWithin reports whether two locations are within the same message, part,
// table, sheet and member.
func isWithin(a, b citekit.Location) bool {
	return a.Member == b.Member && a.Message == b.Message && a.Part == b.Part && a.Table == b.Table && a.Sheet == b.Sheet
}

// unionStructure returns a with the structure of the smallest location that
// contains a and b. For example, a location in two messages has no part and no
// lines.
func unionStructure(a, b citekit.Location) citekit.Location {
	switch {
	case a.Member != b.Member:
		return citekit.Location{}
	case a.Message != b.Message:
		return citekit.Location{Modality: a.Modality, Member: a.Member}
	case a.Part != b.Part || a.Table != b.Table || a.Sheet != b.Sheet:
		a.Part, a.Table, a.Sheet = commonPart(a, b), "", ""
		a.Lines, a.Blocks, a.Rows, a.Cells, a.Cols = citekit.Range{}, citekit.Range{}, citekit.Range{}, citekit.Cells{}, nil
		return a
	}
	if a.Blocks != b.Blocks && a.Sheet == "" || a.Cells.IsZero() || b.Cells.IsZero() {
		a.Cells = citekit.Cells{}
	} else {
		a.Cells = unionCells(a.Cells, b.Cells)
	}
	a.Blocks, a.Rows = unionRange(a.Blocks, b.Blocks), unionRange(a.Rows, b.Rows)
	if !slices.Equal(a.Cols, b.Cols) {
		a.Cols = nil
	}
	return a
}

// commonPart returns the part of a message, or the run of parts of a book, that
// contains two others, or "".
func commonPart(a, b citekit.Location) string {
	if a.Modality != citekit.Text {
		return commonParts(a.Parts(), b.Parts())
	}
	x, y := strings.Split(a.Part, "."), strings.Split(b.Part, ".")
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return strings.Join(x[:n], ".")
}

func commonParts(a, b citekit.Range) string {
	if a.IsZero() || b.IsZero() {
		return ""
	}
	return unionRange(a, b).String()
}

func unionRange(a, b citekit.Range) citekit.Range {
	if a.IsZero() || b.IsZero() {
		return citekit.Range{}
	}
	return citekit.Range{First: min(a.First, b.First), Last: max(a.Last, b.Last)}
}

func unionCells(a, b citekit.Cells) citekit.Cells {
	return citekit.Cells{
		First: citekit.Cell{Col: min(a.First.Col, b.First.Col), Row: min(a.First.Row, b.First.Row)},
		Last:  citekit.Cell{Col: max(a.Last.Col, b.Last.Col), Row: max(a.Last.Row, b.Last.Row)},
	}
}

// overlapStructure reports whether a run overlaps a location in structure.
func overlapStructure(r, loc citekit.Location) bool {
	return overlapMember(r.Member, loc) && overlapPart(r, loc) &&
		(loc.Table == "" || r.Table == loc.Table) && (loc.Sheet == "" || r.Sheet == loc.Sheet) &&
		(loc.Message == 0 || r.Message == loc.Message) &&
		overlapLines(r.Blocks, loc.Blocks) && overlapLines(rowsOf(r), rowsOf(loc)) && overlapCols(r, loc)
}

// overlapPart reports whether a run may be in the part of a location: in that
// part, in a part inside it, or in some of the parts of a book.
func overlapPart(r, loc citekit.Location) bool {
	if loc.Part == "" || r.Part == loc.Part || strings.HasPrefix(r.Part, loc.Part+".") {
		return true
	}
	x, y := r.Parts(), loc.Parts()
	return !x.IsZero() && !y.IsZero() && overlapLines(x, y)
}

// rowsOf returns the rows that a location selects, by number or by cells.
func rowsOf(loc citekit.Location) citekit.Range {
	if c := loc.Cells; !c.IsZero() {
		return citekit.Range{First: int(c.First.Row), Last: int(c.Last.Row)}
	}
	return loc.Rows
}

// colsOf returns the columns that a location selects in a sheet or by cells.
func colsOf(loc citekit.Location) citekit.Range {
	if c := loc.Cells; !c.IsZero() {
		return citekit.Range{First: int(c.First.Col), Last: int(c.Last.Col)}
	}
	if loc.Sheet == "" {
		return citekit.Range{}
	}
	first, last := loc.SheetCols()
	return citekit.Range{First: first, Last: last}
}

func overlapCols(r, loc citekit.Location) bool { return overlapLines(colsOf(r), colsOf(loc)) }

// countAlike reports whether the lines of a run and of a location are counted from
// the same start: that of the source, or of the same message and part.
func countAlike(r, loc citekit.Location) bool { return r.Part == loc.Part && r.Message == loc.Message }

// splits reports whether a location selects only some rows, blocks, cells,
// columns or parts of a run, so that the text of the run may contain more.
func splits(loc, r citekit.Location) bool {
	if !loc.Lines.IsZero() && !countAlike(r, loc) {
		return true
	}
	if loc.Cells.IsZero() && len(loc.Cols) == 0 && loc.Rows.IsZero() && loc.Blocks.IsZero() && loc.Part == r.Part {
		return false
	}
	loc.Modality, r.Modality = "", ""
	return !loc.Contains(r)
}

var maxBound = citekit.Extent{
	Pages: 0, Lines: 0, Duration: math.MaxFloat64, Sheets: math.MaxInt, Rows: math.MaxInt, Parts: math.MaxInt,
	Messages: math.MaxInt, Tables: math.MaxInt, Members: math.MaxInt,
}
