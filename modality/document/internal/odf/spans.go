package odf

import (
	"context"
	"strings"

	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

// Spans are the styles of text within paragraphs, by their names.
type Spans map[string]spanStyle

type spanStyle struct{ parent, position string }

// maxParents is the largest number of styles followed to their parents.
const maxParents = 32

// Spans returns the styles of text in a package whose content is given. A styles.xml of
// more than most bytes, or that cannot be read, has none.
func (p *Package) Spans(ctx context.Context, content string, most int64) (Spans, error) {
	spans := make(Spans)
	if p.Has(Styles) {
		text, err := p.TextUpTo(ctx, Styles, most)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			spans.readAll(Scan(text))
		}
	}
	spans.readAll(Scan(content))
	return spans, nil
}

// readAll reads the styles before the body of a part.
func (sp Spans) readAll(s *xmlspan.Scanner) {
	for range s.Starts() {
		switch {
		case s.Depth == 2 && s.Is("office", "body"):
			return
		case s.Depth == 3 && s.Is("style", "style") && s.Get("style", "family") == "text":
			sp.Read(s)
		}
	}
}

// Read reads the style whose Start is the token at hand.
func (sp Spans) Read(s *xmlspan.Scanner) {
	name, st := s.Get("style", "name"), spanStyle{parent: s.Get("style", "parent-style-name")}
	for range s.Starts() {
		if s.Is("style", "text-properties") {
			st.position = strings.TrimSpace(s.Get("style", "text-position"))
		}
	}
	sp[name] = st
}

// Script returns where text with a style stands, and whether the style says so.
func (sp Spans) Script(style string) (script htmlblocks.Script, said bool) {
	for range maxParents {
		st := sp[style]
		if st.position == "" {
			style = st.parent
			continue
		}
		by, _, _ := strings.Cut(st.position, " ")
		switch {
		case by == "super":
			return htmlblocks.Above, true
		case by == "sub":
			return htmlblocks.Below, true
		case strings.Trim(by, "-+0.%") == "":
			return htmlblocks.OnLine, true
		case by[0] == '-':
			return htmlblocks.Below, true
		}
		return htmlblocks.Above, true
	}
	return htmlblocks.OnLine, false
}
