package word

import (
	"context"

	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// The kinds of notes.
const (
	footnote = iota
	endnote
	noteKinds
)

// noteParts are the kinds of the relationships to the parts with notes.
var noteParts = [noteKinds]string{"footnotes", "endnotes"}

// noteNames are the names of the elements that hold a note.
var noteNames = [noteKinds]string{"footnote", "endnote"}

// notes are the footnotes or the endnotes of a document.
type notes struct {
	text  string
	scope *xmlspan.Scanner // a scanner inside the root
	byID  map[string]span
}

func readNotes(kind int, text string) (*notes, error) {
	n := &notes{text: text, byID: make(map[string]span)}
	if text == "" {
		return n, nil
	}
	n.scope = ooxml.Scan(text)
	n.scope.Next()
	s := ooxml.Scan(text)
	for range s.Starts() {
		if s.Is("w", noteNames[kind]) {
			id, pos := s.Get("w", "id"), s.Pos
			s.Skip()
			n.byID[id] = span{pos, s.Stop}
		}
	}
	return n, xmlspan.Known(s.Err())
}

// A noteRule says how the notes of a document or section are numbered.
type noteRule struct {
	start   int
	format  string
	restart bool // numbering restarts in each section
}

var usualRules = [noteKinds]noteRule{{1, "decimal", false}, {1, "lowerRoman", false}}

// readRules reads the rules in settings or in the properties of a section. They
// override the given rules.
func readRules(s *xmlspan.Scanner, rules [noteKinds]noteRule) [noteKinds]noteRule {
	for s.Next() {
		for kind := range noteKinds {
			if s.Kind == xmlspan.Start && s.Depth == 2 && s.Is("w", noteNames[kind]+"Pr") {
				rules[kind].read(s)
			}
		}
	}
	return rules
}

func (r *noteRule) read(s *xmlspan.Scanner) {
	for range s.Starts() {
		switch value := s.Get("w", "val"); s.Local {
		case "numStart":
			r.start = number(value, 1)
		case "numFmt":
			r.format = value
		case "numRestart":
			r.restart = value == "eachSect"
		}
	}
}

// readSettings reads how notes are numbered in sections without own rules.
func readSettings(ctx context.Context, part *ooxml.Part) ([noteKinds]noteRule, error) {
	if part == nil {
		return usualRules, nil
	}
	text, err := part.TextUpTo(ctx, maxParts["styles"])
	if err != nil {
		return usualRules, err
	}
	s := ooxml.Scan(text)
	return readRules(s, usualRules), xmlspan.Known(s.Err())
}

// numberNotes numbers the references to notes. A rule to restart on each page is
// ignored, since pages are unknown.
func (d *docx) numberNotes(usual [noteKinds]noteRule) {
	sections := append(d.breaks[:len(d.breaks):len(d.breaks)], d.final)
	var next [noteKinds]int
	at := 0
	for i, section := range sections {
		rules := usual
		if !section.isEmpty() {
			s := d.scope.Fragment(section.pos, section.stop)
			s.Next()
			rules = readRules(s, usual)
		}
		for kind, rule := range rules {
			if i == 0 || rule.restart {
				next[kind] = rule.start
			}
		}
		for ; at < len(d.references) && (i == len(d.breaks) || d.references[at].pos < section.stop); at++ {
			r := &d.references[at]
			r.mark = "*"
			if !r.own {
				r.number, r.mark = next[r.kind], formatNumber(rules[r.kind].format, next[r.kind])
				next[r.kind]++
			}
		}
	}
}
