package verify

import (
	"context"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lineform"
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

// tellCells narrows the one other place of a quote that is cited in cells, rows or blocks,
// but stands elsewhere: from its page, block or lines to the cell, the row or the block that
// has it, if only one has. It is cited as the address is.
func (c *call) tellCells(ctx context.Context, p place) {
	v := c.verdict
	cited, at := c.req.Address.Location, v.Address.Location
	if v.Class != Elsewhere || v.Stale {
		return
	}
	switch isCells := cited.Table != "" || !cited.Cells.IsZero(); {
	case !at.Lines.IsZero() && (!cited.Rows.IsZero() || len(cited.Cols) > 0) && cited.Sheet == "":
		c.tellRow(ctx, p)
	case !at.Lines.IsZero() && (isCells || !cited.Blocks.IsZero()):
		if c.tellBlock(ctx, p) && isCells {
			c.tellCell(ctx, v.Address)
		}
	case isCells && at.PageCount() == 1:
		page := v.Address
		page.Location = at.Modality.Pages(at.Pages[0].First, at.Pages[0].First)
		page.Location.Member = at.Member
		c.tellCell(ctx, page)
	case isCells && at.Blocks.Len() == 1:
		c.tellCell(ctx, v.Address)
	}
}

// has reports whether a text has the quote.
func (c *call) has(text string, opts quotation.Options) bool {
	return len(quotation.Prepare(text, opts).Find(c.quote, 0, len(text), 1).Matches) > 0
}

// tellCell narrows the place of a quote to the cell or the row that has it, among those of
// the tables at an address.
func (c *call) tellCell(ctx context.Context, within citekit.Address) {
	tables, err := c.boxes.Tables(ctx, within)
	if err != nil {
		return
	}
	var cells, rows []citekit.Location
	for i := range tables {
		for _, cell := range tables[i].Cells {
			if c.has(cell.Text, quotation.Options{}) {
				at := tables[i].Location
				at.Cells = cell.Cells
				cells = append(cells, at)
			}
		}
		for run := range tables[i].Runs() {
			if c.has(run.Text, quotation.Options{}) {
				rows = append(rows, run.Location)
			}
		}
	}
	switch {
	case len(cells) == 1:
		c.verdict.Address.Location = cells[0]
	case len(cells) == 0 && len(rows) == 1:
		c.verdict.Address.Location = rows[0]
	}
}

// tellBlock cites the one block of a page of HTML that has the quote, and reports whether
// there is one.
func (c *call) tellBlock(ctx context.Context, p place) bool {
	whole := citekit.Address{Resource: p.source.resource}
	opened, err := c.lib.Open(ctx, whole)
	if err != nil {
		return false
	}
	defer opened.Source.Close()
	resolver, err := c.lib.Resolver(opened.Location.Modality)
	measurer, ok := resolver.(citekit.Measurer)
	if err != nil || !ok || p.source.Len() > maxShown {
		return false
	}
	extent := citekit.Extent{}
	err = c.lib.WithSlot(ctx, opened.Location.Modality, func(ctx context.Context) error {
		extent, err = measurer.Measure(ctx, opened.Source)
		return err
	})
	if err != nil || extent.Blocks == 0 {
		return false
	}
	var found []citekit.Location
	blocks := citekit.Location{Modality: opened.Location.Modality, Blocks: citekit.Range{First: 1, Last: extent.Blocks}}
	for run, err := range c.lib.ReadText(ctx, whole.Resource, blocks) {
		if err != nil {
			return false
		}
		if c.has(run.Text, quotation.Options{}) {
			found = append(found, run.Location)
		}
	}
	if len(found) != 1 {
		return false
	}
	c.verdict.Address.Location = found[0]
	return true
}

// tellRow cites the rows of comma-separated values that have the quote, and the column if it
// is in one.
func (c *call) tellRow(ctx context.Context, p place) {
	delimiter := p.source.opts.Delimiter
	if delimiter == 0 || p.to() > maxPrepared {
		return
	}
	text, err := p.source.Text(ctx, 0, p.to())
	if err != nil {
		return
	}
	loc := citekit.Location{Modality: citekit.Text, Rows: citekit.Range{First: 1, Last: 1}}
	state, fields, start, header := lineform.FieldStart, 0, 0, ""
	from := int(p.from())
	for i := range len(text) {
		if text[i] == '\n' && state != lineform.InQuotes {
			if loc.Rows.Last == 1 {
				header = text[:i]
			}
			if loc.Rows.Last++; i < from {
				loc.Rows.First = loc.Rows.Last
			}
			state, fields, start = lineform.FieldStart, 0, i+1
			continue
		}
		if state = state.After(text[i], delimiter); state == lineform.FieldStart && i < from {
			fields, start = fields+1, i+1
		}
	}
	narrow := loc
	if names := lineform.Fields([]byte(header), delimiter); loc.Rows.Len() == 1 && fields < len(names) && start <= from {
		name := names[fields]
		if i, only := lineform.Column(name, names); i != fields || !only {
			name = strconv.Itoa(fields + 1)
		}
		narrow.Cols = []string{name}
	}
	for _, loc := range []citekit.Location{narrow, loc} {
		if loc.Validate() == nil && c.hasAt(ctx, p.source, loc) {
			c.verdict.Address.Location = loc
			return
		}
	}
}

// hasAt reports whether the quote is in what is read at a place of a source.
func (c *call) hasAt(ctx context.Context, s *source, loc citekit.Location) bool {
	var text strings.Builder
	for run, err := range c.lib.ReadText(ctx, s.resource, loc) {
		if err != nil || text.Len()+len(run.Text) > mostRead {
			return false
		}
		text.WriteString(run.Text)
	}
	return c.has(text.String(), quotation.Options{Delimiter: s.opts.Delimiter})
}
