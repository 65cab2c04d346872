// Package slides resolves slides of presentations: PowerPoint files (PPTX, with
// PPSX, POTX and their kinds with macros) and those of OpenDocument (ODP, OTP).
// The evidence is a presentation of these slides. The nodes of a map are the
// slides, with their own titles.
//
// # Slides
//
// Slides are pages, counted from 1 in the order of the presentation's list of
// slides. Hidden slides count. A slide whose part the source lacks counts too;
// only a location with that slide gives an error. Boxes on slides are not
// supported. Tables count on their slide in the order of its text; evidence of their cells
// is the slide.
//
// # Evidence
//
// Evidence of PPTX is a presentation with only those slides and the parts that
// they use: layouts, masters, themes, tables, charts with their workbooks,
// diagrams, media, notes, comments with the names of their authors, tags and
// fonts. Parts are copied as they are packed in the source. Only text that refers
// to something left out is edited, within the bytes of its part: the lists of
// slides, sections, masters and layouts, and links to slides that are left out,
// which become plain text.
//
// These are left out: all other slides and the parts that only they use, unused
// layouts and masters, custom shows, the handout master, the properties and the
// thumbnail of the document, settings for viewing, printing and editing, macros,
// and files embedded on slides, whose pictures are kept. Slides show the same
// numbers as in the source.
//
// Evidence of ODP keeps the slides with their animations, notes and comments, and
// the master pages, styles, pictures, sounds, charts, headers and footers that
// they use. It leaves out the same things as evidence of PPTX. Number fields on
// slides become the numbers that they show in the source. Number fields on master
// pages count the slides of the evidence; if that changes what a slide shows, the
// Changes of the content say so.
//
// # Text
//
// The text of a slide is its title, then its other shapes in the order of the
// slide, with a line for each paragraph. A row of a table is a line with tabs
// between cells. The text of a chart is its titles and its values as a table, and
// that of a diagram (SmartArt) the texts of its nodes. The notes follow a line
// "Notes:". Layouts, masters, comments and descriptions of pictures are not part
// of the text.
package slides

import (
	"context"
	"errors"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/docfile"
	"github.com/citekit/citekit/preview"
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
	_ preview.Tabler     = (*Resolver)(nil)
)

// Version implements [citekit.Versioner].
func (r *Resolver) Version() string { return "slides/3" }

// Resolve implements [citekit.Resolver]. The media type is that of the source. If
// the source may have macros, evidence of some slides has the media type of the
// same format without macros. The mode has no meaning for slides.
func (r *Resolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	if err := checkLocation(ctx, req.Location); err != nil {
		return nil, err
	}
	d, err := openDeck(ctx, src)
	if err != nil {
		return nil, known(ctx, err)
	}
	if req.Location.IsWhole() {
		mediaType, ext := d.format()
		return docfile.Whole(ctx, src, mediaType, ext), nil
	}
	if err := extentOf(d).Check(req.Location); err != nil {
		return nil, err
	}
	if req.Location.Table != "" {
		if _, err := tableAt(ctx, d, req.Location); err != nil {
			return nil, known(ctx, err)
		}
	}
	content, err := d.extract(ctx, indexes(req.Location, d.count()))
	if err == nil && req.Location.Table != "" {
		slide := onSlides(req.Location.Pages[0].First, req.Location.Pages[0].First)
		content.Actual = &slide
	}
	return content, known(ctx, err)
}

// checkLocation refuses locations that no presentation has.
func checkLocation(ctx context.Context, loc citekit.Location) error {
	if err := docfile.CheckLocation(ctx, loc, citekit.Document, "a presentation"); err != nil {
		return err
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

// Measure implements [citekit.Measurer]. It counts the slides, as pages.
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
