package odf

import (
	"context"
	"strings"

	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

// Spans are the styles of text, by their families and names.
type Spans map[string]spanStyle

type spanStyle struct{ parent, position, struck, display string }

// Families of styles.
const (
	OfText      = "text"
	OfParagraph = "paragraph"
	OfCell      = "table-cell"
	OfShape     = "graphic"
	OfPlace     = "presentation" // a shape whose place a layout gives
)

const none = "none"

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
		case s.Depth == 3 && (s.Is("style", "style") || s.Is("style", "default-style")):
			sp.Read(s)
		}
	}
}

// Read reads the style whose Start is the token at hand, if it is of text. The default
// style of a family has no name.
func (sp Spans) Read(s *xmlspan.Scanner) {
	family := s.Get("style", "family")
	switch family {
	case OfText, OfParagraph, OfCell, OfShape, OfPlace:
	default:
		return
	}
	name, st := s.Get("style", "name"), spanStyle{parent: family + " " + s.Get("style", "parent-style-name")}
	usual := s.Local == "default-style"
	if usual {
		name, st.parent = "", ""
	}
	for range s.Starts() {
		if s.Is("style", "text-properties") {
			st.position, st.struck = strings.TrimSpace(s.Get("style", "text-position")), s.Get("style", "text-line-through-style")
			if by := s.Get("style", "text-line-through-type"); by == none || st.struck == "" {
				st.struck = by
			}
			st.display = s.Get("text", "display")
		}
	}
	if usual { // it does not restore what looks otherwise around the text
		if st.struck == none {
			st.struck = ""
		}
		if st.position != "" && scriptOf(st.position) == htmlblocks.OnLine {
			st.position = ""
		}
		if st.display != none {
			st.display = ""
		}
	}
	sp[family+" "+name] = st // even a plain one: it takes the place of one in another part
}

// A Look is how text is shown.
type Look struct {
	Script htmlblocks.Script
	Struck bool // out
	Hidden bool
}

// Look returns how text with a style of a family is shown within text that is shown so.
func (sp Spans) Look(family, name string, around Look) Look {
	placed, struck, displayed := false, false, false
	style := family + " " + name
	for range maxParents {
		st, ok := sp[style]
		if !ok {
			st = sp[family+" "]
		}
		if st.position != "" && !placed {
			placed, around.Script = true, scriptOf(st.position)
		}
		if st.struck != "" && !struck {
			struck, around.Struck = true, st.struck != none
		}
		if st.display != "" && !displayed {
			displayed, around.Hidden = true, st.display == none
		}
		if style = st.parent; style == "" {
			break
		}
	}
	return around
}

// scriptOf returns where text with a text-position stands, such as "super 58%" or "-33% 58%".
func scriptOf(position string) htmlblocks.Script {
	by, _, _ := strings.Cut(position, " ")
	switch {
	case by == "super":
		return htmlblocks.Above
	case by == "sub":
		return htmlblocks.Below
	case strings.Trim(by, "-+0.%") == "":
		return htmlblocks.OnLine
	case by[0] == '-':
		return htmlblocks.Below
	}
	return htmlblocks.Above
}
