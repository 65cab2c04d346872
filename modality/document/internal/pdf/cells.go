package pdf

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/table"
	"github.com/citekit/citekit/modality/internal/docfile"
	"github.com/citekit/citekit/preview"
)

// mostContinued is how many pages a table may continue over.
const mostContinued = 64

// A tablePage is the tables of a page, with the place of the one that the first continues.
type tablePage struct {
	pageTables
	before citekit.Location
}

// maxTableCost is how much memory the tables of pages may take between calls, in bytes,
// about.
const maxTableCost = 32 << 20

// tablesFrom returns the tables of a page, counted from 1.
func (j *job) tablesFrom(ctx context.Context, page int) (tablePage, error) {
	return j.tabled.Get(ctx, key(j.src, fmt.Sprint(" tables ", page)), func(ctx context.Context) (tablePage, int64, error) {
		p, err := j.findFrom(ctx, page)
		return p, p.cost(), err
	})
}

// cost returns about how much memory the tables take, in bytes.
func (p *tablePage) cost() int64 {
	cost := int64(200)
	for _, t := range p.Tables {
		for _, c := range t.Cells {
			cost += int64(len(c.Text)) + 150
		}
	}
	return cost
}

// keepTables keeps the tables of all pages of the source for later calls.
func (j *job) keepTables(ctx context.Context, pages []tablePage) {
	for _, p := range pages {
		_, _ = j.tabled.Get(ctx, key(j.src, fmt.Sprint(" tables ", p.Page)), func(context.Context) (tablePage, int64, error) { return p, p.cost(), nil })
	}
}

// findFrom finds the tables of a page, counted from 1. It looks at pages before it as
// long as a table continues over them, so that rows have the same numbers whichever page is
// asked for.
func (j *job) findFrom(ctx context.Context, page int) (tablePage, error) {
	for back := 1; ; back *= 2 {
		first := max(page-back, 1)
		var pages []int
		for n := first; n <= page; n++ {
			pages = append(pages, n-1)
		}
		found, err := j.tablesOn(ctx, pages)
		if err != nil {
			return tablePage{}, err
		}
		i := len(found) - 1
		for i > 0 && found[i].continues() && (i == len(found)-1 || len(found[i].Tables) == 1) {
			i--
		}
		if i > 0 || first == 1 || !found[0].continuesOn() {
			return locatedTables(found)[len(found)-1], nil
		}
		if back >= mostContinued {
			return tablePage{}, fmt.Errorf("a table over more than %d pages before page %d: %w", mostContinued, page, citekit.ErrTooLarge)
		}
	}
}

func (p *pageTables) continues() bool { return len(p.Tables) > 0 && p.Tables[0].Continues }

// continuesOn reports whether the last table of a page, the first that was looked at, may
// continue one of the page before it.
func (p *pageTables) continuesOn() bool { return len(p.Tables) == 1 }

// locatedTables returns the tables of consecutive pages, each with the place of the one that
// it continues.
func locatedTables(pages []pageTables) []tablePage {
	all := make([]tablePage, len(pages))
	for i, p := range pages {
		all[i].pageTables = p
		if i > 0 && p.continues() {
			all[i].before = tableLocation(pages[i-1].Page, len(pages[i-1].Tables))
		}
	}
	return all
}

// tableLocation returns the location of a table of a page, both counted from 1.
func tableLocation(page, n int) citekit.Location {
	loc := pagesLocation(page, page)
	loc.Table = strconv.Itoa(n)
	return loc
}

// rowNumber returns the number of a row of a part of a table, both counted from 1: rows of a
// part that continues another follow its rows, and repeated headers are those of the table.
func rowNumber(t *table.Table, row int) int32 {
	if t.Continues && row > t.Headers {
		row += t.Above - t.Headers
	}
	return int32(row)
}

// table returns a table of the page, counted from 1, with its cells.
func (p *tablePage) table(n int) preview.Table {
	t := &p.Tables[n-1]
	made := preview.Table{
		Location: tableLocation(p.Page, n), Headers: t.Headers, Caption: t.Caption,
		Evidence: string(t.Evidence), Confidence: t.Confidence, Box: boxIn(t.Box),
	}
	made.Extent = citekit.Cells{First: citekit.Cell{Col: 1, Row: 1}, Last: citekit.Cell{Col: int32(t.Cols), Row: rowNumber(t, t.Rows)}}
	if t.Continues {
		made.Continues = p.before
		made.Extent.First.Row = rowNumber(t, min(t.Headers+1, t.Rows))
	}
	for _, c := range t.Cells {
		made.Cells = append(made.Cells, preview.TableCell{
			Cells: citekit.Cells{
				First: citekit.Cell{Col: int32(c.Col), Row: rowNumber(t, c.Row)},
				Last:  citekit.Cell{Col: int32(c.Col + c.ColSpan - 1), Row: rowNumber(t, c.Row+c.RowSpan-1)},
			},
			Text: strings.Join(strings.Fields(c.Text), " "), Notes: c.Notes, Header: c.Header, Box: boxIn(c.Box),
		})
	}
	return made
}

func boxIn(b table.Box) citekit.Box {
	b = table.Box{X1: max(b.X1, 0), Y1: max(b.Y1, 0), X2: min(b.X2, 1), Y2: min(b.Y2, 1)}
	if b.X1 >= b.X2 || b.Y1 >= b.Y2 {
		return citekit.Box{}
	}
	return citekit.Box{X1: rounded(b.X1), Y1: rounded(b.Y1), X2: rounded(b.X2), Y2: rounded(b.Y2)}
}

// at returns the table at a location on the page, with the cells that it selects.
func (p *tablePage) at(loc citekit.Location) (preview.Table, error) {
	n := loc.TableNumber()
	if n < 1 || n > len(p.Tables) {
		err := docfile.NoTable(loc, len(p.Tables))
		if len(p.Refused) > 0 {
			b := onPage(p.Page-1, boxIn(p.Refused[0].Box))
			err = fmt.Errorf("%w; what looks like one there is not proven (%s): cite its region, %s", err, p.Refused[0].Reason, b)
		}
		return preview.Table{}, err
	}
	t := p.table(n)
	if loc.Cells.IsZero() {
		return t, nil
	}
	first, last := loc.Cells.First, loc.Cells.Last
	isHeader := int(last.Row) <= t.Headers // which a part that continues another repeats
	if last.Col > t.Extent.Last.Col || last.Row > t.Extent.Last.Row || first.Row < t.Extent.First.Row && !isHeader {
		err := fmt.Errorf("cells %s of table %d on page %d; cells run %s: %w", loc.Cells, n, p.Page, t.Extent, citekit.ErrRange)
		if first.Row < t.Extent.First.Row {
			err = fmt.Errorf("%w; the rows before them are at %s", err, t.Continues)
		}
		return preview.Table{}, err
	}
	return t.Within(loc.Cells), nil
}

// Tables implements [preview.Tabler], for at most [preview.MaxLayouts] pages.
func (r *Resolver) Tables(ctx context.Context, src *citekit.Source, loc citekit.Location) ([]preview.Table, error) {
	r.init()
	if err := docfile.CheckLocation(ctx, loc, citekit.Document, "a document"); err != nil {
		return nil, err
	}
	extent, err := r.Measure(ctx, src)
	if err == nil {
		err = extent.Check(loc)
	}
	if err != nil {
		return nil, err
	}
	if loc.Table != "" {
		t, err := r.tableAt(ctx, src, loc)
		return []preview.Table{t}, err
	}
	if n := pageCount(loc, extent.Pages); n > preview.MaxLayouts || !loc.Box.IsZero() {
		return nil, fmt.Errorf("the tables of %d pages; they are of 1 to %d, without a box: %w", n, preview.MaxLayouts, errors.ErrUnsupported)
	}
	j, end, err := r.start(ctx, src, textWork)
	if err != nil {
		return nil, err
	}
	defer end()
	var all []preview.Table
	for _, page := range indexes(loc, extent.Pages) {
		p, err := j.tablesFrom(ctx, page+1)
		if err != nil {
			return nil, known(ctx, err)
		}
		for n := range p.Tables {
			all = append(all, p.table(n+1))
		}
	}
	return all, nil
}

// tableAt returns the table at a location, which is within the source.
func (r *Resolver) tableAt(ctx context.Context, src *citekit.Source, loc citekit.Location) (preview.Table, error) {
	j, end, err := r.start(ctx, src, textWork)
	if err != nil {
		return preview.Table{}, err
	}
	defer end()
	p, err := j.tablesFrom(ctx, loc.Pages[0].First)
	if err != nil {
		return preview.Table{}, known(ctx, err)
	}
	return p.at(loc)
}

// cellMargin is what a region of cells has around their text, of the width of a page.
const cellMargin = .002

// regionOf returns the location of the region of cells on their page.
func regionOf(t *preview.Table) citekit.Location {
	b := t.Box
	loc := pagesLocation(t.Location.Pages[0].First, t.Location.Pages[0].First)
	if b.IsZero() {
		return loc
	}
	loc.Box = citekit.Box{X1: rounded(max(b.X1-cellMargin, 0)), Y1: rounded(max(b.Y1-cellMargin, 0)), X2: rounded(min(b.X2+cellMargin, 1)), Y2: rounded(min(b.Y2+cellMargin, 1))}
	return loc
}

// readTable yields the rows of the table at a location.
func (r *Resolver) readTable(ctx context.Context, src *citekit.Source, loc citekit.Location, yield func(citekit.TextRun, error) bool) {
	t, err := r.tableAt(ctx, src, loc)
	if err != nil {
		yield(citekit.TextRun{}, err)
		return
	}
	page, _, err := r.textAt(ctx, src, pagesLocation(loc.Pages[0].First, loc.Pages[0].First))
	if err != nil {
		yield(citekit.TextRun{}, known(ctx, err))
		return
	}
	for run := range t.Runs() {
		if run.OCR = page[0].OCR; !yield(run, nil) {
			return
		}
	}
}
