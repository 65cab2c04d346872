package verify

import (
	"context"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/quotation"
)

// boxCells sets the boxes of a quote that was read in cells of a table on a page.
func (c *call) boxCells(ctx context.Context) {
	a := c.verdict.Address
	if !c.req.Boxes || a.Location.Table == "" || a.Location.PageCount() != 1 {
		return
	}
	boxes, err := c.boxes.Boxes(ctx, a, c.read.From, c.read.To)
	if err != nil {
		return
	}
	for _, b := range boxes {
		c.verdict.Boxes = append(c.verdict.Boxes, PageBox{a.Location.Pages[0].First, b})
	}
}

// tellCells narrows the one other place of a quote that is cited in cells of a table, but
// stands elsewhere: from its page or block to the cell or the row that has it, if only one has.
func (c *call) tellCells(ctx context.Context) {
	v := c.verdict
	cited, at := c.req.Address.Location, v.Address.Location
	if v.Class != Elsewhere || cited.Table == "" && cited.Cells.IsZero() || v.Stale {
		return
	}
	page := v.Address
	switch {
	case at.PageCount() == 1:
		page.Location = at.Modality.Pages(at.Pages[0].First, at.Pages[0].First)
		page.Location.Member = at.Member
	case at.Blocks.IsZero() || at.Blocks.Len() > 1:
		return
	}
	tables, err := c.boxes.Tables(ctx, page)
	if err != nil {
		return
	}
	var cells, rows []citekit.Location
	has := func(text string) bool {
		return len(quotation.Prepare(text, quotation.Options{}).Find(c.quote, 0, len(text), 1).Matches) > 0
	}
	for i := range tables {
		for _, cell := range tables[i].Cells {
			if has(cell.Text) {
				at := tables[i].Location
				at.Cells = cell.Cells
				cells = append(cells, at)
			}
		}
		for run := range tables[i].Runs() {
			if has(run.Text) {
				rows = append(rows, run.Location)
			}
		}
	}
	switch {
	case len(cells) == 1:
		v.Address.Location = cells[0]
	case len(cells) == 0 && len(rows) == 1:
		v.Address.Location = rows[0]
	}
}
