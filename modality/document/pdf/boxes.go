package pdf

import (
	"context"
	"errors"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/pdf/internal/pdfium"
	"github.com/citekit/citekit/modality/internal/docfile"
)

// Boxes implements [preview.Boxer]. A box encloses the ink of its characters.
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
