package epub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality/internal/docfile"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
	"github.com/citekit/citekit/preview"
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

// tableCells returns the table of a block with its cells, or nil if it has none.
func (p *part) tableCells(n int) (*preview.Table, error) {
	table := p.table(n)
	if table == nil {
		return nil, nil
	}
	start := p.blocks[n-1].start
	return docfile.HTMLTable(table, func(s htmlblocks.Span, _ int) (string, error) {
		from, to := start+int32(s.Start), start+int32(s.End)
		first, _ := slices.BinarySearchFunc(p.nodes[1:], from, func(n node, at int32) int { return cmp.Compare(n.start, at) })
		var text strings.Builder
		for i := int32(first + 1); i != 0 && int(i) < len(p.nodes) && p.nodes[i].start < to; i = p.nodes[i].after {
			text.WriteString(p.textOf(i, i, 0))
		}
		return text.String(), nil
	})
}

// Tables implements [preview.Tabler]. Where the cells stand on a page is not known.
func (r *Resolver) Tables(ctx context.Context, src *citekit.Source, loc citekit.Location) ([]preview.Table, error) {
	b, err := r.openAt(ctx, src, loc)
	if err != nil {
		return nil, err
	}
	if loc, err = b.withBlock(ctx, loc); err != nil {
		return nil, known(ctx, err)
	}
	parts := loc.Parts()
	if loc.IsWhole() {
		parts = citekit.Range{First: 1, Last: len(b.spine)}
	}
	var all []preview.Table
	for n, read := parts.First, 0; n <= parts.Last; n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if parts.Len() > 1 && !b.isThere(n) {
			continue
		}
		p, _, err := b.part(ctx, n)
		if errors.Is(err, errNoText) {
			if err := checkNone(n, loc.Blocks); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, known(ctx, err)
		}
		if read += len(p.data); read > maxRead {
			return nil, fmt.Errorf("more than %d MiB of text; ask for fewer parts: %w", maxRead>>20, citekit.ErrTooLarge)
		}
		blocks := loc.Blocks
		if err := p.checkBlocks(n, blocks); err != nil {
			return nil, err
		}
		if blocks.IsZero() {
			blocks = citekit.Range{First: 1, Last: len(p.blocks)}
		}
		if !loc.Cells.IsZero() {
			if _, _, err := p.cells(loc); err != nil {
				return nil, known(ctx, err)
			}
		}
		tables, err := docfile.BlockTables(ctx, location(n, citekit.Range{}), blocks, loc.Cells, p.tableCells)
		if err != nil {
			return nil, err
		}
		all = append(all, tables...)
	}
	return all, nil
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
	t.style(p.sheet)
	var out strings.Builder
	only := newPart(t)
	for _, b := range only.blocks {
		out.WriteString(only.blockText(b))
	}
	return out.String(), nil
}
