package odf

import (
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/xmlspan"
)

// A Table is where the rows and the cells of a table are.
type Table struct {
	Rows    []Row
	Columns []Column // as they are declared; there may be fewer than cells have
	Groups  [][2]int // where elements around rows or columns begin and end
	Height  int      // rows, with those repeated
	Width   int      // columns that the widest row has
}

// A Column is a table:table-column.
type Column struct {
	Pos, Stop int // of its element
	Repeat    int
}

// A Row is a table:table-row.
type Row struct {
	Pos, Stop int // of its element
	Tag       int // where its start tag ends
	Repeat    int // how many rows it stands for
	Cells     []TableCell
}

// A TableCell is one cell, or several that are alike.
type TableCell struct {
	Pos, Stop  int // of its element
	Tag        int // where its start tag ends
	Repeat     int // how many cells it stands for
	Cols, Rows int // that it takes
	Covered    bool
}

const (
	maxRepeat = 1 << 10 // rows or cells that one element stands for in texts and slides
	maxExtra  = 1 << 18 // cells of a table that are there by being repeated
)

// A tableReader reads one.
type tableReader struct {
	s     *xmlspan.Scanner
	t     Table
	extra int // how many more cells may be repeated
}

// ReadTable reads the table whose Start is the token at hand, up to its End.
// What is repeated beyond bounds that no text reaches counts once.
func ReadTable(s *xmlspan.Scanner) Table {
	r := &tableReader{s: s, extra: maxExtra}
	depth := s.Depth
	for s.Next() && (s.Kind != xmlspan.End || s.Depth != depth) {
		switch {
		case s.Kind == xmlspan.End:
			r.t.Groups = append(r.t.Groups, [2]int{s.ElementPos(), s.Stop})
		case s.Kind != xmlspan.Start:
		case s.Is("table", "table-column"):
			c := Column{Pos: s.Pos, Repeat: r.count("number-columns-repeated", maxRepeat)}
			s.Skip()
			c.Stop = s.Stop
			r.t.Columns = append(r.t.Columns, c)
		case s.Is("table", "table-row"):
			r.row()
		case isGroup(s):
		default:
			s.Skip()
		}
	}
	return r.t
}

// isGroup reports whether the element at hand is one around rows or columns.
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

// count returns the value of an attribute of the element at hand, from 1 up to
// a limit; 1 if it has none.
func (r *tableReader) count(local string, limit int) int {
	return min(max(Number(r.s.Get("table", local), 1), 1), limit)
}

func (r *tableReader) row() {
	s := r.s
	row := Row{Pos: s.Pos, Tag: s.Stop, Repeat: r.count("number-rows-repeated", maxRepeat)}
	depth, width := s.Depth, 0
	for s.Next() && (s.Kind != xmlspan.End || s.Depth != depth) {
		if s.Kind != xmlspan.Start {
			continue
		}
		if !s.Is("table", "table-cell") && !s.Is("table", "covered-table-cell") {
			s.Skip()
			continue
		}
		c := TableCell{Pos: s.Pos, Tag: s.Stop, Covered: s.Local == "covered-table-cell"}
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

// spend returns how often something of so many cells is repeated.
func (r *tableReader) spend(n, each int) int {
	if extra := (n - 1) * each; extra <= r.extra {
		r.extra -= extra
		return n
	}
	return 1
}

// table writes the table whose Start is the token at hand, or some cells of it: a
// line for each row, with a tab before each column but the first. A cell that
// takes several columns has its text in the first of them.
func (t *Texter) table(s *xmlspan.Scanner) {
	table := ReadTable(s)
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
		line := t.row(s, row, first) + "\n"
		for range t.repeats(last-first+1, len(line)) {
			t.out.WriteString(line)
		}
	}
}

func (t *Texter) row(s *xmlspan.Scanner, row Row, number int) string {
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
			text = t.cell(s.Fragment(c.Pos, c.Stop))
		}
		for range t.repeats(n, len(text)+1) {
			line = append(line, text)
		}
	}
	return strings.Join(line, "\t")
}

// cell returns the text of a cell on one line.
func (t *Texter) cell(s *xmlspan.Scanner) string {
	inner := t.inner()
	s.Next()
	inner.Container(s, s.Depth)
	t.notes = append(t.notes, inner.notes...)
	return strings.Join(strings.Fields(inner.out.String()), " ")
}
