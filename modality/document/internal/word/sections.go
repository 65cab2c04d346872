package word

import (
	"fmt"
	"strings"

	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// sections returns the section properties at the end of the cut, and the edits of the
// blocks before them. The properties of a section are at its end: the cut ends with
// those of the section that contains its last block. If that block ends the section
// itself, they move from it to the end.
func (d *docx) sections(kept span, last block) (final string, edits []xmlspan.Edit) {
	at := d.final
	var within []span
	for _, b := range d.breaks {
		switch {
		case b.pos < kept.pos:
		case b.pos < kept.stop && !(last.kind == "p" && b.pos > last.pos):
			within = append(within, b)
		case b.pos < kept.stop:
			edits = append(edits, xmlspan.Edit{Pos: b.pos, Stop: b.stop})
			fallthrough
		default:
			at = b
		}
		if at != d.final {
			break
		}
	}
	if at.isEmpty() {
		return "", edits
	}
	first := at
	if len(within) > 0 {
		first = within[0]
	}
	more := d.inherit(first, kept)
	if first != at {
		return d.text[at.pos:at.stop], append(edits, more...)
	}
	return xmlspan.Splice(d.text, at.pos, at.stop, more), edits
}

// A sheet holds the page properties of a section that later sections inherit.
type sheet struct {
	start   span              // its start tag
	borders map[string]string // references to headers and footers, by kind
	notes   [noteKinds]span   // its note properties
	insert  int               // offset after its references
}

func (d *docx) sheet(at span) sheet {
	s := d.scope.Fragment(at.pos, at.stop)
	s.Next()
	sh := sheet{start: span{s.Pos, s.Stop}, borders: make(map[string]string), insert: s.Stop}
	for range s.Starts() {
		if s.Depth != 2 {
			continue
		}
		switch s.Local {
		case "headerReference", "footerReference":
			key, pos := s.Local+" "+s.Get("w", "type"), s.Pos
			s.Skip()
			sh.borders[key] = d.text[pos:s.Stop]
			sh.insert = s.Stop
		}
		for kind := range noteKinds {
			if pos := s.Pos; s.Kind == xmlspan.Start && s.Local == noteNames[kind]+"Pr" {
				s.Skip()
				sh.notes[kind] = span{pos, s.Stop}
			}
		}
	}
	return sh
}

// borderKinds are the kinds of references, in the order they are written.
var borderKinds = []string{
	"headerReference even", "headerReference default", "headerReference first",
	"footerReference even", "footerReference default", "footerReference first",
}

// inherit returns the edits that give the first section of a cut what it inherits
// from earlier ones: headers and footers, and its first note number.
func (d *docx) inherit(first, kept span) (edits []xmlspan.Edit) {
	own := d.sheet(first)
	inherited := make(map[string]string)
	for _, b := range d.breaks {
		if b.pos >= first.pos || b.pos >= kept.pos {
			break
		}
		for key, reference := range d.sheet(b).borders {
			inherited[key] = reference
		}
	}
	var added strings.Builder
	for _, key := range borderKinds {
		if own.borders[key] == "" {
			added.WriteString(inherited[key])
		}
	}
	for kind := range noteKinds {
		n := d.firstNote(kind, kept)
		numStart := fmt.Sprintf(`<%[1]snumStart %[1]sval="%[2]d"/>`, d.prefix, n)
		switch at := own.notes[kind]; {
		case n > 1 && at.isEmpty():
			fmt.Fprintf(&added, `<%[1]s%[2]sPr>%[3]s</%[1]s%[2]sPr>`, d.prefix, noteNames[kind], numStart)
		case n > 0 && !at.isEmpty():
			edits = append(edits, d.startNotes(at, numStart)...)
		}
	}
	switch {
	case added.Len() == 0:
		return edits
	case own.insert == own.start.stop:
		return append(edits, into(d.text, own.start, added.String()))
	}
	return append(edits, xmlspan.Edit{Pos: own.insert, Stop: own.insert, Text: added.String()})
}

// startNotes returns the edits that replace numStart in note properties.
func (d *docx) startNotes(at span, numStart string) (edits []xmlspan.Edit) {
	s := d.scope.Fragment(at.pos, at.stop)
	s.Next()
	tag := span{s.Pos, s.Stop}
	insert := tag.stop
	for range s.Starts() {
		if s.Depth != 2 {
			continue
		}
		pos, local := s.Pos, s.Local
		s.Skip()
		switch local {
		case "pos", "numFmt":
			insert = s.Stop
		case "numStart":
			edits = append(edits, xmlspan.Edit{Pos: pos, Stop: s.Stop})
		}
	}
	if insert == tag.stop {
		return append(edits, into(d.text, tag, numStart))
	}
	return append(edits, xmlspan.Edit{Pos: insert, Stop: insert, Text: numStart})
}

// firstNote returns the number of the first note of a kind that a span refers to, or
// 0.
func (d *docx) firstNote(kind int, part span) int {
	for _, r := range d.references {
		if r.kind == kind && r.pos >= part.pos && r.pos < part.stop && !r.own {
			return r.number
		}
	}
	return 0
}
