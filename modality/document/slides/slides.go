// Package slides resolves slides of presentations: PowerPoint files (PPTX, with
// PPSX, POTX and their kinds with macros) and those of OpenDocument (ODP, OTP).
//
// # Slides
//
// Slides are pages, counted from 1 in the order of the presentation's list of
// slides; hidden ones count. A slide whose part the source lacks counts too,
// and is an error only for who asks for it. Boxes on slides are not supported.
//
// # Evidence
//
// A presentation of the slides alone, with what they are made of: layouts,
// masters, themes, tables, charts with the workbooks behind them, diagrams,
// media, notes, comments with the names of their authors, tags, fonts. Parts
// are copied as they are packed in the source. Only what names something that
// is left out is edited, in the bytes of its part: the lists of slides,
// sections, masters and layouts; links to slides that are left out, which stay
// as text without a link.
//
// Left out are all other slides with what belongs to them, layouts and masters
// that no slide uses, custom shows, the hand-out master, the properties of the
// document with its thumbnail, what says how it was viewed, printed and edited,
// macros, and files embedded on slides: of these the picture stays. The number
// that slides show stays that of the source.
//
// Of ODP the slides are kept with the master pages, styles, pictures, sounds,
// charts and texts of feet that they use, with their animations, notes and
// comments. Links to slides that are left out stay as text. Fields with the
// number of the slide become that number; what a master page shows as one counts
// anew, which the evidence says.
//
// # Text
//
// The text of a slide is that of its title, then of its other shapes in the
// order of the slide, a line for each paragraph. A row of a table is a line
// with tabs between cells. Of charts there are the titles and the values as a
// table, of diagrams (SmartArt) the texts of their nodes. The notes follow a
// line "Notes:". What stands on layouts and masters is no text of a slide, nor
// are comments and descriptions of pictures.
package slides

import (
	"context"
	"errors"
	"fmt"

	"github.com/citekit/citekit"
)

// A Resolver extracts slides of presentations as presentations of their own.
// The zero value is ready to use. It is safe for concurrent use.
type Resolver struct{}

var (
	_ citekit.Resolver   = (*Resolver)(nil)
	_ citekit.Measurer   = (*Resolver)(nil)
	_ citekit.TextReader = (*Resolver)(nil)
	_ citekit.Mapper     = (*Resolver)(nil)
	_ citekit.Versioner  = (*Resolver)(nil)
)

// Version implements [citekit.Versioner].
func (r *Resolver) Version() string { return "slides/1" }

// Resolve implements [citekit.Resolver]. The media type is that of the source,
// but a part of one with macros has none. The mode has no meaning for slides.
func (r *Resolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	if err := checkLocation(ctx, req.Location); err != nil {
		return nil, err
	}
	d, err := openDeck(ctx, src)
	if err != nil {
		return nil, known(ctx, err)
	}
	if req.Location.IsWhole() {
		return whole(ctx, src, d), nil
	}
	if err := extentOf(d).Check(req.Location); err != nil {
		return nil, err
	}
	content, err := d.extract(ctx, indexes(req.Location, d.count()))
	return content, known(ctx, err)
}

// checkLocation refuses what no presentation has.
func checkLocation(ctx context.Context, loc citekit.Location) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := loc.Validate(); err != nil {
		return err
	}
	if loc.Modality != citekit.Document {
		return fmt.Errorf("a %s location in a presentation: %w", loc.Modality, errors.ErrUnsupported)
	}
	if !loc.Box.IsZero() {
		return fmt.Errorf("a box on a slide; cite the slide, such as pages=%v: %w", loc.Pages[0], errors.ErrUnsupported)
	}
	return nil
}

// indexes lists the slides at loc, counted from 0.
func indexes(loc citekit.Location, slides int) []int {
	runs := loc.Pages
	if len(runs) == 0 && slides > 0 {
		runs = []citekit.Range{{First: 1, Last: slides}}
	}
	var list []int
	for _, run := range runs {
		for n := run.First; n <= run.Last; n++ {
			list = append(list, n-1)
		}
	}
	return list
}

// Measure implements [citekit.Measurer]. Pages are the slides.
func (r *Resolver) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	if err := ctx.Err(); err != nil {
		return citekit.Extent{}, err
	}
	d, err := openDeck(ctx, src)
	if err != nil {
		return citekit.Extent{}, known(ctx, err)
	}
	return extentOf(d), nil
}
