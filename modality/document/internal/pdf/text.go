package pdf

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfcut"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
	"github.com/citekit/citekit/modality/internal/docfile"
)

// textPages is the number of pages passed to PDFium at a time.
const textPages = 16

// ReadText implements [citekit.TextReader]. Each run is the text of one page,
// or of the box on it, as PDFium reads it, with its state. It is OCR without a Confidence
// if whoever made the file recognised it: drawn without ink over a picture of the page.
// Pages without text, such as scans, give an empty run, or with OCR the text recognised on
// them; a page that is a picture with a few words as text then gives a run of each. Of a
// table each run is a row, with a tab between its columns. A source whose pages take far
// more work than such a source usually does, as the same long page many times, ends with
// an error matching [citekit.ErrTooLarge].
func (r *Resolver) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		r.init()
		if err := docfile.CheckLocation(ctx, loc, citekit.Document, "a document"); err != nil {
			yield(citekit.TextRun{}, err)
			return
		}
		extent, err := r.Measure(ctx, src)
		if err == nil {
			err = extent.Check(loc)
		}
		if err != nil {
			yield(citekit.TextRun{}, err)
			return
		}
		if loc.Table != "" {
			r.readTable(ctx, src, loc, yield)
			return
		}
		pages := indexes(loc, extent.Pages)
		left := textLimit(src.Size())
		for len(pages) > 0 {
			if left <= 0 {
				yield(citekit.TextRun{}, fmt.Errorf("the text of page %d and what follows takes too much work for a source of this size: %w", pages[0]+1, citekit.ErrTooLarge))
				return
			}
			n := min(len(pages), textPages)
			work, ok := r.yieldText(ctx, src, loc.Box, pages[:n], yield)
			if !ok {
				return
			}
			left -= work
			pages = pages[n:]
		}
	}
}

// yieldText yields the text of some pages, counted from 0. It returns how much work that
// was, and reports whether to go on.
func (r *Resolver) yieldText(ctx context.Context, src *citekit.Source, box citekit.Box, pages []int, yield func(citekit.TextRun, error) bool) (work pdfium.Work, ok bool) {
	loc := citekit.Location{Modality: citekit.Document, Box: box}
	for _, page := range pages {
		loc.Pages = append(loc.Pages, citekit.Range{First: page + 1, Last: page + 1})
	}
	loc = loc.WithPages(loc.Pages...)
	runs, work, err := r.textAt(ctx, src, loc)
	if err != nil {
		yield(citekit.TextRun{}, known(ctx, err))
		return 0, false
	}
	for i, page := range pages {
		run := runs[i]
		run.Location = onPage(page, box)
		all := []citekit.TextRun{run}
		if r.OCR {
			if all, err = r.withRecognised(ctx, src, run); err != nil {
				yield(citekit.TextRun{}, known(ctx, err))
				return 0, false
			}
		}
		for _, run := range all {
			if !yield(run, nil) {
				return 0, false
			}
		}
	}
	return work, true
}

// onPage returns the location of a page, counted from 0, or of a box on it.
func onPage(page int, box citekit.Box) citekit.Location {
	return citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: page + 1, Last: page + 1}}, Box: box}
}

// textAt returns the text at loc, a run without a location for each page, and how much
// work that was.
func (r *Resolver) textAt(ctx context.Context, src *citekit.Source, loc citekit.Location) ([]citekit.TextRun, pdfium.Work, error) {
	j, end, err := r.start(ctx, src, textWork)
	if err != nil {
		return nil, 0, err
	}
	defer end()
	return j.textOf(ctx, loc)
}

// textOf is textAt. PDFium gets only these pages.
func (j *job) textOf(ctx context.Context, loc citekit.Location) ([]citekit.TextRun, pdfium.Work, error) {
	out, err := j.cut(ctx, loc)
	if err != nil {
		return nil, 0, err
	}
	if out.Excessive() {
		return nil, 0, fmt.Errorf("page content that is too long to read its text: %w", citekit.ErrTooLarge)
	}
	drawn, err := drawnOn(ctx, out, loc.PageCount())
	if err != nil {
		return nil, 0, err
	}
	before := j.pdfium.Left()
	texts, err := j.pdfium.Text(ctx, out, out.Size(), readingOf(drawn), !loc.Box.IsZero())
	if err != nil {
		return nil, 0, err
	}
	runs := make([]citekit.TextRun, len(texts))
	for i, text := range texts {
		page := pageText{drawn[i].Drawn, drawn[i].known, text.Text, text.Read}
		state := page.state()
		runs[i] = citekit.TextRun{
			Text: text.Text, TextState: state, Missing: page.missing(state),
			OCR: text.Text != "" && isRecognised(drawn[i].Drawn),
		}
	}
	return runs, callWork + cutByteWork*pdfium.Work(out.Size()) + before - j.pdfium.Left(), nil
}

// drawnOn examines what the pages of an output draw. What cannot be examined draws
// nothing.
func drawnOn(ctx context.Context, out *pdfcut.Output, pages int) ([]drawnPage, error) {
	f := pdf.NewFile(ctx, out, out.Size())
	structure, err := pdf.Open(f)
	if err != nil {
		return nil, err
	}
	search := pdf.NewDrawnSearch(f, structure)
	drawn := make([]drawnPage, pages)
	for i := range drawn {
		if drawn[i].Drawn, drawn[i].known, err = search.OnPage(i); err != nil {
			return nil, err
		}
	}
	return drawn, nil
}

// readingOf returns how PDFium has to read pages.
func readingOf(drawn []drawnPage) []pdfium.Page {
	pages := make([]pdfium.Page, len(drawn))
	for i, d := range drawn {
		pages[i] = pdfium.Page{Index: i, Drawn: d.Codes, Vertical: d.Vertical, Fill: d.Unfilled, Hidden: d.Secret}
	}
	return pages
}

// unreadable returns a sentence about the characters of a page that are not in its text,
// or "" if these are few: some are drawn twice, and spaces may be left out.
func unreadable(read, drawn int) string {
	if drawn < leastDrawn || read >= drawn*wholeText/100 {
		return ""
	}
	return fmt.Sprintf("%d of the %d characters drawn on it cannot be read", drawn-max(read, 0), drawn)
}

const (
	leastDrawn = 20 // characters of a page, below which none counts as missing
	wholeText  = 70 // percent of the characters drawn that a whole text has
)

func firstIndexes(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// compareText returns an error matching [pdf.ErrDamaged] if PDFium does not
// read the same text in pages of the source and in the evidence of them.
func (j *job) compareText(ctx context.Context, pages []int, out *pdfcut.Output) error {
	for start := 0; start < len(pages); start += textPages {
		end := min(start+textPages, len(pages))
		before, err := j.pdfium.Text(ctx, j.src, j.src.Size(), plainly(pages[start:end]), false)
		if err != nil {
			return err
		}
		after, err := j.pdfium.Text(ctx, out, out.Size(), plainly(firstIndexes(end)[start:]), false)
		if err != nil {
			return err
		}
		if !slices.Equal(before, after) {
			return fmt.Errorf("the text changes when the file is repaired: %w", pdf.ErrDamaged)
		}
	}
	return nil
}

func plainly(indexes []int) []pdfium.Page {
	pages := make([]pdfium.Page, len(indexes))
	for i, index := range indexes {
		pages[i].Index = index
	}
	return pages
}
