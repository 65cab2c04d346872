package segment

import (
	"context"
	"io"
	"strings"
)

// Merge writes one segment with the live resources of several views, in their order. It
// returns ctx.Err() once ctx is done.
func Merge(ctx context.Context, w io.Writer, views []View) error {
	return Guard(func() error {
		m := newMerger(ctx, views)
		m.encoder = newEncoder(w, m.lengths, m.titles, m.times)
		if err := m.terms(); err != nil {
			return err
		}
		if err := m.records(); err != nil {
			return err
		}
		return m.encoder.finish()
	})
}

// A merger merges segments.
type merger struct {
	ctx     context.Context
	views   []View
	encoder *encoder

	moved   [][]move // by view
	lengths []uint16
	titles  []uint16
	times   []int64

	postings postings
}

// A move says where a live resource goes: its documents get numbers from first on.
type move struct {
	resource int
	from     Range
	first    uint32
}

func newMerger(ctx context.Context, views []View) *merger {
	m := &merger{ctx: ctx, views: views, moved: make([][]move, len(views))}
	for v, view := range views {
		s, dead := view.Segment, view.dead
		for n := range s.resources {
			if len(dead) > 0 && dead[0] == n {
				dead = dead[1:]
				continue
			}
			docs := s.resources[n].Docs
			m.moved[v] = append(m.moved[v], move{n, docs, uint32(len(m.lengths))})
			for doc := docs.First; doc < docs.End; doc++ {
				m.lengths = append(m.lengths, little.Uint16(s.lengths[2*doc:]))
				m.titles = append(m.titles, little.Uint16(s.titles[2*doc:]))
				m.times = append(m.times, s.time(doc))
			}
		}
	}
	return m
}

// terms merges the dictionaries.
func (m *merger) terms() error {
	all := make([]*entries, len(m.views))
	for v, view := range m.views {
		all[v] = view.Segment.from(0)
		all[v].read()
	}
	for n := 0; ; n++ {
		if n%256 == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		term, any := least(all)
		if !any {
			break
		}
		if err := m.term(term, all); err != nil {
			return err
		}
	}
	for _, e := range all {
		if e.err != nil {
			return e.err
		}
	}
	return m.encoder.err
}

// least returns the first of the current terms of all entries.
func least(all []*entries) (term string, any bool) {
	for _, e := range all {
		if at := string(e.term); e.entry.docs > 0 && (!any || at < term) {
			term, any = at, true
		}
	}
	return term, any
}

// term merges the postings of a term, and advances the entries that have it.
func (m *merger) term(term string, all []*entries) error {
	m.postings.reset()
	for v, e := range all {
		if e.entry.docs == 0 || string(e.term) != term {
			continue
		}
		if err := m.copy(v, e.entry); err != nil {
			return err
		}
		if e.read() && strings.Compare(string(e.term), term) <= 0 || e.err != nil {
			return ErrDamaged
		}
	}
	if len(m.postings.docs) > 0 {
		m.encoder.term(term, &m.postings)
	}
	return m.encoder.err
}

// copy appends the postings of an entry's live documents.
func (m *merger) copy(view int, e entry) error {
	var c cursor
	if err := c.open(m.views[view].Segment, e); err != nil {
		return err
	}
	moves := m.moved[view]
	for block := range c.blocks {
		if c.block != block && !c.load(block) {
			return c.err
		}
		c.loadWeights()
		left, placed := c.blockPositions()
		if c.err != nil {
			return c.err
		}
		for i, doc := range c.docs[:c.in] {
			count := 0
			if placed {
				count = int(c.counts[i]) + 1
			}
			size := sizeOfUvarints(left, count)
			for len(moves) > 0 && moves[0].from.End <= doc {
				moves = moves[1:]
			}
			if len(moves) > 0 && moves[0].from.First <= doc {
				m.postings.docs = append(m.postings.docs, doc-moves[0].from.First+moves[0].first)
				m.postings.weights = append(m.postings.weights, c.weight[i]+1)
				m.postings.counts = append(m.postings.counts, uint32(count))
				m.postings.positions = append(m.postings.positions, left[:size]...)
			}
			left = left[size:]
		}
	}
	return nil
}

// records copies the records of each live resource.
func (m *merger) records() error {
	m.encoder.startRecords()
	for v, view := range m.views {
		for _, move := range m.moved[v] {
			if err := m.ctx.Err(); err != nil {
				return err
			}
			records, err := view.Segment.records(move.resource)
			if err != nil {
				return err
			}
			places := make([]uint32, 0, move.from.End-move.from.First)
			for doc := move.from.First; doc < move.from.End; doc++ {
				places = append(places, uint32(view.Segment.place(doc)))
			}
			m.encoder.resource(view.Segment.resources[move.resource].Resource, move.first, places, records)
		}
	}
	return m.encoder.err
}
