package text

import (
	"context"
	"errors"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality/internal/docfile"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
	"github.com/citekit/citekit/preview"
)

var _ preview.Tabler = (*Resolver)(nil)

// Tables implements [preview.Tabler] for HTML. Where the cells stand on a page is not known.
func (r *Resolver) Tables(ctx context.Context, src *citekit.Source, loc citekit.Location) ([]preview.Table, error) {
	if err := checkText(loc); err != nil {
		return nil, err
	}
	if loc.Blocks.IsZero() && loc.Table == "" && !loc.IsWhole() {
		return nil, fmt.Errorf("the tables of %s: %w", message.Clip(loc.String()), errors.ErrUnsupported)
	}
	p, err := r.page(ctx, src)
	if err != nil {
		return nil, err
	}
	blocks := citekit.Range{First: 1, Last: len(p.Blocks)}
	if !loc.IsWhole() {
		if _, err := p.find(&loc); err != nil {
			return nil, err
		}
		blocks = loc.Blocks
	}
	return docfile.BlockTables(ctx, citekit.Location{Modality: citekit.Text}, blocks, loc.Cells, p.cells)
}

// cells returns the first table of a block with its cells, or nil if it has none.
func (p *page) cells(block int) (*preview.Table, error) {
	table := p.Table(block)
	if table == nil {
		return nil, nil
	}
	return docfile.HTMLTable(table, func(part htmlblocks.Span, row int) (string, error) {
		look := p.Look(block)
		if row > 0 {
			look = table.Look(row)
		}
		return p.text(p.Part(part), look)
	})
}
