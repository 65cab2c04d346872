package odf

import (
	"github.com/citekit/citekit"
	"github.com/citekit/citekit/preview"
)

// maxSpan is how many rows or columns a cell takes.
const maxSpan = 1 << 10

// AppendTables makes t append each table that is in no other, and has cells, to tables. Merged
// cells may reach beyond them, or into others.
func (t *Texter) AppendTables(tables *[]preview.Table) {
	headers, any := 0, false
	t.Table = func(table *Table) {
		headers, any = table.Headers, table.Width > 0
		if any {
			one := citekit.Cell{Col: 1, Row: 1}
			extent := citekit.Cells{First: one, Last: citekit.Cell{Col: int32(table.Width), Row: int32(table.Height)}}
			*tables = append(*tables, preview.Table{Extent: extent, Headers: headers})
		}
	}
	t.Cell = func(col, row int, c TableCell, text string) {
		if !any {
			return
		}
		at := citekit.Cell{Col: int32(col), Row: int32(row)}
		last := citekit.Cell{Col: at.Col + int32(min(c.Cols, maxSpan)) - 1, Row: at.Row + int32(min(c.Rows, maxSpan)) - 1}
		in := &(*tables)[len(*tables)-1]
		in.Cells = append(in.Cells, preview.TableCell{Cells: citekit.Cells{First: at, Last: last}, Text: text, Header: row <= headers})
	}
}
