package word

import (
	"strconv"
	"strings"

	"github.com/citekit/citekit/internal/ooxml"
	"github.com/citekit/citekit/internal/xmlspan"
)

// maxChain is how many styles are followed from one to the one it is based on.
const maxChain = 32

// A style is one of styles.xml.
type style struct {
	name    string // in lower case
	basedOn string
	outline int    // 0-9 as written, where 9 is body text; -1 says nothing
	numID   string // "" says nothing
	ilvl    int    // -1 says nothing
}

// styles are those of a document by their id.
type styles struct {
	byID  map[string]*style
	usual string // the id of the style that paragraphs without one have

	levels   map[string]int  // of headings, kept as they are asked for
	captions map[string]bool // likewise
}

func readStyles(text string) (*styles, error) {
	all := &styles{byID: make(map[string]*style), levels: make(map[string]int), captions: make(map[string]bool)}
	if text == "" {
		return all, nil
	}
	s := ooxml.Scan(text)
	for s.Next() {
		if s.Kind == xmlspan.Start && s.Is("w", "style") {
			id, usual := s.Get("w", "styleId"), isOn(s.Get("w", "default"))
			if kind := s.Get("w", "type"); kind == "paragraph" || kind == "" {
				all.byID[id] = readStyle(s)
				if usual {
					all.usual = id
				}
			} else if kind == "numbering" {
				all.byID[id] = readStyle(s)
			} else {
				s.Skip()
			}
		}
	}
	all.prepare()
	return all, ooxml.KnownXML(s.Err())
}

// isOn reports whether a value of ST_OnOff that is written is true.
func isOn(value string) bool { return value == "1" || value == "true" || value == "on" }

// readStyle reads the style whose Start is the token at hand.
func readStyle(s *xmlspan.Scanner) *style {
	st := &style{outline: -1, ilvl: -1}
	depth := s.Depth
	for s.Next() && (s.Kind != xmlspan.End || s.Depth != depth) {
		if s.Kind != xmlspan.Start || s.Space != "w" {
			continue
		}
		switch s.Local {
		case "name":
			st.name = strings.ToLower(s.Get("w", "val"))
		case "basedOn":
			st.basedOn = s.Get("w", "val")
		case "outlineLvl":
			st.outline = number(s.Get("w", "val"), -1)
		case "numId":
			st.numID = s.Get("w", "val")
		case "ilvl":
			st.ilvl = number(s.Get("w", "val"), -1)
		case "rPr", "tblPr", "tblStylePr", "pPrChange":
			s.Skip()
		}
	}
	return st
}

// number returns the number that a value is, or other if it is none.
func number(value string, other int) int {
	if n, err := strconv.Atoi(value); err == nil {
		return n
	}
	return other
}

// prepare works out what every style means, so that nothing is written later.
func (all *styles) prepare() {
	for id := range all.byID {
		all.levels[id] = all.findLevel(id)
		all.captions[id] = all.findCaption(id)
	}
}

// chain calls use with a style and those it is based on, until it returns true.
func (all *styles) chain(id string, use func(id string, st *style) (done bool)) {
	for range maxChain {
		st := all.byID[id]
		if st == nil || use(id, st) {
			return
		}
		id = st.basedOn
	}
}

// findLevel returns the level of headings in a style, from 1, or 0: its own
// outline level or that of the nearest style it is based on that has one, else
// that of the nearest named "heading N".
func (all *styles) findLevel(id string) int {
	outline, named := -1, 0
	all.chain(id, func(_ string, st *style) bool {
		if outline < 0 {
			outline = st.outline
		}
		if named == 0 {
			named = headingName(st.name)
		}
		return outline >= 0
	})
	switch st := all.byID[id]; {
	case st.name == "title" || outline >= 9:
		return 0
	case outline >= 0:
		return outline + 1
	}
	return named
}

// headingName returns the N of "heading N", or 0.
func headingName(name string) int {
	rest, ok := strings.CutPrefix(name, "heading ")
	if n := number(rest, 0); ok && n >= 1 && n <= 9 {
		return n
	}
	return 0
}

func (all *styles) findCaption(id string) (found bool) {
	all.chain(id, func(_ string, st *style) bool {
		found = st.name == "caption"
		return found
	})
	return found
}

// isTitle reports whether a style is that of the title of a document.
func (all *styles) isTitle(id string) bool {
	st := all.byID[id]
	return st != nil && st.name == "title"
}

// numbering returns the list and the level that a style puts its paragraphs in;
// numID is "" if there is none, and level -1 if the style does not say.
func (all *styles) numbering(id string) (numID string, level int) {
	level = -1
	all.chain(id, func(_ string, st *style) bool {
		if level < 0 {
			level = st.ilvl
		}
		numID = st.numID
		return numID != ""
	})
	return numID, level
}
