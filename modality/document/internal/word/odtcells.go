package word

import (
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/odf"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// An odtCells collects the edits that reduce a table to some of its cells.
type odtCells struct {
	d           *odt
	top, bottom int
	left, right int
	edits       []xmlspan.Edit
	covered     map[[2]int]bool // positions covered by kept cells
	prefix      string          // prefix of table elements
	text        string          // prefix of text elements
	groups      [][2]int
	kept        []int // offsets of the rows and columns that stay
}

// maxCovered is the largest number of covered cells that are tracked.
const maxCovered = 1 << 18

// cutCells returns the edits that reduce the table at a span to cells.
func (d *odt) cutCells(at span, cells citekit.Cells) []xmlspan.Edit {
	t := d.readTable(at)
	c := &odtCells{
		d: d, top: int(cells.First.Row), bottom: int(cells.Last.Row), left: int(cells.First.Col), right: int(cells.Last.Col),
		covered: make(map[[2]int]bool), prefix: prefixAt(d.text, at.pos), groups: t.Groups,
	}
	if c.text = d.scope.Prefix("text"); c.text != "" {
		c.text += ":"
	}
	col := 1
	for _, column := range t.Columns {
		if n := overlap(col, column.Repeat, c.left, c.right); n > 0 {
			c.repeat(column.Pos, column.Stop, "number-columns-repeated", column.Repeat, n)
			c.kept = append(c.kept, column.Pos)
		} else {
			c.drop(column.Pos, column.Stop)
		}
		col += column.Repeat
	}
	row := 1
	for _, r := range t.Rows {
		if n := overlap(row, r.Repeat, c.top, c.bottom); n > 0 {
			c.repeat(r.Pos, r.Tag, "number-rows-repeated", r.Repeat, n)
			c.row(r, max(row, c.top))
			c.kept = append(c.kept, r.Pos)
		} else {
			c.drop(r.Pos, r.Stop)
		}
		row += r.Repeat
	}
	c.dropGroups()
	return c.edits
}

// overlap returns how many of the n numbers from first on lie in [from, to].
func overlap(first, n, from, to int) int { return min(first+n-1, to) - max(first, from) + 1 }

func (c *odtCells) drop(pos, stop int) { c.edits = append(c.edits, xmlspan.Edit{Pos: pos, Stop: stop}) }

// dropGroups leaves out groups of rows and columns that have become empty.
func (c *odtCells) dropGroups() {
	for _, g := range c.groups {
		some := false
		for _, pos := range c.kept {
			some = some || pos > g[0] && pos < g[1]
		}
		if !some {
			c.drop(g[0], g[1])
		}
	}
}

// repeat makes the element at a span stand for n rows, columns or cells.
func (c *odtCells) repeat(pos, stop int, local string, before, n int) {
	if n != before {
		c.set(pos, stop, local, n)
	}
}

func (c *odtCells) set(pos, stop int, local string, n int) {
	s := c.d.scope.Fragment(pos, stop)
	if s.Next() {
		c.edits = append(c.edits, setAttr(s, "table", local, fmt.Sprint(n)))
	}
}

// row cuts a row. A row without any of the cells keeps an empty cell.
func (c *odtCells) row(r odf.Row, number int) {
	col, kept := 1, 0
	for _, at := range r.Cells {
		n := overlap(col, at.Repeat, c.left, c.right)
		switch {
		case n <= 0:
			c.drop(at.Pos, at.Stop)
		case at.Covered:
			c.cover(at, number, max(col, c.left), n)
		default:
			c.cell(at, number, max(col, c.left), n)
		}
		kept += max(n, 0)
		col += at.Repeat
	}
	if kept == 0 {
		c.edits = append(c.edits, xmlspan.Edit{Pos: r.Tag, Stop: r.Tag, Text: c.empty()})
		if c.d.text[r.Tag-2:r.Tag] == "/>" {
			c.edits[len(c.edits)-1] = xmlspan.Edit{Pos: r.Tag - 2, Stop: r.Tag, Text: ">" + c.empty() + "</" + c.prefix + "table-row>"}
		}
	}
}

// empty returns a cell without text.
func (c *odtCells) empty() string {
	return fmt.Sprintf("<%[1]stable-cell><%[2]sp/></%[1]stable-cell>", c.prefix, c.text)
}

// cell cuts a kept cell that stands for n cells. Its formula is replaced by the value
// shown.
func (c *odtCells) cell(at odf.TableCell, row, col, n int) {
	c.repeat(at.Pos, at.Tag, "number-columns-repeated", at.Repeat, n)
	cols, rows := min(at.Cols, c.right-col+1), min(at.Rows, c.bottom-row+1)
	c.repeat(at.Pos, at.Tag, "number-columns-spanned", at.Cols, cols)
	c.repeat(at.Pos, at.Tag, "number-rows-spanned", at.Rows, rows)
	for y := row; y < row+rows; y++ {
		for x := col; x < col+cols && len(c.covered) < maxCovered; x++ {
			c.covered[[2]int{y, x}] = true
		}
	}
	s := c.d.scope.Fragment(at.Pos, at.Tag)
	if !s.Next() {
		return
	}
	for a := range s.Attrs() {
		if a.Space == "table" && a.Local == "formula" {
			c.drop(a.Pos, a.Stop)
		}
	}
}

// cover cuts n cells that another cell covers. They become empty if that cell is left
// out.
func (c *odtCells) cover(at odf.TableCell, row, col, n int) {
	var b strings.Builder
	same := n == at.Repeat
	for x := col; x < col+n; x++ {
		if c.covered[[2]int{row, x}] {
			b.WriteString("<" + c.prefix + "covered-table-cell/>")
		} else {
			b.WriteString(c.empty())
			same = false
		}
	}
	if !same {
		c.edits = append(c.edits, xmlspan.Edit{Pos: at.Pos, Stop: at.Stop, Text: b.String()})
	}
}
