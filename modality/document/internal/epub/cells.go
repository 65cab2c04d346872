package epub

import (
	"errors"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

// cells returns the document with one block reduced to a table of the selected cells.
// reached counts cells that begin outside and extend into the selection; each becomes
// an empty cell.
func (p *part) cells(loc citekit.Location) (text string, reached int, err error) {
	n, cells := loc.Blocks.First, loc.Cells
	b := p.blocks[n-1]
	page := htmlblocks.NewBlock([]byte(p.data[b.start:b.end]), !p.soup)
	table := page.Table(1)
	switch {
	case table == nil || b.first == p.body:
		return "", 0, fmt.Errorf("cells of block %d, which has no table: %w", n, errors.ErrUnsupported)
	case int(cells.Last.Row) > table.Rows || int(cells.Last.Col) > table.Cols:
		return "", 0, fmt.Errorf("cells %v of a table of %s and %s: %w", cells, message.Count(table.Rows, "row"), message.Count(table.Cols, "column"), citekit.ErrRange)
	}
	rows := htmlblocks.Span{Start: int(cells.First.Row), End: int(cells.Last.Row)}
	cols := htmlblocks.Span{Start: int(cells.First.Col), End: int(cells.Last.Col)}
	cut, reached := page.CutCells(1, table, rows, cols)
	return p.within(b, b, string(cut.Data)), reached, nil
}

// table returns the table of a block, counted from 1, or nil if it has none.
func (p *part) table(n int) *htmlblocks.Table {
	b := p.blocks[n-1]
	if b.first == p.body {
		return nil
	}
	return htmlblocks.NewBlock([]byte(p.data[b.start:b.end]), !p.soup).Table(1)
}

// onlyCells calls [part.cells] and reports the cells that extend into the selection.
func (c *cutter) onlyCells(p *part, loc citekit.Location) (string, error) {
	text, reached, err := p.cells(loc)
	if reached > 0 {
		c.changes = append(c.changes, message.Count(reached, "cell")+" that begin outside of the range left empty")
	}
	return text, err
}

// cellsText returns the text of cells, the same as that of evidence with them.
func (p *part) cellsText(loc citekit.Location) (string, error) {
	text, _, err := p.cells(loc)
	if err != nil {
		return "", err
	}
	t, err := parse(text, true)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	only := newPart(t)
	for _, b := range only.blocks {
		out.WriteString(only.blockText(b))
	}
	return out.String(), nil
}
