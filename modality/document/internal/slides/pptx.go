package slides

import (
	"context"
	"fmt"
	"strconv"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// A pptx is the parsed main part of a PPTX.
type pptx struct {
	pkg    *ooxml.Package
	kind   kind
	text   string // the main part
	rels   []ooxml.Rel
	slides []slide
	groups []section
	first  int // the number that the first slide shows
	usual  *levels
	looks  lookTable
}

// A slide is an entry in the list of slides.
type slide struct {
	id   string // by which sections refer to it
	rel  string // of the relationship of the main part
	part string // "" if it is missing
}

// A kind is a format of presentations.
type kind struct {
	mainType  string // the content type of the main part
	mediaType string
	ext       string
}

const (
	openType = "application/vnd.openxmlformats-officedocument.presentationml."
	msType   = "application/vnd.ms-powerpoint."
)

// kinds are the formats: first those without macros, then those with, in the same
// order.
var kinds = []kind{
	{openType + "presentation.main+xml", openType + "presentation", ".pptx"},
	{openType + "slideshow.main+xml", openType + "slideshow", ".ppsx"},
	{openType + "template.main+xml", openType + "template", ".potx"},
	{msType + "presentation.macroEnabled.main+xml", msType + "presentation.macroEnabled.12", ".pptm"},
	{msType + "slideshow.macroEnabled.main+xml", msType + "slideshow.macroEnabled.12", ".ppsm"},
	{msType + "template.macroEnabled.main+xml", msType + "template.macroEnabled.12", ".potm"},
}

// kindOf returns the kind of a content type.
func kindOf(mainType string) (kind, bool) {
	for _, k := range kinds {
		if k.mainType == mainType {
			return k, true
		}
	}
	return kind{}, false
}

// withoutMacros returns the same kind without macros, which cuts have.
func (k kind) withoutMacros() kind {
	for i, other := range kinds {
		if other == k {
			return kinds[i%3]
		}
	}
	return k
}

// openPPTX reads the main part of a presentation.
func openPPTX(ctx context.Context, pkg *ooxml.Package) (*pptx, error) {
	d := &pptx{pkg: pkg, first: 1}
	var err error
	var ok bool
	if d.kind, ok = kindOf(pkg.ContentType(pkg.Main())); !ok {
		return nil, fmt.Errorf("the source is not a presentation: %w", citekit.ErrFormat)
	}
	if d.text, err = pkg.Part(pkg.Main()).Text(ctx); err != nil {
		return nil, fmt.Errorf("the list of slides: %w", err)
	}
	if d.rels, err = pkg.Rels(ctx, pkg.Main()); err != nil {
		return nil, fmt.Errorf("the list of slides: %w", err)
	}
	if err := d.read(); err != nil {
		return nil, fmt.Errorf("the list of slides: %w", err)
	}
	return d, nil
}

// read finds the slides and the sections.
func (d *pptx) read() error {
	parts := make(map[string]string)
	for _, rel := range d.rels {
		if part := d.pkg.Part(rel.Target); part != nil && !rel.External {
			parts[rel.ID] = part.Name
		}
	}
	byID := make(map[string]int)
	s := scan(d.text)
	for range s.Starts() {
		parentSpace, parent := s.Parent()
		switch {
		case s.Is("p", "presentation") && s.Depth == 1:
			if n, err := strconv.Atoi(s.Get("", "firstSlideNum")); err == nil && n >= 0 {
				d.first = n
			}
		case s.Is("p", "sldId") && parentSpace == "p" && parent == "sldIdLst" && s.Depth == 3:
			if len(d.slides) == maxSlides {
				return fmt.Errorf("more than %d slides: %w", maxSlides, citekit.ErrTooLarge)
			}
			one := slide{id: s.Get("", "id"), rel: s.Get("r", "id")}
			one.part = parts[one.rel]
			byID[one.id] = len(d.slides)
			d.slides = append(d.slides, one)
		case s.Is("p", "defaultTextStyle"):
			d.usual = readLevels(s)
		case s.Is("p14", "section"):
			d.groups = append(d.groups, section{name: s.Get("", "name")})
		case s.Is("p14", "sldId") && len(d.groups) > 0:
			if i, ok := byID[s.Get("", "id")]; ok {
				last := &d.groups[len(d.groups)-1]
				last.slides = append(last.slides, i)
			}
		}
	}
	return xmlspan.Known(s.Err())
}

func (d *pptx) format() (mediaType, ext string) { return d.kind.mediaType, d.kind.ext }

func (d *pptx) count() int { return len(d.slides) }

func (d *pptx) has(i int) bool { return d.slides[i].part != "" }

func (d *pptx) sections() []section { return d.groups }

func (d *pptx) about(ctx context.Context) (string, noter, error) {
	core, err := d.pkg.Core(ctx)
	return core.Title, core, err
}

// number returns the number that a slide, counted from 0, shows.
func (d *pptx) number(i int) string { return strconv.Itoa(d.first + i) }

// slidePart returns the part of a slide, counted from 0.
func (d *pptx) slidePart(i int) (*ooxml.Part, error) {
	if part := d.pkg.Part(d.slides[i].part); part != nil {
		return part, nil
	}
	return nil, fmt.Errorf("slide %d is missing in the source: %w", i+1, citekit.ErrFormat)
}
