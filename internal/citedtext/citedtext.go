// Package citedtext reads text for people that has citations in it: which words
// are quoted or claimed, which addresses are cited for them, and which sentences
// cite nothing. It knows Markdown as people and models write it, and quotation
// marks of all languages. It knows no resources.
package citedtext

import (
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/mention"
)

// MaxAtOnce is how many citations in one place count for one quote, and how many
// a note has.
const MaxAtOnce = 16

// A Passage is a part of a text. Offsets are bytes of the text, from 0, and the
// end is not in it.
type Passage struct {
	From, To int

	// Text is what the part says, without the marks of citations, links and
	// emphasis.
	Text string

	// Written is what the part says with its marks of emphasis and code, if that
	// is another text; else "".
	Written string

	Quoted bool // it stands in quotation marks, or in a block of quotation
}

// A Citation is an address in a text.
type Citation struct {
	From, To int
	Address  citekit.Address
	Err      error // why it is no address
}

// A Statement is what addresses are cited for.
type Statement struct {
	// Quotes are those that the citations are of; none if the words are not
	// quoted.
	Quotes []Passage

	// Claim is the sentence, or the part of one, where there are no quotes. Its
	// text is "" if nothing is said.
	Claim Passage

	Citations []Citation
}

// A Text is what a text cites, and what in it cites nothing, in its order.
type Text struct {
	Statements []Statement

	// Uncited are the sentences without a citation, and the quotes that no
	// citation belongs to.
	Uncited []Passage
}

// Parse reads a text. Addresses of modalities that known does not report are
// those of something else. It takes linear time, and memory of some times the
// text.
func Parse(text string, known func(citekit.Modality) bool) *Text {
	d := &document{text: text, notes: make(map[string]*note)}
	for m := range mention.Find(text) {
		if !m.Fenced && (m.Err != nil || known(m.Address.Location.Modality)) {
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

// from returns where a statement begins.
func (s *Statement) from() int {
	switch {
	case len(s.Quotes) > 0:
		return s.Quotes[0].From
	case s.Claim.Text != "":
		return s.Claim.From
	}
	return s.Citations[0].From
}

// A document is a text as it is read.
type document struct {
	text     string
	mentions []mention.Mention // in order
	blocks   []*block
	notes    map[string]*note // by label, in lower case; those of notes begin with "^"
	found    Text
}

// A note is what a label of a link or a note stands for.
type note struct {
	citations []Citation
	used      bool
	block     bool // it is a block of its own, not the target of links
}

// noteOf returns what a label stands for, or nil.
func (d *document) noteOf(label string) *note { return d.notes[labelOf(label)] }

func labelOf(label string) string { return strings.ToLower(strings.Join(strings.Fields(label), " ")) }

// define adds a citation to what a label stands for.
func (d *document) define(label string, c Citation) {
	label = labelOf(label)
	n := d.notes[label]
	if n == nil {
		n = &note{}
		d.notes[label] = n
	}
	n.citations = append(n.citations, c)
}

// within returns the mentions that stand from one offset of the text up to
// another.
func (d *document) within(from, to int) []mention.Mention {
	at := func(m mention.Mention, offset int) int { return m.From - offset }
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
			d.define(b.label, citationOf(m))
			d.noteOf(b.label).block = true
		}
	}
}

func citationOf(m mention.Mention) Citation {
	return Citation{From: m.From, To: m.To, Address: m.Address, Err: m.Err}
}

// tellUnused tells of the addresses that labels stand for which nothing uses, and
// of those beyond [MaxAtOnce] of one label.
func (d *document) tellUnused() {
	for _, n := range d.notes {
		left := n.citations
		if n.used {
			left = left[min(len(left), MaxAtOnce):]
		} else if n.block {
			left = nil // the block tells of them
		}
		for _, c := range left {
			d.found.Statements = append(d.found.Statements, Statement{Citations: []Citation{c}})
		}
	}
}
