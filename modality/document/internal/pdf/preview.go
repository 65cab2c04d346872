package pdf

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strconv"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
	"github.com/citekit/citekit/modality/internal/docfile"
	"github.com/citekit/citekit/modality/internal/drawing"
	"github.com/citekit/citekit/preview"
)

// Preview implements [preview.Previewer]. A single page, or the box on it,
// fills the picture; it is drawn at that size, so that a small box is sharp.
// For several pages, the first 12 stand side by side, each with its number.
func (r *Resolver) Preview(ctx context.Context, src *citekit.Source, loc citekit.Location, opts preview.Options) (*preview.Preview, error) {
	r.init()
	opts, err := opts.WithDefaults()
	if err != nil {
		return nil, err
	}
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
	asked := loc
	if loc.Table != "" {
		if loc, err = r.shownTable(ctx, src, loc, &opts); err != nil {
			return nil, err
		}
	}
	if n := pageCount(loc, extent.Pages); n != 1 && len(opts.Boxes) > 0 {
		return nil, fmt.Errorf("boxes to draw on %d pages; they are on exactly one: %w", n, citekit.ErrSyntax)
	}
	shown := firstPages(loc, extent.Pages)
	pictures, sheet, err := r.draw(ctx, src, shown, opts.Side)
	if err != nil {
		return nil, known(ctx, err)
	}
	if len(pictures) == 1 {
		drawing.Mark(pictures[0], opts.Boxes, loc.Box)
		if asked.Table != "" {
			shown = asked
		}
		return drawing.Of(pictures[0], shown)
	}
	var each []citekit.Location
	var captions []string
	for _, page := range indexes(shown, extent.Pages) {
		each = append(each, onPage(page, citekit.Box{}))
		captions = append(captions, strconv.Itoa(page+1))
	}
	return drawing.Of(sheet.Draw(pictures, captions), each...)
}

// shownTable returns the region of the table at a location, and adds the boxes of the cells
// that it selects to those that are drawn.
func (r *Resolver) shownTable(ctx context.Context, src *citekit.Source, loc citekit.Location, opts *preview.Options) (citekit.Location, error) {
	cells := loc.Cells
	loc.Cells = citekit.Cells{}
	tables, err := r.Tables(ctx, src, loc)
	if err != nil {
		return loc, err
	}
	shown := regionOf(&tables[0])
	if cells.IsZero() {
		return shown, nil
	}
	loc.Cells = cells
	if tables, err = r.Tables(ctx, src, loc); err == nil && !tables[0].Box.IsZero() {
		opts.Boxes = append(slices.Clone(opts.Boxes), tables[0].Box)
	}
	return shown, err
}

// firstPages returns the location of the pages at loc that fit on a sheet.
func firstPages(loc citekit.Location, pages int) citekit.Location {
	runs := loc.Pages
	if len(runs) == 0 {
		runs = []citekit.Range{{First: 1, Last: pages}}
	}
	loc.Pages = nil
	left := drawing.MaxCells
	for _, run := range runs {
		if left == 0 {
			break
		}
		run.Last = min(run.Last, run.First+left-1)
		loc.Pages = append(loc.Pages, run)
		left -= run.Len()
	}
	return loc
}

// draw returns pictures of the pages at loc: a single page as large as side
// allows, several pages as large as the cells of their sheet.
func (r *Resolver) draw(ctx context.Context, src *citekit.Source, loc citekit.Location, side int) (pictures []*image.RGBA, sheet drawing.Sheet, err error) {
	j, end, err := r.start(ctx, src, textWork)
	if err != nil {
		return nil, sheet, err
	}
	defer end()
	out, err := j.cut(ctx, loc)
	if err != nil {
		return nil, sheet, err
	}
	if out.Excessive() {
		return nil, sheet, errLongContent
	}
	n := loc.PageCount()
	pictures, err = j.pdfium.Draw(ctx, out, out.Size(), firstIndexes(n), func(sizes []pdfium.Size) []image.Point {
		room := image.Pt(side, side)
		if n > 1 {
			sheet = drawing.NewSheet(n, sizes[0].Width, sizes[0].Height, side)
			room = sheet.Cell
		}
		return fitted(sizes, room)
	})
	return pictures, sheet, err
}

func fitted(sizes []pdfium.Size, room image.Point) []image.Point {
	pixels := make([]image.Point, len(sizes))
	for i, s := range sizes {
		pixels[i] = drawing.Fit(s.Width, s.Height, room.X, room.Y)
	}
	return pixels
}
