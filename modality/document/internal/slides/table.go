package slides

import (
	"context"
	"fmt"
	"strconv"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/docfile"
	"github.com/citekit/citekit/preview"
)

// maxSpan is how many rows or columns a cell of a table takes.
const maxSpan = 1 << 10

// spanned returns an extent with a row of some cells, both counted from 1.
func spanned(extent citekit.Cells, cols, row int) citekit.Cells {
	if cols == 0 && extent.IsZero() {
		return extent
	}
	one := citekit.Cell{Col: 1, Row: 1}
	return citekit.Cells{First: one, Last: citekit.Cell{Col: max(extent.Last.Col, int32(cols)), Row: int32(row)}}
}

// Tables implements [preview.Tabler]. Where the cells stand on a slide is not known.
func (r *Resolver) Tables(ctx context.Context, src *citekit.Source, loc citekit.Location) ([]preview.Table, error) {
	if err := checkLocation(ctx, loc); err != nil {
		return nil, err
	}
	d, err := openDeck(ctx, src)
	if err != nil {
		return nil, known(ctx, err)
	}
	if err := extentOf(d).Check(loc); err != nil {
		return nil, err
	}
	if loc.Table != "" {
		t, err := tableAt(ctx, d, loc)
		return []preview.Table{t}, known(ctx, err)
	}
	var all []preview.Table
	for _, i := range indexes(loc, d.count()) {
		c, err := d.readSlide(ctx, i)
		if err != nil {
			return nil, known(ctx, err)
		}
		for n, t := range c.tables {
			t.Location = onSlides(i+1, i+1)
			t.Location.Table = strconv.Itoa(n + 1)
			all = append(all, t)
		}
	}
	return all, nil
}

// tableAt returns the table at a location, which is on a slide, with the cells that it
// selects.
func tableAt(ctx context.Context, d deck, loc citekit.Location) (preview.Table, error) {
	c, err := d.readSlide(ctx, loc.Pages[0].First-1)
	if err != nil {
		return preview.Table{}, err
	}
	n := loc.TableNumber()
	if n < 1 || n > len(c.tables) {
		return preview.Table{}, docfile.NoTable(loc, len(c.tables))
	}
	t := c.tables[n-1]
	t.Location = loc
	if t.Location.Cells.IsZero() {
		return t, nil
	}
	if last := loc.Cells.Last; last.Col > t.Extent.Last.Col || last.Row > t.Extent.Last.Row {
		return preview.Table{}, fmt.Errorf("cells %s of table %d on slide %v; cells run %s: %w", loc.Cells, n, loc.Pages[0], t.Extent, citekit.ErrRange)
	}
	return t.Within(loc.Cells), nil
}
