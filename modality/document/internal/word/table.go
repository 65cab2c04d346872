package word

import (
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// maxSpan is the largest number of columns that a cell takes.
const maxSpan = 1 << 8

// A cell is the position of a table cell: its first column, from 1, and its width in
// columns of the grid.
type cell struct{ col, width int }

// table writes the table whose Start is the current token: a line for each row, with
// a tab before each column except the first. A cell that takes several columns has
// its text in the first.
func (t *texter) table(s *xmlspan.Scanner) {
	row := 0
	for range s.Starts() {
		switch {
		case s.Is("w", "tr"):
			row++
			t.row(s, row)
		case isUnread(s):
			s.Skip()
		}
	}
}

func (t *texter) row(s *xmlspan.Scanner, row int) {
	if c := t.cells; !c.IsZero() && (row < int(c.First.Row) || row > int(c.Last.Row)) {
		s.Skip()
		return
	}
	var line []string
	add := func(col int, text string) {
		if col < 1 || !t.cells.Has(citekit.Cell{Col: int32(col), Row: int32(row)}) {
			return
		}
		line = append(line, text)
	}
	col := 1
	for range s.Starts() {
		switch {
		case s.Is("w", "trPr"):
			for range gridBefore(s) {
				add(col, "")
				col++
			}
		case s.Is("w", "tc"):
			width, text := t.cell(s)
			for i := range width {
				if i > 0 {
					text = ""
				}
				add(col, text)
				col++
			}
		case isUnread(s):
			s.Skip()
		}
	}
	t.out.WriteString(strings.Join(line, "\t") + "\n")
}

// gridBefore reads the current trPr and returns how many columns the row skips before
// its first cell.
func gridBefore(s *xmlspan.Scanner) (n int) {
	for range s.Starts() {
		if s.Is("w", "gridBefore") {
			n = number(s.Get("w", "val"), 0)
		}
	}
	return min(max(n, 0), maxSpan)
}

// cell reads the current tc and returns its width in columns and its text on one
// line.
func (t *texter) cell(s *xmlspan.Scanner) (width int, text string) {
	inner := &texter{d: t.d, chunks: t.chunks}
	width = 1
	for range s.Starts() {
		switch {
		case s.Is("w", "tcPr"):
			width = gridSpan(s)
		case s.Is("w", "p"):
			inner.paragraph(s)
		case s.Is("w", "tbl"):
			inner.table(s)
		case s.Is("w", "altChunk"):
			inner.chunk(s)
		case isUnread(s):
			s.Skip()
		}
	}
	t.notes, t.marks = append(t.notes, inner.notes...), append(t.marks, inner.marks...)
	return width, strings.Join(strings.Fields(inner.out.String()), " ")
}

// gridSpan reads the current tcPr and returns the width of the cell in columns.
func gridSpan(s *xmlspan.Scanner) int {
	width := 1
	for range s.Starts() {
		if s.Is("w", "gridSpan") {
			width = number(s.Get("w", "val"), 1)
		}
	}
	return min(max(width, 1), maxSpan)
}
