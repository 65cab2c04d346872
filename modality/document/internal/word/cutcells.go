package word

import (
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// tableOf returns the outer table of a block: the block itself, or the first table in
// a content control.
func (d *docx) tableOf(b block) (span, bool) {
	switch b.kind {
	case "tbl":
		return b.span, true
	case "sdt", "customXml":
	default:
		return span{}, false
	}
	s := d.scope.Fragment(b.pos, b.stop)
	for range s.Starts() {
		switch {
		case s.Is("w", "tbl"):
			pos := s.Pos
			s.Skip()
			return span{pos, s.Stop}, true
		case s.Is("w", "p"), isUnread(s):
			s.Skip()
		}
	}
	return span{}, false
}

func (d *docx) tableSize(i int) (rows, cols int, ok bool) {
	at, ok := d.tableOf(d.list[i])
	if !ok {
		return 0, 0, false
	}
	s := d.scope.Fragment(at.pos, at.stop)
	s.Next()
	for s.Next() && s.Depth > 1 {
		switch {
		case s.Kind != xmlspan.Start:
		case s.Is("w", "tr"):
			rows++
			cols = max(cols, rowWidth(s))
		case isUnread(s):
			s.Skip()
		}
	}
	return rows, cols, true
}

// rowWidth reads the current row and returns its width in columns.
func rowWidth(s *xmlspan.Scanner) (cols int) {
	for range s.Starts() {
		switch {
		case s.Is("w", "trPr"):
			cols, _, _ = rowProperties(s)
		case s.Is("w", "tc"):
			cols += cellWidth(s)
		case isUnread(s):
			s.Skip()
		}
	}
	return cols
}

// cellWidth reads the current cell and returns its width in columns.
func cellWidth(s *xmlspan.Scanner) int {
	width := 1
	for range s.Starts() {
		if s.Is("w", "tcPr") {
			width = shapeOf(s).width
			continue
		}
		s.Skip()
	}
	return width
}

// A tableCut collects the edits that reduce a table to some of its cells.
type tableCut struct {
	d     *docx
	s     *xmlspan.Scanner
	cells citekit.Cells
	edits []xmlspan.Edit
}

// cutTable returns the edits that reduce the table at a span to cells.
func (d *docx) cutTable(at span, cells citekit.Cells) []xmlspan.Edit {
	c := &tableCut{d: d, s: d.scope.Fragment(at.pos, at.stop), cells: cells}
	s := c.s
	s.Next()
	row, col := 0, 0
	for s.Next() && s.Depth > 1 {
		switch {
		case s.Kind != xmlspan.Start:
		case s.Is("w", "gridCol"):
			col++
			if col < int(cells.First.Col) || col > int(cells.Last.Col) {
				c.drop()
			}
		case s.Is("w", "tblGridChange"):
			c.drop()
		case s.Is("w", "tr"):
			row++
			if row < int(cells.First.Row) || row > int(cells.Last.Row) {
				c.drop()
			} else {
				c.row(row)
			}
		case s.Is("w", "tblPr"):
			s.Skip()
		}
	}
	return c.edits
}

// drop leaves out the current element.
func (c *tableCut) drop() {
	c.edits = append(c.edits, c.s.Drop())
}

// row cuts the current row. A row without any of the cells keeps an empty cell.
func (c *tableCut) row(row int) {
	s, w := c.s, c.d.prefix
	first, last := int(c.cells.First.Col), int(c.cells.Last.Col)
	col, kept := 1, 0
	for range s.Starts() {
		switch {
		case s.Is("w", "trPr"):
			col += c.rowProperties(first, last)
		case s.Is("w", "tc"):
			at := cell{col: col}
			if at.width = c.width(); at.col+at.width <= first || at.col > last {
				c.drop()
			} else {
				c.cell(at, row)
				kept++
			}
			col += at.width
		case isUnread(s):
			s.Skip()
		}
	}
	if kept == 0 {
		c.edits = append(c.edits, xmlspan.Edit{Pos: s.Pos, Stop: s.Pos, Text: fmt.Sprintf("<%[1]stc><%[1]sp/></%[1]stc>", w)})
	}
}

// width returns the width of the current cell in columns.
func (c *tableCut) width() int {
	s := c.d.scope.Fragment(c.s.Pos, c.d.bodyStop)
	s.Next()
	return cellWidth(s)
}

// rowProperties cuts the current row properties, and returns how many columns of the
// source the row skips before its first cell.
func (c *tableCut) rowProperties(first, last int) (before int) {
	s := c.s
	for range s.Starts() {
		switch s.Local {
		case "gridBefore":
			before = min(max(number(s.Get("w", "val"), 0), 0), maxSpan)
			if left := min(before, last) - first + 1; left > 0 {
				c.set(left)
			} else {
				c.drop()
			}
		case "gridAfter", "wAfter", "wBefore":
			c.drop()
		}
	}
	return before
}

// set makes a number the value of the current element.
func (c *tableCut) set(value int) {
	for a := range c.s.Attrs() {
		if a.Space == "w" && a.Local == "val" {
			c.edits = append(c.edits, xmlspan.Edit{Pos: a.ValuePos, Stop: a.ValueStop, Text: fmt.Sprint(value)})
		}
	}
}

// cell cuts the current cell, some of whose columns are kept. Its content is kept
// only if its first column is.
func (c *tableCut) cell(at cell, row int) {
	s, w := c.s, c.d.prefix
	first, last := int(c.cells.First.Col), int(c.cells.Last.Col)
	width := min(at.col+at.width-1, last) - max(at.col, first) + 1
	content := s.Stop
	for range s.Starts() {
		if s.Is("w", "tcPr") {
			c.cellProperties(width, at.width, row == int(c.cells.First.Row))
			content = s.Stop
			continue
		}
		s.Skip()
	}
	if at.col < first {
		c.edits = append(c.edits, xmlspan.Edit{Pos: content, Stop: s.Pos, Text: fmt.Sprintf("<%sp/>", w)})
	}
}

func (c *tableCut) cellProperties(width, before int, top bool) {
	s := c.s
	for range s.Starts() {
		switch {
		case s.Is("w", "gridSpan") && width != before:
			c.set(width)
		case s.Is("w", "vMerge") && top && s.Get("w", "val") != "restart":
			pos, w := s.Pos, c.d.prefix
			s.Skip()
			c.edits = append(c.edits, xmlspan.Edit{Pos: pos, Stop: s.Stop, Text: fmt.Sprintf(`<%[1]svMerge %[1]sval="restart"/>`, w)})
		case s.Is("w", "tcPrChange"):
			s.Skip()
		}
	}
}
