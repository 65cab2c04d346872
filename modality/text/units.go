package text

import (
	"context"
	"errors"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
)

// A unit is a way to cite a text other than by lines.
type unit struct {
	resolve func(r *Resolver, ctx context.Context, src *citekit.Source, loc citekit.Location) (*citekit.Content, error)
	text    func(r *Resolver, ctx context.Context, src *citekit.Source, loc citekit.Location, yield func(citekit.TextRun) bool) error
}

// unitOf returns the unit of a location, or nil for lines.
func unitOf(loc citekit.Location) *unit {
	switch {
	case loc.Message != 0 || loc.Part != "":
		return &unit{(*Resolver).resolveMail, (*Resolver).readMail}
	case !loc.Rows.IsZero() || len(loc.Cols) > 0:
		return &unit{(*Resolver).resolveRows, (*Resolver).readRows}
	case !loc.Blocks.IsZero(), loc.Table != "":
		return &unit{(*Resolver).resolveBlocks, (*Resolver).readBlocks}
	}
	return nil
}

// checkText returns an error if loc is not a location of a text.
func checkText(loc citekit.Location) error {
	if err := loc.Validate(); err != nil {
		return err
	}
	if loc.Modality != citekit.Text {
		return fmt.Errorf("%s location in a text source: %w", message.Article(loc.Modality), errors.ErrUnsupported)
	}
	return nil
}

// measureUnits counts the units of a source other than lines.
func (r *Resolver) measureUnits(ctx context.Context, src *citekit.Source, e *citekit.Extent) error {
	if ok, err := r.measureMail(ctx, src, e); err != nil || ok {
		return err
	}
	table, err := r.table(ctx, src)
	if err == nil {
		if e.Rows, err = table.count(ctx, src); err == nil {
			table.keep(ctx, src)
		}
	}
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	page, err := r.page(ctx, src)
	switch {
	case err == nil:
		e.Blocks = len(page.Blocks)
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, citekit.ErrTooLarge):
		return nil
	}
	return err
}

// readRows implements ReadText for rows or columns.
func (r *Resolver) readRows(ctx context.Context, src *citekit.Source, loc citekit.Location, yield func(citekit.TextRun) bool) error {
	c, err := r.findRows(ctx, src, loc)
	if err != nil {
		return err
	}
	return c.text(ctx, src, yield)
}

// noteUnits writes the counts of units other than lines into the metadata of a
// map. If there are any, it also writes the number of lines, which would be
// missing otherwise.
func (r *Resolver) noteUnits(ctx context.Context, src *citekit.Source, lines int, s *citekit.Draft) error {
	var e citekit.Extent
	if err := r.measureUnits(ctx, src, &e); err != nil {
		return err
	}
	for key, n := range map[string]int{"rows": e.Rows, "blocks": e.Blocks} {
		if n > 0 {
			s.Metadata[key], s.Metadata["lines"] = n, lines
		}
	}
	return nil
}
