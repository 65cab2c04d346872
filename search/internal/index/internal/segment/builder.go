package segment

import (
	"iter"
	"strings"
)

// A Resource is what documents belong to: they are added and deleted with it. A
// resource with many documents may be spread over several segments, as parts counted
// from 0.
type Resource struct {
	ID      string
	Version string // version that was indexed
	Part    int
	Final   bool // whether this is the last part
}

// A Document is the input for one document of an index. The numbers beside the terms
// are their positions, ascending from 0. Its length is the number of positions that have
// terms.
type Document struct {
	Title, Body iter.Seq2[string, int]

	Keywords []string // for filters; see [Segment.Having]
	Time     int64    // for [Segment.Between]

	// Record is stored unchanged. A reader gets all records of the resource together,
	// in the order in which the documents were added.
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
	places    []uint32 // where each record begins among those of its resource
	records   []byte

	doc occurrences
}

// A builtTerm is a term with its postings. Each posting holds the distance from the
// previous document, the weight, the number of positions and the gaps between them.
type builtTerm struct {
	text     string
	postings chain
	df       uint32
	last     uint32 // latest document
	slot     uint32 // index in occurrences plus one; valid if seen is the current document
	seen     uint32 // document plus one
}

type builtResource struct {
	Resource
	first   uint32 // first document
	records int    // where its records start
}

// occurrences are the terms of one document.
type occurrences struct {
	slots     []slot
	positions []placedSlot
	ordered   []uint32
}

type slot struct{ term, weight, count, next, last uint32 } // last is the latest position plus one

type placedSlot struct{ slot, position uint32 }

// NewBuilder returns an empty Builder.
func NewBuilder() *Builder { return &Builder{ids: make(map[string]uint32)} }

// Docs returns the number of documents added.
func (b *Builder) Docs() int { return len(b.lengths) }

// Size estimates the memory that the Builder uses, in bytes.
func (b *Builder) Size() int {
	return len(b.arena.pages)*pageSize + len(b.terms)*160 + len(b.records) + 20*len(b.lengths)
}

// Start begins a resource, to which the documents added next belong. A resource may
// have no documents.
func (b *Builder) Start(r Resource) {
	b.resources = append(b.resources, builtResource{Resource: r, first: uint32(b.Docs()), records: len(b.records)})
}

// Final marks the resource started last as complete: no further part follows.
func (b *Builder) Final() { b.resources[len(b.resources)-1].Final = true }

// Add adds a document to the resource started last.
func (b *Builder) Add(d Document) {
	b.doc.slots, b.doc.positions = b.doc.slots[:0], b.doc.positions[:0]
	length, titleEnd := 0, 0
	if d.Title != nil {
		for text, position := range d.Title {
			if position < maxTitle {
				b.occur(text, TitleWeight, uint32(position))
				if position >= titleEnd {
					length += TitleWeight
					titleEnd = position + 1
				}
			}
		}
	}
	if titleEnd > 0 {
		titleEnd += titleGap
	}
	if d.Body != nil {
		end := 0
		for text, position := range d.Body {
			if position < maxBody {
				b.occur(text, 1, uint32(titleEnd+position))
				if position >= end {
					length++
					end = position + 1
				}
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

// term returns the number of a term, and adds the term if it is new.
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

// occur counts a term in the current document, once at each position.
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
	if s.last == position+1 {
		return
	}
	s.last = position + 1
	s.weight += weight
	s.count++
	b.doc.positions = append(b.doc.positions, placedSlot{t.slot, position})
}

// flushOccurrences adds the postings of the current document.
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
