package odf

import (
	"cmp"
	"sort"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// A Table records where the rows and the cells of a table are.
type Table struct {
	Rows    []Row
	Columns []Column // as declared; there may be fewer than the cells take
	Groups  [][2]int // where elements around rows or columns begin and end
	Height  int      // number of rows, repeated ones included
	Width   int      // number of columns of the widest row
	Headers int      // rows at the top that are headers
}

// A Column is a table:table-column.
type Column struct {
	Pos, Stop int // of its element
	Repeat    int
	Style     string // of its cells that name none, or ""
	last      int    // the number of its last column, from 1
}

// A Row is a table:table-row.
type Row struct {
	Pos, Stop int    // of its element
	Tag       int    // where its start tag ends
	Repeat    int    // how many rows it stands for
	Style     string // of its cells that name none, or "" for those of the columns
	Cells     []TableCell
}

// A TableCell is one cell, or several equal cells.
type TableCell struct {
	Pos, Stop  int // of its element
	Tag        int // where its start tag ends
	Repeat     int // how many cells it stands for
	Cols, Rows int // how many it covers
	Covered    bool
	Style      string // or ""
}

const (
	maxRepeat = 1 << 10 // rows or cells that one element stands for, in texts and slides
	maxExtra  = 1 << 18 // cells of a table that exist only by repetition
)

// A tableReader reads a table.
type tableReader struct {
	s     *xmlspan.Scanner
	t     Table
	extra int // cells that may still be added by repetition

	before int // rows before the header rows
}

// ReadTable reads the table whose Start is the token at hand, up to its End. A row
// or cell counts once if its repetitions exceed bounds that no real text reaches.
func ReadTable(s *xmlspan.Scanner) Table {
	r := &tableReader{s: s, extra: maxExtra}
	depth := s.Depth
	for s.Next() && (s.Kind != xmlspan.End || s.Depth != depth) {
		switch {
		case s.Kind == xmlspan.End:
			r.t.Groups = append(r.t.Groups, [2]int{s.ElementPos(), s.Stop})
			if s.Is("table", "table-header-rows") && r.before == 0 {
				r.t.Headers = r.t.Height
			}
		case s.Kind != xmlspan.Start:
		case s.Is("table", "table-column"):
			c := Column{Pos: s.Pos, Repeat: r.count("number-columns-repeated", maxRepeat), Style: s.Get("table", "default-cell-style-name")}
			if c.last = c.Repeat; len(r.t.Columns) > 0 {
				c.last += r.t.Columns[len(r.t.Columns)-1].last
			}
			s.Skip()
			c.Stop = s.Stop
			r.t.Columns = append(r.t.Columns, c)
		case s.Is("table", "table-row"):
			r.row()
		case s.Is("table", "table-header-rows"):
			r.before = r.t.Height
		case isGroup(s):
		default:
			s.Skip()
		}
	}
	return r.t
}

// isGroup reports whether the element at hand groups rows or columns.
func isGroup(s *xmlspan.Scanner) bool {
	if s.Space != "table" {
		return false
	}
	switch s.Local {
	case "table-columns", "table-header-columns", "table-column-group", "table-rows", "table-header-rows", "table-row-group":
		return true
	}
	return false
}

// count returns the value of an attribute of the element at hand, clamped to 1 up
// to limit. It returns 1 if the attribute is missing.
func (r *tableReader) count(local string, limit int) int {
	return min(max(Number(r.s.Get("table", local), 1), 1), limit)
}

func (r *tableReader) row() {
	s := r.s
	row := Row{Pos: s.Pos, Tag: s.Stop, Repeat: r.count("number-rows-repeated", maxRepeat), Style: s.Get("table", "default-cell-style-name")}
	width := 0
	for range s.Starts() {
		if !s.Is("table", "table-cell") && !s.Is("table", "covered-table-cell") {
			s.Skip()
			continue
		}
		c := TableCell{Pos: s.Pos, Tag: s.Stop, Covered: s.Local == "covered-table-cell", Style: s.Get("table", "style-name")}
		c.Repeat = r.spend(r.count("number-columns-repeated", maxRepeat), 1)
		c.Cols, c.Rows = r.count("number-columns-spanned", 1<<20), r.count("number-rows-spanned", 1<<20)
		s.Skip()
		c.Stop = s.Stop
		width += c.Repeat
		row.Cells = append(row.Cells, c)
	}
	row.Stop = s.Stop
	row.Repeat = r.spend(row.Repeat, max(width, 1))
	r.t.Rows = append(r.t.Rows, row)
	r.t.Height += row.Repeat
	r.t.Width = max(r.t.Width, width)
}

// spend returns how often a row or a cell occurs: n times, or once if that would
// exceed the bound. One occurrence takes each cells.
func (r *tableReader) spend(n, each int) int {
	if extra := (n - 1) * each; extra <= r.extra {
		r.extra -= extra
		return n
	}
	return 1
}

// table writes the table whose Start is the token at hand, or the cells of it that
// are read: a line for each row, with tabs between columns. The text of a cell
// that covers several columns is in the first of them.
func (t *Texter) table(s *xmlspan.Scanner) {
	table := ReadTable(s)
	if t.Table != nil {
		t.Table(&table)
	}
	cells := t.Cells
	number := 0
	for _, row := range table.Rows {
		first, last := number+1, number+row.Repeat
		number = last
		if !cells.IsZero() {
			first, last = max(first, int(cells.First.Row)), min(last, int(cells.Last.Row))
		}
		if first > last {
			continue
		}
		line := t.row(s, &table, row, first) + "\n"
		for range t.repeats(last-first+1, len(line)) {
			t.out.WriteString(line)
		}
	}
}

func (t *Texter) row(s *xmlspan.Scanner, table *Table, row Row, number int) string {
	var line []string
	col := 1
	for _, c := range row.Cells {
		n := 0
		for range c.Repeat {
			if t.Cells.IsZero() || t.Cells.Has(citekit.Cell{Col: int32(col), Row: int32(number)}) {
				n++
			}
			col++
		}
		if n == 0 {
			continue
		}
		text := ""
		if !c.Covered {
			style := cmp.Or(c.Style, row.Style, table.columnStyle(col-1))
			text = t.cell(s.Fragment(c.Pos, c.Stop), t.Spans.Look(OfCell, style, t.Around))
		}
		for i := range t.repeats(n, len(text)+1) {
			line = append(line, text)
			if t.Cell == nil || c.Covered {
				continue
			}
			for j := range row.Repeat {
				t.Cell(col-n+i, number+j, c, text)
			}
		}
	}
	return strings.Join(line, "\t")
}

// columnStyle returns the style of cells of a column, from 1, that name none.
func (t *Table) columnStyle(col int) string {
	i := sort.Search(len(t.Columns), func(i int) bool { return t.Columns[i].last >= col })
	if i == len(t.Columns) {
		return ""
	}
	return t.Columns[i].Style
}

// cell returns the text of a cell, within which text is shown so, as one line.
func (t *Texter) cell(s *xmlspan.Scanner, around Look) string {
	inner := t.inner()
	inner.Around = around
	s.Next()
	inner.Container(s, s.Depth)
	t.addNotes(inner)
	return strings.Join(strings.Fields(inner.out.String()), " ")
}
