package htmlblocks

import (
	"bytes"
	"iter"
	"slices"
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of a table.
const (
	maxTableCols  = 1 << 10
	maxTableSlots = 1 << 22 // rows times columns
	maxRowSpan    = 1 << 16
)

// A Table is the rows and columns of the first table of a block.
type Table struct {
	Rows, Cols int
	Headers    int  // rows at the top that are headers
	Caption    Span // what is in its caption; zero if it has none

	tag   Span // of the table
	rows  []tableRow
	looks []Look // of the text in the rows
	cells []tableCell
	slots [][]int32 // by row and column: an index of cells plus 1, or 0

	groups  []rowGroup
	clipped bool // a cell would take rows of another group than its own
}

// A tableRow is the tag of a row, and the index of its group.
type tableRow struct {
	Span
	group int
}

// A rowGroup is a head, a body or a foot: what the cells of its rows end with. Rows that
// are in none of a table are a body, whose tag is empty.
type rowGroup struct {
	tag  Span
	name atom.Atom
}

// A tableCell is one as it stands, with its first row and column.
type tableCell struct {
	Span
	row, col int // from 0
	header   bool
}

// A Cell is a cell of a table.
type Cell struct {
	Span
	Row, Col   int // its first, counted from 1
	Rows, Cols int // that it takes and no later cell does
	Header     bool
}

// Cells yields the cells, by rows.
func (t *Table) Cells() iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		for i, c := range t.cells {
			own := func(row, col int) bool {
				return row < len(t.slots) && col < len(t.slots[row]) && int(t.slots[row][col]) == i+1
			}
			cell := Cell{Span: c.Span, Row: c.row + 1, Col: c.col + 1, Rows: 1, Cols: 1, Header: c.header || c.row < t.Headers}
			for own(c.row, c.col+cell.Cols) {
				cell.Cols++
			}
			for below := true; below; cell.Rows++ {
				for col := c.col; col < c.col+cell.Cols && below; col++ {
					below = own(c.row+cell.Rows, col)
				}
				if !below {
					break
				}
			}
			if !yield(cell) {
				return
			}
		}
	}
}

// NewBlock returns a page that is one block and has no head, of bytes that are
// whole elements. It keeps them.
func NewBlock(src []byte, xml bool) *Page {
	return &Page{src: src, xml: xml, Blocks: []Block{{Span: Span{0, len(src)}, within: -1}}}
}

// Table returns the first table of a block, counted from 1, or nil if it has
// none, or one of too many cells.
func (p *Page) Table(n int) *Table {
	b := p.Blocks[n-1]
	t := tableReader{tokens: html.NewTokenizer(bytes.NewReader(p.src[b.Start:b.End])), at: b.Start, table: &Table{}}
	t.tokens.AllowCDATA(p.xml)
	for t.next(p.xml) {
	}
	t.endRow()
	if t.table.tag.End == 0 || t.full {
		return nil
	}
	if t.feet > 0 {
		t.table.sinkFeet()
	}
	t.table.Rows = len(t.table.slots)
	t.table.Headers = t.headers()
	t.table.looks = make([]Look, len(t.table.rows))
	around := p.look(p.Look(n), t.table.tag)
	for row, one := range t.table.rows {
		t.table.looks[row] = p.look(around, one.Span)
	}
	return t.table
}

// Look returns how text in a row, counted from 1, looks.
func (t *Table) Look(row int) Look {
	if row > len(t.looks) {
		return Look{}
	}
	return t.looks[row-1]
}

// sinkFeet puts the rows of feet last, where they are shown. No cell is in two groups.
func (t *Table) sinkFeet() {
	var order, feet []int // rows, by where they go
	for row := range t.rows {
		if t.groups[t.rows[row].group].name == atom.Tfoot {
			feet = append(feet, row)
		} else {
			order = append(order, row)
		}
	}
	order = append(order, feet...)
	to := make([]int, len(order))
	rows, slots := make([]tableRow, len(order)), make([][]int32, len(order))
	for i, row := range order {
		to[row], rows[i], slots[i] = i, t.rows[row], t.slots[row]
	}
	cells := make([]int, len(t.cells)) // by where they go
	for i := range cells {
		cells[i], t.cells[i].row = i, to[t.cells[i].row]
	}
	slices.SortStableFunc(cells, func(a, b int) int { return t.cells[a].row - t.cells[b].row })
	sorted, now := make([]tableCell, len(cells)), make([]int32, len(cells)+1)
	for i, cell := range cells {
		sorted[i], now[cell+1] = t.cells[cell], int32(i+1)
	}
	for _, row := range slots {
		for col := range row {
			row[col] = now[row[col]]
		}
	}
	t.rows, t.slots, t.cells = rows, slots, sorted
}

type tableReader struct {
	tokens *html.Tokenizer
	table  *Table
	at     int // end of the token
	start  int
	depth  int // of tables that are open
	hidden atom.Atom

	cell    int // index of the one that is open plus 1, or 0
	inRow   bool
	col     int
	done    bool
	full    bool
	pending []int // by column, how many more rows a cell above takes
	owner   []int32
	inGroup bool // the last of the groups is open
	over    bool // a cell would take rows below its group

	inHead    bool
	heads     int // rows in the head of the table
	feet      int // rows in feet of the table
	inCaption bool
}

// headers returns how many rows at the top are in the head, or have only header cells.
func (t *tableReader) headers() int {
	only := make([]bool, len(t.table.slots))
	for i := range only {
		only[i] = true
	}
	for _, c := range t.table.cells {
		only[c.row] = only[c.row] && c.header
	}
	n := t.heads
	for n < len(only) && only[n] && len(t.table.slots[n]) > 0 {
		n++
	}
	if n == len(only) && t.heads == 0 {
		return 0
	}
	return n
}

func (t *tableReader) next(xml bool) bool {
	kind := t.tokens.Next()
	t.start = t.at
	t.at += len(t.tokens.Raw())
	if kind == html.ErrorToken || t.done || t.full {
		return false
	}
	if kind != html.StartTagToken && kind != html.SelfClosingTagToken && kind != html.EndTagToken {
		return true
	}
	name, more := t.tokens.TagName()
	tag := atom.Lookup(name)
	ended := kind == html.SelfClosingTagToken && xml
	switch {
	case t.hidden != 0:
		if kind == html.EndTagToken && tag == t.hidden {
			t.hidden = 0
		}
	case kind == html.EndTagToken:
		t.endTag(tag)
	case kindOf(tag, "") == hides:
		if ended {
			t.tokens.NextIsNotRawText()
		} else {
			t.hidden = tag
		}
	default:
		t.startTag(tag, more, ended, xml)
	}
	return true
}

func (t *tableReader) startTag(tag atom.Atom, more, ended, xml bool) {
	switch {
	case tag == atom.Table && !ended:
		if t.depth++; t.depth == 1 {
			t.table.tag = Span{t.start, t.at}
		}
	case t.depth != 1:
	case tag == atom.Tr:
		t.endRow()
		t.beginRow(Span{t.start, t.at})
	case tag == atom.Td || tag == atom.Th:
		t.endCell(t.start)
		if !t.inRow {
			t.beginRow(Span{})
		}
		t.beginCell(tag == atom.Th, more)
		if ended {
			t.endCell(t.at)
		}
	case isRowGroup(tag):
		t.endGroup()
		if !ended {
			t.beginGroup(rowGroup{tag: Span{t.start, t.at}, name: tag})
		}
	case !xml && (tag == atom.Col || tag == atom.Colgroup):
		t.endGroup()
	case tag == atom.Caption:
		if t.endRow(); !xml {
			t.endGroup()
		}
		if t.table.Caption == (Span{}) && !ended {
			t.inCaption, t.table.Caption = true, Span{t.at, t.at}
		}
	}
}

func (t *tableReader) endTag(tag atom.Atom) {
	switch {
	case tag == atom.Table && t.depth > 0:
		if t.depth--; t.depth == 0 {
			t.endRow()
			t.done = true
		}
	case t.depth != 1:
	case tag == atom.Td || tag == atom.Th:
		t.endCell(t.at)
	case tag == atom.Caption && t.inCaption:
		t.inCaption, t.table.Caption.End = false, t.start
	case t.inGroup && tag == t.table.groups[len(t.table.groups)-1].name:
		t.endGroup()
	case tag == atom.Tr || isRowGroup(tag):
		t.endRow()
	}
}

func isRowGroup(tag atom.Atom) bool {
	return tag == atom.Thead || tag == atom.Tbody || tag == atom.Tfoot
}

func (t *tableReader) beginGroup(g rowGroup) {
	t.table.groups = append(t.table.groups, g)
	t.inGroup, t.inHead = true, g.name == atom.Thead && t.heads == len(t.table.slots)-t.feet
}

// endGroup ends the group that is open, and with it the cells that would take more rows.
func (t *tableReader) endGroup() {
	t.endRow()
	for _, left := range t.pending {
		t.over = t.over || left > 0
	}
	t.pending, t.owner = t.pending[:0], t.owner[:0]
	t.inGroup, t.inHead = false, false
}

func (t *tableReader) beginRow(tag Span) {
	if !t.inGroup {
		t.beginGroup(rowGroup{name: atom.Tbody})
	}
	t.inRow, t.inCaption, t.col = true, false, 0
	t.table.rows = append(t.table.rows, tableRow{tag, len(t.table.groups) - 1})
	t.table.clipped = t.table.clipped || t.over
	row := make([]int32, 0, t.table.Cols)
	for c, left := range t.pending {
		if left > 0 {
			row = grow(row, c+1)
			row[c] = t.owner[c]
			t.pending[c]--
		}
	}
	t.table.slots = append(t.table.slots, row)
	switch {
	case t.inHead:
		t.heads++
	case t.table.groups[len(t.table.groups)-1].name == atom.Tfoot:
		t.feet++
	}
	t.full = t.full || len(t.table.slots)*max(t.table.Cols, 1) > maxTableSlots
}

func grow(row []int32, n int) []int32 {
	for len(row) < n {
		row = append(row, 0)
	}
	return row
}

func (t *tableReader) beginCell(header, more bool) {
	rows, cols := t.spans(more)
	last := len(t.table.slots) - 1
	row := t.table.slots[last]
	for t.col < len(row) && row[t.col] != 0 {
		t.col++
	}
	if cols = min(cols, maxTableCols-t.col); cols < 1 {
		t.full = true
		return
	}
	c := tableCell{Span: Span{Start: t.start}, row: last, col: t.col, header: header}
	t.table.cells = append(t.table.cells, c)
	t.cell = len(t.table.cells)
	row = grow(row, t.col+cols)
	for ; cols > 0; cols-- {
		row[t.col] = int32(t.cell)
		for len(t.pending) <= t.col {
			t.pending, t.owner = append(t.pending, 0), append(t.owner, 0)
		}
		t.pending[t.col], t.owner[t.col] = rows-1, int32(t.cell)
		t.col++
	}
	t.table.slots[last] = row
	t.table.Cols = max(t.table.Cols, len(row))
}

// spans returns how many rows and columns a cell takes, unless its group ends before.
func (t *tableReader) spans(more bool) (rows, cols int) {
	rows, cols = 1, 1
	for more {
		var key, value []byte
		key, value, more = t.tokens.TagAttr()
		n, err := strconv.Atoi(string(bytes.TrimSpace(value)))
		if err != nil || n < 0 {
			continue
		}
		switch string(key) {
		case "rowspan":
			if rows = min(n, maxRowSpan); n == 0 {
				rows = maxTableSlots // to the end of the group
			}
		case "colspan":
			cols = min(max(n, 1), maxTableCols)
		}
	}
	return rows, cols
}

func (t *tableReader) endCell(end int) {
	if t.cell > 0 {
		t.table.cells[t.cell-1].End = end
		t.cell = 0
	}
}

func (t *tableReader) endRow() {
	t.endCell(t.start)
	t.inRow = false
}

// Part returns the bytes of a part of a page.
func (p *Page) Part(s Span) []byte { return p.src[s.Start:s.End] }

// CellBytes returns the bytes of the cell at a row and a column, counted from 1,
// and whether it begins there; nil where there is none.
func (p *Page) CellBytes(t *Table, row, col int) (cell []byte, begins bool) {
	slots := t.slots[row-1]
	if col > len(slots) || slots[col-1] == 0 {
		return nil, false
	}
	c := t.cells[slots[col-1]-1]
	return p.src[c.Start:c.End], c.row == row-1 && c.col == col-1
}

// CutCells is [Page.Cut] of some cells of the table t of a block: its rows and
// columns counted from 1, which must be there. Reached says how many cells begin
// outside and reach in: an empty one is in the place of each.
func (p *Page) CutCells(n int, t *Table, rows, cols Span) (cut Cut, reached int) {
	w := p.newWriter()
	w.enter(p.Blocks[n-1].within)
	w.data = append(w.data, p.src[t.tag.Start:t.tag.End]...)
	w.data = append(w.data, '\n')
	group := -1
	for row := rows.Start; row <= rows.End; row++ {
		if g := t.rows[row-1].group; t.clipped && g != group {
			w.endGroup(t, group)
			w.beginGroup(t, g)
			group = g
		}
		tag := p.src[t.rows[row-1].Start:t.rows[row-1].End]
		if len(tag) == 0 {
			tag = []byte("<tr>")
		}
		w.data = append(w.data, tag...)
		reached += w.row(t, row, rows, cols)
		w.data = append(w.data, "</tr>\n"...)
	}
	w.endGroup(t, group)
	w.data = append(w.data, "</table>\n"...)
	return w.close(), reached
}

// beginGroup writes the tag of a group of rows.
func (w *writer) beginGroup(t *Table, n int) {
	g := t.groups[n]
	if w.data = append(w.data, w.page.src[g.tag.Start:g.tag.End]...); g.tag == (Span{}) {
		w.data = append(w.data, "<tbody>"...)
	}
	w.data = append(w.data, '\n')
}

// endGroup writes the end tag of a group of rows, unless n is negative.
func (w *writer) endGroup(t *Table, n int) {
	if n >= 0 {
		w.data = append(append(append(w.data, "</"...), t.groups[n].name.String()...), ">\n"...)
	}
}

// row writes the cells of a row in some columns.
func (w *writer) row(t *Table, row int, rows, cols Span) (reached int) {
	for col := cols.Start; col <= cols.End; col++ {
		slots := t.slots[row-1]
		if col > len(slots) || slots[col-1] == 0 {
			w.data = append(w.data, "<td></td>"...)
			continue
		}
		c := t.cells[slots[col-1]-1]
		within := c.row >= rows.Start-1 && c.col >= cols.Start-1
		switch {
		case c.row == row-1 && c.col == col-1:
			w.span(Span{c.Start, c.Start + len(bytes.TrimRight(w.page.src[c.Start:c.End], " \t\r\n\f"))})
		case !within:
			w.data = append(w.data, "<td></td>"...)
			if row-1 == max(c.row, rows.Start-1) && col-1 == max(c.col, cols.Start-1) {
				reached++
			}
		}
	}
	return reached
}
