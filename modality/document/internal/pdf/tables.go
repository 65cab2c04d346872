package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/table"
)

// pageTables are the tables of a page.
type pageTables struct {
	Page    int           // from 1
	Tables  []table.Table // from top to bottom
	Refused []table.Refused
}

// tablesOn returns the tables of pages, counted from 0, in ascending order. Tables
// continue each other over consecutive pages of these. Pages that cannot be read have
// none; after a limit, all further pages have none.
func (j *job) tablesOn(ctx context.Context, indexes []int) ([]pageTables, error) {
	t := tabler{job: j}
	return t.on(ctx, indexes)
}

// A tabler finds the tables of consecutive pages.
type tabler struct {
	*job
	plain bool // without the structure of the document

	last  *table.Table // that may go on on the next page; nil if there is none
	page  int          // its page
	ended bool         // nothing stands below it
}

func (t *tabler) on(ctx context.Context, indexes []int) ([]pageTables, error) {
	found := make([]pageTables, len(indexes))
	for i, index := range indexes {
		found[i].Page = index + 1
	}
	for start := 0; start < len(found); start += textPages {
		batch := found[start:min(start+textPages, len(found))]
		err := t.read(ctx, batch)
		for i := 0; err != nil && i < len(batch); i++ {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if t.isExhausted() {
				return found, nil
			}
			err = known(ctx, err)
			if !errors.Is(err, citekit.ErrTooLarge) && !errors.Is(err, citekit.ErrFormat) && !errors.Is(err, errors.ErrUnsupported) {
				return nil, err
			}
			_ = t.read(ctx, batch[i:i+1])
		}
	}
	return found, nil
}

// read finds the tables of pages that are read together. PDFium gets only those that can
// have one.
func (t *tabler) read(ctx context.Context, pages []pageTables) error {
	data := make([]table.Page, len(pages))
	painted := make([][]pdf.Painted, len(pages))
	var ask []int // indexes of pages
	err := t.withDocument(ctx, func(doc *openDocument, f *pdf.File, _ io.ReaderAt) (err error) {
		ask = nil
		for i, p := range pages {
			if p.Page < 1 || p.Page > len(doc.structure.Pages) {
				return fmt.Errorf("page %d: %w", p.Page, citekit.ErrRange)
			}
			if painted[i], _, err = doc.structure.Painted(f, p.Page-1); err != nil {
				return err
			}
			if !t.plain {
				tagged, err := doc.structure.TaggedTables(f, p.Page-1)
				if err != nil {
					return err
				}
				data[i].Tagged = structures(tagged)
			}
			if len(data[i].Tagged) > 0 || mayHaveTable(painted[i]) {
				ask = append(ask, i)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	texts, err := t.placed(ctx, pages, data, ask)
	if err != nil {
		return err
	}
	for k, i := range ask {
		fillPage(&data[i], &texts[k], painted[i])
		pages[i].Tables, pages[i].Refused = table.Find(&data[i])
	}
	for i := range pages {
		t.connect(&pages[i], &data[i])
	}
	return nil
}

// placed returns the text of some of the pages with its places.
func (t *tabler) placed(ctx context.Context, pages []pageTables, data []table.Page, ask []int) ([]pdfium.PlacedText, error) {
	if len(ask) == 0 {
		return nil, nil
	}
	loc := citekit.Location{Modality: citekit.Document}
	for _, i := range ask {
		loc.Pages = append(loc.Pages, citekit.Range{First: pages[i].Page, Last: pages[i].Page})
	}
	out, err := t.cut(ctx, loc.WithPages(loc.Pages...))
	if err != nil {
		return nil, err
	}
	if out.Excessive() {
		return nil, fmt.Errorf("page content that is too long to read its text: %w", citekit.ErrTooLarge)
	}
	drawn, err := drawnOn(ctx, out, len(ask))
	if err != nil {
		return nil, err
	}
	read := make([]pdfium.PlacedPage, len(ask))
	for k, page := range readingOf(drawn) {
		read[k] = pdfium.PlacedPage{Page: page, Marks: len(data[ask[k]].Tagged) > 0}
	}
	return t.pdfium.PlacedText(ctx, out, out.Size(), read)
}

func structures(tagged []pdf.TaggedTable) []table.Structure {
	var out []table.Structure
	for _, t := range tagged {
		s := table.Structure{Caption: t.Caption, Continues: t.Continues, Unclear: t.Unclear}
		for _, row := range t.Rows {
			var cells []table.StructureCell
			for _, c := range row {
				cells = append(cells, table.StructureCell(c))
			}
			s.Rows = append(s.Rows, cells)
		}
		out = append(out, s)
	}
	return out
}

// mayHaveTable reports whether a page that paints something can have a table that is not
// tagged: without two lines or areas it has none that is proven.
func mayHaveTable(painted []pdf.Painted) bool {
	n := 0
	for _, p := range painted {
		if p.Kind != pdf.PaintedShape {
			n++
		}
	}
	return n > 1
}

// fillPage adds to a page what is known of it.
func fillPage(p *table.Page, text *pdfium.PlacedText, painted []pdf.Painted) {
	p.Width, p.Height = text.Width, text.Height
	p.Chars = make([]table.Char, len(text.Chars))
	for i, c := range text.Chars {
		p.Chars[i] = table.Char{Rune: c.Rune, Box: table.Box{X1: c.Left, Y1: c.Top, X2: c.Right, Y2: c.Bottom}, Mark: c.Mark}
	}
	if len(text.Chars) == 0 {
		return
	}
	p.Paints = make([]table.Paint, len(painted))
	for i, d := range painted {
		kind := table.Shape
		switch d.Kind {
		case pdf.PaintedLine:
			kind = table.Rule
		case pdf.PaintedArea:
			kind = table.Area
		}
		x1, y1, x2, y2 := text.Place(d.X1, d.Y1, d.X2, d.Y2)
		p.Paints[i] = table.Paint{Box: table.Box{X1: x1, Y1: y1, X2: x2, Y2: y2}, Kind: kind}
	}
}

// connect notes that the first table of a page continues the last one of the page before.
func (t *tabler) connect(p *pageTables, data *table.Page) {
	if len(p.Tables) == 0 {
		t.last = nil
		return
	}
	first := &p.Tables[0]
	follows := t.last != nil && p.Page == t.page+1 && t.last.Cols == first.Cols && t.last.Evidence == first.Evidence
	repeated := follows && (first.Evidence != table.Tagged || t.last.Headers > 0) && repeatsHeaders(t.last, first)
	if follows && (first.Continues || first.Evidence != table.Tagged && t.ended && !textBetween(data, headZone, first.Box.Y1) && (repeated || first.Headers == 0 && sameColumns(t.last, first))) {
		first.Continues = true
		if first.Above = t.last.Above + t.last.Rows; t.last.Continues {
			first.Above -= t.last.Headers
		}
		if first.Headers = 0; repeated {
			first.Headers = max(t.last.Headers, 1)
			for i := range first.Cells {
				first.Cells[i].Header = first.Cells[i].Header || first.Cells[i].Row <= first.Headers
			}
		}
	} else {
		first.Continues = false
	}
	t.last, t.page = &p.Tables[len(p.Tables)-1], p.Page
	t.ended = !textBetween(data, t.last.Box.Y2, footZone)
}

// textBetween reports whether text stands between two heights of a page.
func textBetween(p *table.Page, from, to float64) bool {
	return slices.ContainsFunc(p.Chars, func(c table.Char) bool {
		y := (c.Box.Y1 + c.Box.Y2) / 2 / p.Height
		return c.Box != (table.Box{}) && y > from && y < to
	})
}

// repeatsHeaders reports whether a table begins with the headers of another, or with its
// first row if it is not known to be one.
func repeatsHeaders(first, next *table.Table) bool {
	headers := max(first.Headers, 1)
	if first.Rows < headers || next.Rows < headers {
		return false
	}
	for row := 1; row <= headers; row++ {
		for col := 1; col <= first.Cols; col++ {
			a, b := first.At(row, col), next.At(row, col)
			if a == nil || b == nil || a.Text != b.Text || a.ColSpan != b.ColSpan {
				return false
			}
		}
	}
	return true
}

// sameColumns reports whether the columns of two tables stand in the same places.
func sameColumns(a, b *table.Table) bool {
	const near = 0.004 // of the width of a page
	places := func(t *table.Table) []float64 {
		at := make([]float64, t.Cols)
		for _, c := range t.Cells {
			if c.ColSpan == 1 && c.Box != (table.Box{}) {
				at[c.Col-1] = c.Box.X1
			}
		}
		return at
	}
	return slices.EqualFunc(places(a), places(b), func(x, y float64) bool { return math.Abs(x-y) < near })
}
