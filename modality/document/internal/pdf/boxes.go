package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
	"github.com/citekit/citekit/modality/internal/docfile"
	"github.com/citekit/citekit/preview"
)

// Boxes implements [preview.Boxer]. A box encloses the ink of its characters, or is that
// of a cell.
// Text recognised by OCR has no boxes.
func (r *Resolver) Boxes(ctx context.Context, src *citekit.Source, loc citekit.Location, from, to int) ([]citekit.Box, error) {
	r.init()
	if err := docfile.CheckLocation(ctx, loc, citekit.Document, "a document"); err != nil {
		return nil, err
	}
	switch {
	case loc.PageCount() != 1 || !loc.Box.IsZero():
		return nil, fmt.Errorf("boxes are on one page, and not in a box: %w", errors.ErrUnsupported)
	case from < 0 || to < from:
		return nil, fmt.Errorf("bytes %d-%d of a text: %w", from, to, citekit.ErrRange)
	case loc.Table != "":
		tables, err := r.Tables(ctx, src, loc)
		if err != nil {
			return nil, err
		}
		return tables[0].BoxesOf(from, to), nil
	}
	j, end, err := r.start(ctx, src, textWork)
	if err != nil {
		return nil, err
	}
	defer end()
	found, err := j.boxes(ctx, loc, from, to)
	if errors.Is(err, pdfium.ErrOutside) {
		return nil, r.outside(err)
	}
	if err != nil {
		return nil, known(ctx, err)
	}
	boxes := make([]citekit.Box, len(found))
	for i, b := range found {
		boxes[i] = citekit.Box{X1: b.X1, Y1: b.Y1, X2: b.X2, Y2: b.Y2}
	}
	return boxes, nil
}

// outside returns the error for a part that is not in the text of its page, or
// nil if that text may have been recognised.
func (r *Resolver) outside(err error) error {
	if r.OCR {
		return nil
	}
	return fmt.Errorf("%w: %w", err, citekit.ErrRange)
}

// boxes returns the boxes of a part of the text of the page at loc. PDFium sees
// only that page.
func (j *job) boxes(ctx context.Context, loc citekit.Location, from, to int) ([]pdfium.Box, error) {
	out, err := j.cut(ctx, loc)
	if err != nil {
		return nil, err
	}
	if out.Excessive() {
		return nil, fmt.Errorf("page content that is too long to read its text: %w", citekit.ErrTooLarge)
	}
	drawn, err := drawnOn(ctx, out, 1)
	if err != nil {
		return nil, err
	}
	return j.pdfium.Boxes(ctx, out, out.Size(), readingOf(drawn)[0], from, to)
}

// Layout implements [preview.Layouter]. Text recognised by OCR has no lines.
func (r *Resolver) Layout(ctx context.Context, src *citekit.Source, loc citekit.Location, lines bool) ([]preview.PageLayout, error) {
	r.init()
	if err := docfile.CheckLocation(ctx, loc, citekit.Document, "a document"); err != nil {
		return nil, err
	}
	loc.Table, loc.Cells = "", citekit.Cells{}
	if n := loc.PageCount(); n < 1 || n > preview.MaxLayouts {
		return nil, fmt.Errorf("the layout of %d pages; it is of 1 to %d: %w", n, preview.MaxLayouts, errors.ErrUnsupported)
	}
	extent, err := r.Measure(ctx, src)
	if err == nil {
		err = extent.Check(loc)
	}
	if err != nil {
		return nil, err
	}
	j, end, err := r.start(ctx, src, textWork)
	if err != nil {
		return nil, err
	}
	defer end()
	pages, err := j.sizes(ctx, loc, extent.Pages)
	if err == nil && lines {
		err = j.addLines(ctx, loc, pages)
	}
	if err != nil {
		return nil, known(ctx, err)
	}
	return pages, nil
}

// sizes returns the pages at loc with their sizes as displayed.
func (j *job) sizes(ctx context.Context, loc citekit.Location, count int) (pages []preview.PageLayout, err error) {
	err = j.withDocument(ctx, func(doc *openDocument, f *pdf.File, _ io.ReaderAt) error {
		pages = nil
		for _, index := range indexes(loc, count) {
			shown, err := frameOf(doc.structure, f, index)
			if err != nil {
				return err
			}
			p := preview.PageLayout{Page: index + 1, Width: shown.right - shown.left, Height: shown.top - shown.bottom}
			if shown.rotate%180 == 90 {
				p.Width, p.Height = p.Height, p.Width
			}
			pages = append(pages, p)
		}
		return nil
	})
	return pages, err
}

// addLines adds the lines of pages, which are those at loc.
func (j *job) addLines(ctx context.Context, loc citekit.Location, pages []preview.PageLayout) error {
	out, err := j.cut(ctx, loc)
	if err != nil {
		return err
	}
	if out.Excessive() {
		return fmt.Errorf("page content that is too long to read its text: %w", citekit.ErrTooLarge)
	}
	drawn, err := drawnOn(ctx, out, len(pages))
	if err != nil {
		return err
	}
	found, err := j.pdfium.Lines(ctx, out, out.Size(), readingOf(drawn))
	if err != nil {
		return err
	}
	for i, lines := range found {
		for _, l := range lines {
			pages[i].Lines = append(pages[i].Lines, preview.LineLayout{From: l.From, To: l.To, Box: citekit.Box{X1: l.X1, Y1: l.Y1, X2: l.X2, Y2: l.Y2}})
		}
	}
	return nil
}
