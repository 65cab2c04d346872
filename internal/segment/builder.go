package segment

import (
	"iter"
	"strings"
)

// A Resource is what documents belong to, and are put and deleted with. One
// with many documents may be in several segments, as parts counted from 0.
type Resource struct {
	ID      string
	Version string // of what was indexed
	Part    int
	Final   bool // no part comes after this one
}

// A Document is what one document of an index is made from. The numbers beside
// the terms are their positions, which ascend from 0.
type Document struct {
	Title, Body iter.Seq2[string, int]

	Keywords []string // what filters ask for
	Time     int64    // what [Segment.Between] asks for

	// Record is kept as it is. What reads it is given all that is kept for the
	// resource, in the order in which the documents were added.
	Record []byte
}

// A Builder collects documents for a segment. It is not safe for concurrent
// use.
type Builder struct {
	ids     map[string]uint32
	terms   []builtTerm
	arena   arena
	lengths []uint16
	titles  []uint16
	times   []int64
	total   uint64

	resources []builtResource
	places    []uint32 // of each record, in those of its resource
	records   []byte

	doc occurrences
}

// A builtTerm is a term with its postings: for each document how many further
// on it is, the weight, the number of positions and how far apart they are.
type builtTerm struct {
	text     string
	postings chain
	df       uint32
	last     uint32 // document
	slot     uint32 // in occurrences, plus one, if seen is the document at hand
	seen     uint32 // document plus one
}

type builtResource struct {
	Resource
	first   uint32 // document
	records int    // where they start
}

// occurrences are the terms of one document.
type occurrences struct {
	slots     []slot
	positions []placedSlot
	ordered   []uint32
}

type slot struct{ term, weight, count, next uint32 }

type placedSlot struct{ slot, position uint32 }

// NewBuilder returns an empty Builder.
func NewBuilder() *Builder { return &Builder{ids: make(map[string]uint32)} }

// Docs returns how many documents were added.
func (b *Builder) Docs() int { return len(b.lengths) }

// Size returns about how much memory the Builder takes, in bytes.
func (b *Builder) Size() int {
	return len(b.arena.pages)*pageSize + len(b.terms)*160 + len(b.records) + 20*len(b.lengths)
}

// Start begins a resource, which the documents that are added next belong to.
// One without documents is there with none.
func (b *Builder) Start(r Resource) {
	b.resources = append(b.resources, builtResource{Resource: r, first: uint32(b.Docs()), records: len(b.records)})
}

// Final says that no part of the resource that was started last comes after this
// one.
func (b *Builder) Final() { b.resources[len(b.resources)-1].Final = true }

// Add adds a document to the resource that was started last.
func (b *Builder) Add(d Document) {
	b.doc.slots, b.doc.positions = b.doc.slots[:0], b.doc.positions[:0]
	length, titleEnd := 0, 0
	if d.Title != nil {
		for text, position := range d.Title {
			if position < maxTitle {
				b.occur(text, TitleWeight, uint32(position))
				length += TitleWeight
				titleEnd = position + 1
			}
		}
	}
	if titleEnd > 0 {
		titleEnd += titleGap
	}
	if d.Body != nil {
		for text, position := range d.Body {
			if position < maxBody {
				b.occur(text, 1, uint32(titleEnd+position))
				length++
			}
		}
	}
	b.flushOccurrences()
	for _, keyword := range d.Keywords {
		b.addKeyword(keyword)
	}
	length = min(length, maxLength)
	b.lengths = append(b.lengths, uint16(length))
	b.titles = append(b.titles, uint16(titleEnd))
	b.times = append(b.times, d.Time)
	b.total += uint64(length)
	b.places = append(b.places, uint32(len(b.records)-b.resources[len(b.resources)-1].records))
	b.records = append(b.records, d.Record...)
}

// term returns the number of a term.
func (b *Builder) term(text string) uint32 {
	id, ok := b.ids[text]
	if !ok {
		id = uint32(len(b.terms))
		text = strings.Clone(text)
		b.ids[text] = id
		b.terms = append(b.terms, builtTerm{text: text})
	}
	return id
}

// occur counts a term of the document at hand.
func (b *Builder) occur(text string, weight, position uint32) {
	if len(text) > maxTermSize || text == "" || text[0] == keywordMark[0] {
		return
	}
	id := b.term(text)
	t, doc := &b.terms[id], uint32(b.Docs())+1
	if t.seen != doc {
		t.seen, t.slot = doc, uint32(len(b.doc.slots))
		b.doc.slots = append(b.doc.slots, slot{term: id})
	}
	s := &b.doc.slots[t.slot]
	s.weight += weight
	s.count++
	b.doc.positions = append(b.doc.positions, placedSlot{t.slot, position})
}

// flushOccurrences adds the postings of the document at hand.
func (b *Builder) flushOccurrences() {
	d := &b.doc
	if cap(d.ordered) < len(d.positions) {
		d.ordered = make([]uint32, 2*len(d.positions))
	}
	start := uint32(0)
	for i := range d.slots {
		d.slots[i].next = start
		start += d.slots[i].count
	}
	ordered := d.ordered[:len(d.positions)]
	for _, p := range d.positions {
		s := &d.slots[p.slot]
		ordered[s.next] = p.position
		s.next++
	}
	for _, s := range d.slots {
		b.posting(s.term, s.weight, ordered[s.next-s.count:s.next])
	}
}

func (b *Builder) addKeyword(keyword string) {
	if len(keyword) >= maxTermSize {
		return
	}
	id, doc := b.term(keywordMark+keyword), uint32(b.Docs())+1
	if b.terms[id].seen != doc {
		b.terms[id].seen = doc
		b.posting(id, 1, nil)
	}
}

func (b *Builder) posting(term, weight uint32, positions []uint32) {
	t, doc := &b.terms[term], uint32(b.Docs())
	b.arena.appendUvarint(&t.postings, uint64(doc-t.last))
	b.arena.appendUvarint(&t.postings, uint64(weight))
	b.arena.appendUvarint(&t.postings, uint64(len(positions)))
	last := uint32(0)
	for _, p := range positions {
		b.arena.appendUvarint(&t.postings, uint64(p-last))
		last = p
	}
	t.last = doc
	t.df++
}
