package docfile

import (
	"context"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
	"github.com/citekit/citekit/preview"
)

// maxSpanned bounds the places of the merged cells of a table.
const maxSpanned = 1 << 22

// FitCells makes the cells of a table end within it, and merged cells take only places that
// no other takes.
func FitCells(t *preview.Table) {
	taken := make(map[citekit.Cell]bool)
	merged := false
	for i := range t.Cells {
		c := &t.Cells[i].Cells
		c.Last.Col, c.Last.Row = min(c.Last.Col, t.Extent.Last.Col), min(c.Last.Row, t.Extent.Last.Row)
		merged = merged || c.First != c.Last
	}
	if !merged {
		return
	}
	for _, c := range t.Cells {
		taken[c.Cells.First] = true
	}
	left := maxSpanned
	for i := range t.Cells {
		c := &t.Cells[i].Cells
		rows, cols := int(c.Last.Row-c.First.Row)+1, int(c.Last.Col-c.First.Col)+1
		if rows*cols == 1 {
			continue
		}
		if left -= rows * cols; left < 0 || !take(taken, *c) {
			c.Last = c.First
		}
	}
}

// take takes the places of merged cells other than the first, unless one is taken.
func take(taken map[citekit.Cell]bool, c citekit.Cells) bool {
	for _, mark := range []bool{false, true} {
		for row := c.First.Row; row <= c.Last.Row; row++ {
			for col := c.First.Col; col <= c.Last.Col; col++ {
				at := citekit.Cell{Col: col, Row: row}
				switch {
				case at == c.First:
				case mark:
					taken[at] = true
				case taken[at]:
					return false
				}
			}
		}
	}
	return true
}

// BlockTables returns the tables among the blocks from first to last, counted from 1, each at
// its block in at; or only some of their cells, unless cells is zero. The table of a block is
// nil if it has none.
func BlockTables(ctx context.Context, at citekit.Location, blocks citekit.Range, cells citekit.Cells, table func(block int) (*preview.Table, error)) (all []preview.Table, err error) {
	for n := blocks.First; n <= blocks.Last; n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t, err := table(n)
		if err != nil {
			return nil, err
		}
		if t == nil || t.Extent.IsZero() {
			continue
		}
		t.Location = at
		t.Location.Blocks = citekit.Range{First: n, Last: n}
		if !cells.IsZero() {
			*t = t.Within(cells)
		}
		all = append(all, *t)
	}
	return all, nil
}

// Size returns the extent of a table of some rows and columns; zero if it has none.
func Size(rows, cols int) (c citekit.Cells) {
	if rows > 0 && cols > 0 {
		c.First, c.Last = citekit.Cell{Col: 1, Row: 1}, citekit.Cell{Col: int32(cols), Row: int32(rows)}
	}
	return c
}

// HTMLTable returns a table of a page with its cells, whose text textOf returns.
func HTMLTable(table *htmlblocks.Table, textOf func(part htmlblocks.Span, row int) (string, error)) (*preview.Table, error) {
	line := func(part htmlblocks.Span, row int) (string, error) {
		text, err := textOf(part, row)
		return strings.Join(strings.Fields(text), " "), err
	}
	made := &preview.Table{Extent: Size(table.Rows, table.Cols), Headers: table.Headers}
	var err error
	if table.Caption != (htmlblocks.Span{}) {
		if made.Caption, err = line(table.Caption, 0); err != nil {
			return nil, err
		}
	}
	for c := range table.Cells() {
		text, err := line(c.Span, c.Row)
		if err != nil {
			return nil, err
		}
		first := citekit.Cell{Col: int32(c.Col), Row: int32(c.Row)}
		last := citekit.Cell{Col: int32(c.Col + c.Cols - 1), Row: int32(c.Row + c.Rows - 1)}
		made.Cells = append(made.Cells, preview.TableCell{Cells: citekit.Cells{First: first, Last: last}, Text: text, Header: c.Header})
	}
	return made, nil
}
