package slides

import (
	"context"
	"iter"

	"github.com/citekit/citekit"
)

// ReadText implements [citekit.TextReader]. Each run is the text of one slide.
// A slide without text gives an empty run.
func (r *Resolver) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		if err := readText(ctx, src, loc, yield); err != nil {
			yield(citekit.TextRun{}, known(ctx, err))
		}
	}
}

// readText yields runs, and returns the error that the caller has to yield.
func readText(ctx context.Context, src *citekit.Source, loc citekit.Location, yield func(citekit.TextRun, error) bool) error {
	if err := checkLocation(ctx, loc); err != nil {
		return err
	}
	d, err := openDeck(ctx, src)
	if err != nil {
		return err
	}
	if err := extentOf(d).Check(loc); err != nil {
		return err
	}
	if loc.Table != "" {
		t, err := tableAt(ctx, d, loc)
		if err != nil {
			return err
		}
		for run := range t.Runs() {
			if !yield(run, nil) {
				break
			}
		}
		return nil
	}
	for _, i := range indexes(loc, d.count()) {
		if err := ctx.Err(); err != nil {
			return err
		}
		c, err := d.readSlide(ctx, i)
		if err != nil {
			return err
		}
		if !yield(citekit.TextRun{Text: c.text(), Location: onSlides(i+1, i+1)}, nil) {
			return nil
		}
	}
	return nil
}

// onSlides returns the location of slides, counted from 1.
func onSlides(first, last int) citekit.Location {
	return citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: first, Last: last}}}
}
