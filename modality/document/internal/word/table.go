package word

import (
	"cmp"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/internal/docfile"
	"github.com/citekit/citekit/preview"
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
	row, style := 0, ""
	for range s.Starts() {
		switch {
		case s.Is("w", "tblPr"):
			for range s.Starts() {
				if s.Is("w", "tblStyle") {
					style = s.Get("w", "val")
				}
			}
		case s.Is("w", "tr"):
			row++
			t.row(s, row, style)
		case isUnread(s):
			s.Skip()
		}
	}
}

func (t *texter) row(s *xmlspan.Scanner, row int, style string) {
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
	col, of := 1, tableParts(0)
	for range s.Starts() {
		switch {
		case s.Is("w", "trPr"):
			before, header, parts := rowProperties(s)
			of = parts
			for range before {
				add(col, "")
				col++
			}
			t.made.row(row, header)
		case s.Is("w", "tc"):
			c, text := t.cell(s, style, of)
			t.made.cell(row, col, c, text)
			for i := range c.width {
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

// rowProperties reads the current trPr and returns how many columns the row skips before
// its first cell, whether the row is repeated on each page, and the parts of the table that
// it belongs to.
func rowProperties(s *xmlspan.Scanner) (before int, header bool, parts tableParts) {
	for range s.Starts() {
		switch {
		case s.Is("w", "cnfStyle"):
			parts = readParts(s)
		case s.Is("w", "gridBefore"):
			before = number(s.Get("w", "val"), 0)
		case s.Is("w", "tblHeader"):
			header = isOn(cmp.Or(s.Get("w", "val"), "1"))
		}
	}
	return min(max(before, 0), maxSpan), header, parts
}

// tableParts are the parts of a table that a row or a cell belongs to: a bit for each of
// partNames.
type tableParts uint16

// partNames are the parts of tables that styles know, with the attributes of cnfStyle that
// tell them, in the order of its bits (ECMA-376, part 1, section 17.4.7).
var partNames = [...][2]string{
	{"firstRow", "firstRow"}, {"lastRow", "lastRow"}, {"firstCol", "firstColumn"}, {"lastCol", "lastColumn"},
	{"band1Vert", "oddVBand"}, {"band2Vert", "evenVBand"}, {"band1Horz", "oddHBand"}, {"band2Horz", "evenHBand"},
	{"neCell", "firstRowLastColumn"}, {"nwCell", "firstRowFirstColumn"}, {"seCell", "lastRowLastColumn"}, {"swCell", "lastRowFirstColumn"},
}

// readParts reads the current cnfStyle.
func readParts(s *xmlspan.Scanner) (parts tableParts) {
	bits := s.Get("w", "val")
	for i, name := range partNames {
		if i < len(bits) && bits[i] == '1' || isOn(s.Get("w", name[1])) {
			parts |= 1 << i
		}
	}
	return parts
}

// partOrder are indexes of partNames, those first whose style precedes.
var partOrder = [...]int{8, 9, 10, 11, 2, 3, 0, 1, 6, 7, 4, 5}

// names returns the names of parts, those first whose style precedes.
func (p tableParts) names() []string {
	var names []string
	for _, i := range partOrder {
		if p&(1<<i) != 0 {
			names = append(names, partNames[i][0])
		}
	}
	return append(names, "wholeTable")
}

// A shape is what a tc says of its place.
type shape struct {
	width  int  // in columns
	merged bool // with the cell above
	notes  []string
	parts  tableParts
}

// cell reads the current tc, of a row of some parts of a table with a style, and returns its
// shape and its text on one line.
func (t *texter) cell(s *xmlspan.Scanner, style string, of tableParts) (c shape, text string) {
	inner := &texter{d: t.d, styles: t.styles, chunks: t.chunks, around: t.styles.inTable(style, of)}
	c.width = 1
	for range s.Starts() {
		switch {
		case s.Is("w", "tcPr"):
			c = shapeOf(s)
			inner.around = t.styles.inTable(style, of|c.parts)
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
	if t.made != nil {
		for _, i := range inner.notes {
			c.notes = append(c.notes, t.d.references[i].mark)
		}
	}
	return c, strings.Join(strings.Fields(inner.out.String()), " ")
}

// shapeOf reads the current tcPr.
func shapeOf(s *xmlspan.Scanner) (c shape) {
	width := 1
	for range s.Starts() {
		switch {
		case s.Is("w", "gridSpan"):
			width = number(s.Get("w", "val"), 1)
		case s.Is("w", "cnfStyle"):
			c.parts = readParts(s)
		case s.Is("w", "vMerge"):
			c.merged = s.Get("w", "val") != "restart"
		}
	}
	c.width = min(max(width, 1), maxSpan)
	return c
}

// A tableMaker makes a table with its cells. A nil one makes nothing.
type tableMaker struct {
	table preview.Table
	above map[int]int // by column: the cell above that begins there, as an index
}

func (m *tableMaker) row(row int, header bool) {
	if m != nil && header && m.table.Headers == row-1 {
		m.table.Headers = row
	}
}

// cell adds a cell. One that is merged with that above and has no text is part of it.
func (m *tableMaker) cell(row, col int, c shape, text string) {
	if m == nil {
		return
	}
	at := citekit.Cell{Col: int32(col), Row: int32(row)}
	last := citekit.Cell{Col: at.Col + int32(c.width) - 1, Row: at.Row}
	m.table.Extent = docfile.Size(row, max(int(m.table.Extent.Last.Col), int(last.Col)))
	if i, ok := m.above[col]; ok && c.merged && text == "" {
		if over := &m.table.Cells[i].Cells.Last; over.Row == at.Row-1 && over.Col == last.Col {
			over.Row = at.Row
			return
		}
	}
	m.above[col] = len(m.table.Cells)
	m.table.Cells = append(m.table.Cells, preview.TableCell{Cells: citekit.Cells{First: at, Last: last}, Text: text, Notes: c.notes, Header: row <= m.table.Headers})
}

// table returns the table of a block with its cells, or nil if it has none.
func (d *docx) table(i int) *preview.Table {
	at, ok := d.tableOf(d.list[i])
	if !ok {
		return nil
	}
	t := &texter{d: d, styles: d.styles, chunks: d.chunks, made: &tableMaker{above: make(map[int]int)}}
	t.container(d.scope.Fragment(at.pos, at.stop), 0)
	return &t.made.table
}
