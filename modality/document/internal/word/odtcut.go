package word

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/odf"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

func (d *odt) cut(ctx context.Context, src io.ReaderAt, size int64, first, last int, cells citekit.Cells) (*evidence, error) {
	p, err := odf.Open(ctx, src, size)
	if err != nil {
		return nil, err
	}
	kept := span{d.list[first].pos, d.list[last-1].stop}
	var edits []xmlspan.Edit
	if !cells.IsZero() {
		kept, _ = d.tableOf(first)
		edits = d.cutCells(kept, cells)
	}
	numbers := d.renumber(kept, edits)
	edits = append(edits, numbers.edits...)
	page := d.page(d.list[first], kept)
	edits = append(edits, page.edits...)
	edits = append(edits, d.countOn(kept)...)
	content, err := d.compose(kept, edits, page)
	if err != nil {
		return nil, err
	}
	if content, err = setStarts(content, numbers.starts); err != nil {
		return nil, err
	}
	styles, err := d.cutStyles(kept, numbers.starts)
	if err != nil {
		return nil, err
	}
	c := odf.NewCut(p)
	changes, err := c.Fit(ctx, content, styles, page.masters)
	if err != nil {
		return nil, err
	}
	out := &limited{left: maxCut}
	if err := c.WriteTo(ctx, out); err != nil {
		return nil, err
	}
	mediaType, ext := d.format()
	return &evidence{data: out.Bytes(), mediaType: mediaType, ext: ext, changes: changes}, nil
}

// compose writes the content of the cut: the blocks, with the tracked changes and
// sequence declarations that they use.
func (d *odt) compose(kept span, edits []xmlspan.Edit, page odtPage) (string, error) {
	changes, sequences, err := d.used(kept)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(xmlspan.Splice(d.text, 0, d.bodyStart, page.styles))
	b.WriteString(d.some(d.changes, "changed-region", changes))
	b.WriteString(d.some(d.sequences, "sequence-decl", sequences))
	b.WriteString(xmlspan.Splice(d.text, kept.pos, kept.stop, edits))
	b.WriteString(d.text[d.bodyStop:])
	return b.String(), nil
}

// used returns the ids of the tracked changes in a span, and the names of the
// sequences that count there.
func (d *odt) used(kept span) (changes, sequences map[string]bool, err error) {
	changes, sequences = make(map[string]bool), make(map[string]bool)
	started := make(map[string]bool)
	s := d.scope.Fragment(kept.pos, kept.stop)
	for range s.Starts() {
		if s.Space != "text" {
			continue
		}
		switch id := s.Get("text", "change-id"); s.Local {
		case "change":
			changes[id] = true
		case "change-start":
			started[id] = true
		case "change-end":
			if started[id] {
				changes[id] = true
			}
		case "sequence":
			sequences[s.Get("text", "name")] = true
		}
	}
	return changes, sequences, xmlspan.Known(s.Err())
}

// some returns an element reduced to its children of the given local name that are in
// names, or "" if names is empty.
func (d *odt) some(at span, local string, names map[string]bool) string {
	if len(names) == 0 || at.isEmpty() {
		return ""
	}
	var edits []xmlspan.Edit
	s := d.scope.Fragment(at.pos, at.stop)
	for range s.Starts() {
		if !s.Is("text", local) {
			continue
		}
		known := false
		for a := range s.Attrs() {
			known = known || (a.Local == "id" || a.Local == "name") && names[a.Value]
		}
		pos := s.Pos
		if s.Skip(); !known {
			edits = append(edits, xmlspan.Edit{Pos: pos, Stop: s.Stop})
		}
	}
	return xmlspan.Splice(d.text, at.pos, at.stop, edits)
}

// cutStyles returns the styles of the cut. Lists and notes begin with the numbers
// shown in the source.
func (d *odt) cutStyles(kept span, starts map[odtStart]int) (string, error) {
	styles, err := setStarts(d.stylesText, starts)
	if err != nil || styles == "" {
		return styles, err
	}
	var edits []xmlspan.Edit
	s := odf.Scan(styles)
	for range s.Starts() {
		if !s.Is("text", "notes-configuration") {
			continue
		}
		kind := footnote
		if s.Get("text", "note-class") == "endnote" {
			kind = endnote
		}
		at := s.Get("text", "start-numbering-at")
		if n := d.notesBefore(kind, kept); n > 0 && (at == "" || at == "document") {
			edits = append(edits, setAttr(s, "text", "start-value", fmt.Sprint(n+odf.Number(s.Get("text", "start-value"), 0))))
		}
	}
	return xmlspan.Splice(styles, 0, len(styles), edits), xmlspan.Known(s.Err())
}

// notesBefore returns the number of numbered notes before the first one in a span, or
// 0 if the span has none.
func (d *odt) notesBefore(kind int, part span) int {
	for i, pos := range d.notes[kind] {
		if pos >= part.pos {
			if pos < part.stop {
				return i
			}
			break
		}
	}
	return 0
}

// setAttr returns the edit that sets an attribute of the current element. A new
// attribute gets the prefix of the element.
func setAttr(s *xmlspan.Scanner, space, local, value string) xmlspan.Edit {
	for a := range s.Attrs() {
		if a.Space == space && a.Local == local {
			return xmlspan.Edit{Pos: a.ValuePos, Stop: a.ValueStop, Text: value}
		}
	}
	at := s.Pos + 1 + len(s.Name())
	return xmlspan.Edit{Pos: at, Stop: at, Text: fmt.Sprintf(` %s%s="%s"`, prefixAt(s.Name(), 0), local, value)}
}

// countOn returns the edits that give the first member of each sequence in a span,
// such as a figure, the number that it shows.
func (d *odt) countOn(part span) (edits []xmlspan.Edit) {
	seen := make(map[string]bool)
	s := d.scope.Fragment(part.pos, part.stop)
	for s.Next() {
		if s.Kind != xmlspan.Start || !s.Is("text", "sequence") || seen[s.Get("text", "name")] {
			continue
		}
		seen[s.Get("text", "name")] = true
		edit := setAttr(s, "text", "formula", "")
		if n := number(s.Chars(), 0); n > 0 && edit.Pos < edit.Stop {
			edit.Text = fmt.Sprintf("ooow:%d", n)
			edits = append(edits, edit)
		}
	}
	return edits
}
