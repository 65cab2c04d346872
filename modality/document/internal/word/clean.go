package word

import (
	"strings"

	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// A story is a cleaned part of a cut: no range or field in it lacks its other half,
// and nothing refers to parts that are left out.
type story struct {
	text     string
	rels     map[string]bool // ids of the relationships that it uses
	notes    [noteKinds]map[string]bool
	comments map[string]bool
	authors  map[string]bool

	embedded []string // the embedded texts that are kept, by their relationships

	objects, controls, links, fields, unread int // what was left out
}

// A cleaner cleans a part of a cut: see [story].
type cleaner struct {
	s      *xmlspan.Scanner
	data   string
	usable func(id string) bool // reports whether a relationship is kept
	chunks map[string]*chunk
	story
	edits  []xmlspan.Edit
	ranges xmlspan.Ranges
	open   []*field
}

// A field is a complex field (ISO/IEC 29500-1, section 17.16.18).
type field struct {
	marks     []xmlspan.Edit // which remove its field characters and its instruction
	code      strings.Builder
	separated bool
}

// clean cleans a part. Bytes without a fault stay as they are.
func clean(text string, chunks map[string]*chunk, usable func(id string) bool) (*story, error) {
	c := &cleaner{s: ooxml.Scan(text), data: text, chunks: chunks, usable: usable, ranges: make(xmlspan.Ranges)}
	c.rels, c.comments, c.authors = make(map[string]bool), make(map[string]bool), make(map[string]bool)
	for kind := range c.notes {
		c.notes[kind] = make(map[string]bool)
	}
	for range c.s.Starts() {
		c.element()
	}
	if err := c.s.Err(); err != nil {
		return nil, xmlspan.Known(err)
	}
	for _, f := range c.open {
		c.drop(f.marks...)
	}
	for key := range c.ranges {
		if id, ok := strings.CutPrefix(key, commentRange+" "); ok && !c.comments[id] {
			c.drop(c.ranges.All(key)...)
		} else {
			c.drop(c.ranges.Unpaired(key)...)
		}
	}
	c.text = xmlspan.Splice(text, 0, len(text), c.edits)
	return &c.story, nil
}

func (c *cleaner) drop(edits ...xmlspan.Edit) { c.edits = append(c.edits, edits...) }

func (c *cleaner) element() {
	s := c.s
	if author, ok := s.Attr("w", "author"); ok {
		c.authors[author] = true
	}
	switch s.Space {
	case "w":
		if c.word() {
			return
		}
	case "o":
		if s.Local == "OLEObject" {
			c.objects++
			c.drop(c.s.Drop())
			return
		}
	case "c":
		if s.Local == "externalData" && !c.usable(s.Get("r", "id")) {
			c.links++
			c.drop(c.s.Drop())
			return
		}
	}
	c.relationships()
}

// word handles an element of the text. It reports whether nothing more has to be done
// for it.
func (c *cleaner) word() bool {
	s := c.s
	if base, isStart, ok := rangeOf(s.Local); ok {
		c.half(base, isStart)
		return true
	}
	switch s.Local {
	case "objectEmbed", "objectLink":
		c.objects++
		c.drop(c.s.Drop())
	case "control":
		c.controls++
		c.drop(c.s.Drop())
	case "subDoc", "attachedTemplate", "headerReference", "footerReference":
		if c.usable(s.Get("r", "id")) {
			return false
		}
		c.drop(c.s.Drop())
	case "altChunk":
		c.chunk()
	case "fldChar":
		c.character()
	case "instrText", "delInstrText":
		c.instruction()
	case "fldSimple":
		c.simple()
		return false
	case "commentReference":
		c.comments[s.Get("w", "id")] = true
	case "footnoteReference":
		c.notes[footnote][s.Get("w", "id")] = true
	case "endnoteReference":
		c.notes[endnote][s.Get("w", "id")] = true
	default:
		return false
	}
	return true
}

// commentRange begins the names of the elements of a comment's range.
const commentRange = "commentRange"

// rangeOf splits the name of an element that begins or ends a range.
func rangeOf(local string) (base string, isStart, ok bool) {
	if base, ok = strings.CutSuffix(local, "Start"); ok {
		isStart = true
	} else if base, ok = strings.CutSuffix(local, "End"); !ok {
		return "", false, false
	}
	switch base {
	case "bookmark", commentRange, "perm", "moveFromRange", "moveToRange",
		"customXmlInsRange", "customXmlDelRange", "customXmlMoveFromRange", "customXmlMoveToRange":
		return base, isStart, true
	}
	return "", false, false
}

// half records the start or the end of a range.
func (c *cleaner) half(base string, isStart bool) {
	key := base + " " + c.s.Get("w", "id")
	c.ranges.Add(key, isStart, c.s.Drop())
}

// character handles a character of a field.
func (c *cleaner) character() {
	kind := c.s.Get("w", "fldCharType")
	here := c.s.Drop()
	if kind == "begin" {
		c.open = append(c.open, &field{marks: []xmlspan.Edit{here}})
		return
	}
	if len(c.open) == 0 {
		c.drop(here)
		return
	}
	f := c.open[len(c.open)-1]
	f.marks = append(f.marks, here)
	if kind != "end" {
		f.separated = true
		return
	}
	c.open = c.open[:len(c.open)-1]
	if fetches(f.code.String()) {
		c.fields++
		c.drop(f.marks...)
	}
}

func (c *cleaner) instruction() {
	s, pos := c.s, c.s.Pos
	var f *field
	if len(c.open) > 0 {
		f = c.open[len(c.open)-1]
	}
	code := s.Chars()
	if here := (xmlspan.Edit{Pos: pos, Stop: s.Stop}); f != nil {
		if !f.separated {
			f.code.WriteString(code)
		}
		f.marks = append(f.marks, here)
	} else {
		c.drop(here)
	}
}

// simple removes the instruction from a simple field that fetches something.
func (c *cleaner) simple() {
	for a := range c.s.Attrs() {
		if a.Space == "w" && a.Local == "instr" && fetches(a.Value) {
			c.fields++
			c.edits = append(c.edits, xmlspan.Edit{Pos: a.ValuePos, Stop: a.ValueStop})
		}
	}
}

// fetches reports whether the instruction of a field reads from another file or
// program.
func fetches(code string) bool {
	name, _, _ := strings.Cut(strings.TrimSpace(code), " ")
	switch strings.ToUpper(name) {
	case "DDE", "DDEAUTO", "LINK", "INCLUDETEXT", "INCLUDEPICTURE", "IMPORT", "INCLUDE", "DATABASE", "RD":
		return true
	}
	return false
}

// relationships records the relationships that an element uses, and removes from it
// the attributes for those that are not kept.
func (c *cleaner) relationships() {
	for a := range c.s.Attrs() {
		if a.Space != "r" && (a.Space != "o" || !strings.EqualFold(a.Local, "relid")) || a.Value == "" {
			continue
		}
		if c.usable(a.Value) {
			c.rels[a.Value] = true
			continue
		}
		c.links++
		c.edits = append(c.edits, xmlspan.Edit{Pos: a.Pos, Stop: a.Stop})
	}
}
