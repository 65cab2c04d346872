package word

import (
	"github.com/citekit/citekit/internal/ooxml"
	"github.com/citekit/citekit/internal/xmlspan"
)

// The kinds of notes.
const (
	footnote = iota
	endnote
	noteKinds
)

// noteParts are the kinds of relationships that lead to them.
var noteParts = [noteKinds]string{"footnotes", "endnotes"}

// noteNames are the names of the elements that hold one.
var noteNames = [noteKinds]string{"footnote", "endnote"}

// notes are the footnotes or the endnotes of a document.
type notes struct {
	text  string
	scope *xmlspan.Scanner // in the root
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
	for s.Next() {
		if s.Kind == xmlspan.Start && s.Is("w", noteNames[kind]) {
			id, pos := s.Get("w", "id"), s.Pos
			s.Skip()
			n.byID[id] = span{pos, s.Stop}
		}
	}
	return n, ooxml.KnownXML(s.Err())
}

// noteMark returns how the number of a note is shown.
func noteMark(kind, number int) string {
	switch {
	case number == 0:
		return "*"
	case kind == endnote:
		return formatNumber("lowerRoman", number)
	}
	return formatNumber("decimal", number)
}
