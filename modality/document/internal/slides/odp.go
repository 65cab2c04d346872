package slides

import (
	"context"
	"fmt"
	"strconv"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/odf"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// An odp is the parsed content of an ODP (ODF 1.3, part 3, section 3.5).
type odp struct {
	pkg       *odf.Package
	text      string           // the content; number fields of slides are already plain text
	scope     *xmlspan.Scanner // in office:presentation; never advanced, because fragments take its namespaces
	bodyStart int              // after the tag of office:presentation
	bodyStop  int              // before its end tag
	pages     []odpPage
	spans     odf.Spans
	decls     []odpDecl
	shows     []string        // names of custom shows
	numbered  map[string]bool // styles of slides that show the number field of their master page
}

// An odpPage is a draw:page.
type odpPage struct {
	pos, stop int
	name      string
	style     string
	master    string
}

// An odpDecl is a text for headers and footers of slides.
type odpDecl struct {
	pos, stop int
	use       string // the attribute of slides that names it
	name      string
}

// odpTypes are the media types of presentations and their extensions.
var odpTypes = map[string]string{
	"application/vnd.oasis.opendocument.presentation":          ".odp",
	"application/vnd.oasis.opendocument.presentation-template": ".otp",
}

func openODP(ctx context.Context, p *odf.Package) (*odp, error) {
	d := &odp{pkg: p}
	if odpTypes[p.MediaType()] == "" {
		return nil, fmt.Errorf("the package is not a presentation: %w", citekit.ErrFormat)
	}
	var err error
	if d.text, err = p.TextUpTo(ctx, odf.Content, maxSlideBytes); err != nil {
		return nil, err
	}
	numbers, err := d.index(ctx)
	if err == nil && len(numbers) > 0 {
		d.text = xmlspan.Splice(d.text, 0, len(d.text), numbers)
		_, err = d.index(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("the list of slides: %w", err)
	}
	if d.spans, err = p.Spans(ctx, d.text, maxSlideBytes); err != nil {
		return nil, err
	}
	return d, nil
}

// index reads the content once. It returns the edits that replace the number
// fields of slides by their numbers.
func (d *odp) index(ctx context.Context) (numbers []xmlspan.Edit, err error) {
	d.scope, d.pages, d.decls, d.shows, d.numbered = nil, nil, nil, nil, make(map[string]bool)
	s := odf.Scan(d.text)
	style := ""
	for range s.Starts() {
		switch {
		case s.Depth == 3 && s.Is("office", "presentation"):
			if d.scope != nil {
				return nil, fmt.Errorf("the content has two presentations: %w", citekit.ErrFormat)
			}
			d.bodyStart, d.scope = s.Stop, odf.Scan(d.text)
			for d.scope.Next() && d.scope.Pos < s.Pos {
			}
			if numbers, err = d.body(ctx, s); err != nil {
				return nil, err
			}
		case s.Depth == 3:
			style = s.Get("style", "name")
		case s.Depth == 4 && s.Is("style", "drawing-page-properties"):
			d.numbered[style] = s.Get("presentation", "display-page-number") == "true"
		}
	}
	if err := s.Err(); err != nil {
		return nil, xmlspan.Known(err)
	}
	if d.scope == nil {
		return nil, fmt.Errorf("the content is not a presentation: %w", citekit.ErrFormat)
	}
	return numbers, nil
}

// body reads the children of office:presentation.
func (d *odp) body(ctx context.Context, s *xmlspan.Scanner) (numbers []xmlspan.Edit, err error) {
	for s.Next() && (s.Kind != xmlspan.End || s.Depth != 3) {
		if s.Kind != xmlspan.Start {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		switch pos, local := s.Pos, s.Local; {
		case s.Is("draw", "page"):
			if len(d.pages) == maxSlides {
				return nil, fmt.Errorf("more than %d slides: %w", maxSlides, citekit.ErrTooLarge)
			}
			page := odpPage{pos: pos, name: s.Get("draw", "name"), style: s.Get("draw", "style-name"), master: s.Get("draw", "master-page-name")}
			if page.name == "" {
				page.name = "page" + d.number(len(d.pages))
			}
			numbers = append(numbers, d.numberFields(s)...)
			page.stop = s.Stop
			d.pages = append(d.pages, page)
		case s.Is("presentation", "header-decl"), s.Is("presentation", "footer-decl"), s.Is("presentation", "date-time-decl"):
			decl := odpDecl{pos: pos, name: s.Get("presentation", "name"), use: "use-" + local[:len(local)-len("-decl")] + "-name"}
			s.Skip()
			decl.stop = s.Stop
			d.decls = append(d.decls, decl)
		case s.Is("presentation", "settings"): // contains the custom shows
		case s.Is("presentation", "show"):
			d.shows = append(d.shows, s.Get("presentation", "name"))
		default:
			s.Skip()
		}
	}
	d.bodyStop = s.Pos
	return numbers, nil
}

// numberFields returns the edits that replace the number fields of the slide whose
// Start is the token at hand by its number, and steps to its End.
func (d *odp) numberFields(s *xmlspan.Scanner) (edits []xmlspan.Edit) {
	for range s.Starts() {
		if !s.Is("text", "page-number") {
			continue
		}
		of, format := s.Get("text", "select-page"), s.Get("style", "num-format")
		pos := s.Pos
		s.Skip()
		if (of == "" || of == "current") && (format == "" || format == "1") {
			edits = append(edits, xmlspan.Edit{Pos: pos, Stop: s.Stop, Text: d.number(len(d.pages))})
		}
	}
	return edits
}

// number returns the number that a slide, counted from 0, shows.
func (d *odp) number(i int) string { return strconv.Itoa(i + 1) }

func (d *odp) format() (mediaType, ext string) {
	return d.pkg.MediaType(), odpTypes[d.pkg.MediaType()]
}

func (d *odp) count() int { return len(d.pages) }

func (d *odp) has(int) bool { return true }

func (d *odp) sections() []section { return nil }

func (d *odp) about(ctx context.Context) (string, noter, error) {
	meta, err := d.pkg.Meta(ctx)
	return meta.Title, meta, err
}
