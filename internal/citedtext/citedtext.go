// Package citedtext reads text with citations that is written for people. It
// finds which words are quoted or claimed, which addresses are cited for them,
// and which sentences cite nothing. It reads Markdown as people and models
// write it, and quotation marks of all languages. It does not open resources.
//
// [Mentions] finds the addresses alone, bare, in brackets, in links and in
// footnotes: where each is and how it is written, so that it can be replaced.
package citedtext

import (
	"slices"
	"strings"

	"github.com/citekit/citekit"
)

// MaxAtOnce is how many citations in one place are used for one quote, and how
// many a note may have.
const MaxAtOnce = 16

// A Passage is a part of a text. Offsets are in bytes of the text, from 0; the
// end is exclusive.
type Passage struct {
	From, To int

	// Text is the text of the part, without the marks of citations, links and
	// emphasis, and with "&" for "&amp;".
	Text string

	// Written is the text with its marks of emphasis and code and its references
	// of HTML, if it differs from Text; else "".
	Written string

	Quoted bool // it is in quotation marks, or in a block quotation
}

// A Citation is an address in a text.
type Citation struct {
	From, To int
	Address  citekit.Address
	Err      error // why the address is invalid

	titled bool // the title of its link is a quote, with a statement of its own
}

// A Statement is a quote or claim with the addresses cited for it.
type Statement struct {
	// Quotes are the quotes that the citations belong to; none if the words are
	// not quoted.
	Quotes []Passage

	// Claim is the sentence, or the part of one, if there are no quotes. Its
	// text is "" if there are no words.
	Claim Passage

	Citations []Citation
}

// A Text has the statements of a text and its uncited passages, both in text
// order.
type Text struct {
	Statements []Statement

	// Uncited are the sentences without a citation, and the quotes that no
	// citation belongs to.
	Uncited []Passage
}

// A Known says what a library has.
type Known struct {
	Modality func(citekit.Modality) bool
	Resource func(id string) bool
}

// Parse reads a text. Addresses whose modality and resource are both unknown are
// ignored, and so are those in code, save for a known resource whose address is
// alone between backquotes. It takes linear time, and memory of a few times the size
// of the text.
func Parse(text string, known Known) *Text {
	d := &document{text: text, known: known, notes: make(map[string]*note)}
	for m := range Mentions(text) {
		if !m.Fenced && (known.Modality(m.Modality) || known.Resource(m.ID)) {
			d.mentions = append(d.mentions, m)
		}
	}
	d.readBlocks()
	d.defineNotes()
	for _, b := range d.blocks {
		b.readInline(d)
	}
	for _, b := range d.blocks {
		b.arrange(d)
	}
	d.settleQuotations()
	for _, b := range d.blocks {
		b.tell(d)
	}
	d.tellUnused()
	slices.SortStableFunc(d.found.Statements, func(a, b Statement) int { return a.from() - b.from() })
	slices.SortStableFunc(d.found.Uncited, func(a, b Passage) int { return a.From - b.From })
	return &d.found
}

// from returns the start of a statement.
func (s *Statement) from() int {
	switch {
	case len(s.Quotes) > 0:
		return s.Quotes[0].From
	case s.Claim.Text != "":
		return s.Claim.From
	}
	return s.Citations[0].From
}

// A document is a text while it is read.
type document struct {
	text     string
	known    Known
	mentions []Mention // in order
	blocks   []*block
	notes    map[string]*note // by label, in lower case; labels of notes begin with "^"
	found    Text
}

// A note is the definition of a label of a link or a note.
type note struct {
	citations []Citation
	used      bool
	block     bool // it is a block of its own, not the target of links
}

// noteOf returns the definition of a label, or nil.
func (d *document) noteOf(label string) *note { return d.notes[labelOf(label)] }

func labelOf(label string) string { return strings.ToLower(strings.Join(strings.Fields(label), " ")) }

// define adds a citation to the definition of a label.
func (d *document) define(label string, c Citation) {
	label = labelOf(label)
	n := d.notes[label]
	if n == nil {
		n = &note{}
		d.notes[label] = n
	}
	n.citations = append(n.citations, c)
}

// within returns the mentions between two offsets of the text, the second
// exclusive.
func (d *document) within(from, to int) []Mention {
	at := func(m Mention, offset int) int { return m.From - offset }
	i, _ := slices.BinarySearchFunc(d.mentions, from, at)
	j, _ := slices.BinarySearchFunc(d.mentions, to, at)
	return d.mentions[i:max(i, j)]
}

// defineNotes defines the labels of blocks that are notes.
func (d *document) defineNotes() {
	for _, b := range d.blocks {
		if b.kind != footnote {
			continue
		}
		for _, m := range d.within(b.at(0), b.at(len(b.text))) {
			if d.text[m.From-1] == '`' && !d.known.Resource(m.ID) { // code
				continue
			}
			d.define(b.label, citationOf(m))
			d.noteOf(b.label).block = true
		}
	}
}

func citationOf(m Mention) Citation {
	return Citation{From: m.From, To: m.To, Address: m.Address, Err: m.Err}
}

// tellUnused adds statements for the addresses of labels that nothing uses, and
// for those of one label beyond [MaxAtOnce].
func (d *document) tellUnused() {
	for _, n := range d.notes {
		left := n.citations
		if n.used {
			left = left[min(len(left), MaxAtOnce):]
		} else if n.block {
			left = nil // the block adds them
		}
		for _, c := range untitled(left) {
			d.found.Statements = append(d.found.Statements, Statement{Citations: []Citation{c}})
		}
	}
}
