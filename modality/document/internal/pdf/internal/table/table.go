// Package table finds the tables of a page in what the page says of them, in the lines
// and areas that it paints, and in how its text is aligned. A table that cannot be proven
// is refused as a whole: no cell is guessed.
package table

// An Evidence says what proves a table.
type Evidence string

const (
	Tagged  Evidence = "tagged"  // the structure of the document, and the places of the text
	Ruled   Evidence = "ruled"   // lines or areas that are painted
	Aligned Evidence = "aligned" // white gaps between columns, baselines of rows
)

// A Box is a rectangle from the top left corner of the page as displayed. It is in
// fractions of the width and height of the page in tables, and in points in a [Page].
type Box struct{ X1, Y1, X2, Y2 float64 }

// A Table is a table on a page, or the part of one that is there.
type Table struct {
	Box        Box
	Evidence   Evidence
	Confidence float64 // that all cells are right, more than 0 and at most 1
	Rows, Cols int     // at least 1 by 1
	Headers    int     // rows at the top that are known as headers
	Caption    string  // as tagged, else ""
	Cells      []Cell  // by rows, each once; every place of the grid is in exactly one

	// Continues reports that the table continues the last one of the page before, which
	// has as many columns. Above is how many rows stand on the pages before, without
	// repeated headers; the rows after Headers of this part then follow as number Above+1.
	// Without Continues, Above is 0 and Headers counts as any rows.
	Continues bool
	Above     int
}

// A Cell is a cell of a table, or several that are merged.
type Cell struct {
	Row, Col         int      // of the top left place, from 1
	RowSpan, ColSpan int      // at least 1
	Text             string   // as printed, without notes; lines end with "\n" but the last
	Notes            []string // marks of footnotes, such as "a" or "*", in order
	Header           bool
	Box              Box // the cell, or its text where cells have no painted limits; zero if it is empty
}

// A Refused is an area that looks like a table and cannot be proven to be one.
type Refused struct {
	Box    Box
	Reason string // such as "a column could be two"
}

// At returns the cell that covers a place of the grid, counted from 1; nil outside.
func (t *Table) At(row, col int) *Cell {
	for i := range t.Cells {
		c := &t.Cells[i]
		if row >= c.Row && row < c.Row+c.RowSpan && col >= c.Col && col < c.Col+c.ColSpan {
			return c
		}
	}
	return nil
}

// A Page is what is known of a page, in points from its top left corner as displayed.
type Page struct {
	Width, Height float64
	Chars         []Char // in reading order
	Paints        []Paint
	Tagged        []Structure
}

// A Char is a character of a page, or a space or line end that stands between two.
type Char struct {
	Rune rune
	Box  Box // the place that it takes, as high as the font; empty for what is not drawn
	Mark int // id of the marked content that it belongs to, or -1
}

// A Paint is something that a page paints and that is not text.
type Paint struct {
	Box  Box
	Kind Kind
}

// A Kind is a kind of [Paint].
type Kind int

const (
	Rule  Kind = iota // a straight line, level or upright
	Area              // a rectangle that is filled
	Shape             // anything else: curves, slanted lines, pictures
)

// A Structure is a table in the structure of a document.
type Structure struct {
	Caption   []int // marks of its content
	Rows      [][]StructureCell
	Continues bool // rows stand on pages before
	Unclear   bool // what is on the page cannot be told from the structure
}

// A StructureCell is a cell in the structure of a document.
type StructureCell struct {
	RowSpan, ColSpan int
	Header           bool
	Marks            []int // marks of its content, in order
}
