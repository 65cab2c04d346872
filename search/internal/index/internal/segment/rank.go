package segment

import (
	"cmp"
	"slices"
	"sync"
)

// An exactCandidate is a candidate with its exact score. The candidates of all segments have
// float32 sums, added in the order of their terms' limits. Here each sum is recomputed
// in the order of the query, in float64, and pairs are added.
type exactCandidate struct {
	candidate
	exact float64
	terms []string
	parts []Part
}

// result ranks the candidates.
func (p *plan) result(found *searchResult) (*Result, error) {
	slices.SortFunc(found.best.heap, byPlace)
	all := make([]exactCandidate, len(found.best.heap))
	order := make([]*exactCandidate, len(all))
	for i, c := range found.best.heap {
		all[i].candidate, order[i] = c, &all[i]
	}
	for left := all; len(left) > 0; {
		n := 1
		for n < len(left) && left[n].view == left[0].view {
			n++
		}
		view := left[0].view
		if Guard(func() error { return p.rescore(view, left[:n]) }) != nil {
			return nil, &DamageError{view}
		}
		left = left[n:]
	}
	slices.SortFunc(order, func(a, b *exactCandidate) int {
		if a.exact != b.exact {
			return cmp.Compare(b.exact, a.exact)
		}
		return byPlace(a.candidate, b.candidate)
	})
	n := min(len(order), p.query.K)
	for 0 < n && n < len(order) && order[n].exact == order[n-1].exact { // their place depends on when they were put
		n++
	}
	order = order[:n]
	r := &Result{Total: found.total, Exact: found.exact, Hits: make([]Hit, len(order))}
	if len(order) > 0 {
		r.Scale = p.scale()
	}
	for i, c := range order {
		r.Hits[i] = Hit{View: c.view, Doc: c.doc, Score: c.exact, Terms: c.terms, Parts: c.parts}
	}
	return r, nil
}

// byPlace orders candidates by view and document.
func byPlace(a, b candidate) int {
	if a.view != b.view {
		return cmp.Compare(a.view, b.view)
	}
	return cmp.Compare(a.doc, b.doc)
}

// A rescorer rescores the candidates of one segment, in ascending order.
type rescorer struct {
	plan    *plan
	segment *Segment
	words   []rescoredWord // of the plan
	cursors []cursor       // of all words
	terms   []string       // of the candidates so far
}

// A rescoredWord is a word of a plan in the current document.
type rescoredWord struct {
	cursors []*cursor // one for each term, nil if the segment lacks it
	there   bool      // whether the document has it
	places  []uint32  // positions, ascending
	have    bool      // whether places is loaded
}

var rescorings = sync.Pool{New: func() any { return new(rescorer) }}

func (r *rescorer) release() {
	if cap(r.cursors) > maxKept {
		r.cursors = nil
	}
	for i := range r.cursors {
		r.cursors[i].forget()
	}
	r.plan, r.segment, r.terms = nil, nil, nil
	rescorings.Put(r)
}

// open opens cursors for the terms that the segment has.
func (r *rescorer) open(view int) error {
	r.segment = r.plan.views[view].Segment
	n := 0
	for _, w := range r.plan.words {
		n += len(w.terms)
	}
	r.cursors = slices.Grow(r.cursors[:0], n)[:n]
	r.words = slices.Grow(r.words[:0], len(r.plan.words))[:len(r.plan.words)]
	n = 0
	for i, w := range r.plan.words {
		word := &r.words[i]
		word.cursors = word.cursors[:0]
		for _, at := range w.at {
			e := at[view]
			if e.docs == 0 {
				word.cursors = append(word.cursors, nil)
				continue
			}
			c := &r.cursors[n]
			n++
			if err := c.open(r.segment, e); err != nil {
				return err
			}
			word.cursors = append(word.cursors, c)
		}
	}
	return nil
}

func (p *plan) rescore(view int, candidates []exactCandidate) error {
	r := rescorings.Get().(*rescorer)
	defer r.release()
	r.plan = p
	if err := r.open(view); err != nil {
		return err
	}
	r.terms = make([]string, 0, 2*len(candidates))
	for i := range candidates {
		first := len(r.terms)
		r.document(&candidates[i])
		candidates[i].terms = r.terms[first:len(r.terms):len(r.terms)]
	}
	for _, w := range r.words {
		for _, c := range w.cursors {
			if c != nil && c.err != nil {
				return c.err
			}
		}
	}
	return nil
}

// document rescores one candidate.
func (r *rescorer) document(c *exactCandidate) {
	length := float64(little.Uint16(r.segment.lengths[2*c.doc:]))
	for i := range r.words {
		w, planned := &r.words[i], &r.plan.words[i]
		w.there, w.have = false, false
		for t, cursor := range w.cursors {
			if cursor == nil || cursor.seek(c.doc) != c.doc {
				continue
			}
			w.there = true
			weight := cursor.docWeight()
			score := planned.scored * saturation(float64(weight), length, r.plan.mean)
			c.exact += score
			r.terms = append(r.terms, planned.terms[t])
			if r.plan.query.Explain {
				c.parts = append(c.parts, r.part(c.doc, cursor, Part{Word: planned.index, Term: planned.terms[t], Weight: int(weight), Score: score}))
			}
		}
	}
	for _, pair := range r.plan.pairs {
		if r.words[pair[0]].there && r.words[pair[1]].there {
			r.pair(c, pair, length)
		}
	}
}

// part fills in which fields of the document have the term.
func (r *rescorer) part(doc uint32, c *cursor, p Part) Part {
	titleEnd := uint32(little.Uint16(r.segment.titles[2*doc:]))
	for _, position := range c.docPositions(nil) {
		if position < titleEnd {
			p.Title = true
		} else {
			p.Body = true
		}
	}
	return p
}

// pair adds the bonus for two neighbours of the query, both in the document, if they
// are also neighbours there.
func (r *rescorer) pair(c *exactCandidate, pair [2]int, length float64) {
	times := follow(r.positions(pair[0], c.doc), r.positions(pair[1], c.doc))
	if times == 0 {
		return
	}
	a, b := &r.plan.words[pair[0]], &r.plan.words[pair[1]]
	score := PairBonus * min(a.weight, b.weight) * saturation(float64(times), length, r.plan.mean)
	c.exact += score
	if r.plan.query.Explain {
		c.parts = append(c.parts, Part{Word: a.index, Next: b.index, Weight: times, Score: score})
	}
}

// positions returns the positions of a word in a document.
func (r *rescorer) positions(i int, doc uint32) []uint32 {
	w := &r.words[i]
	if w.have {
		return w.places
	}
	w.have, w.places = true, w.places[:0]
	terms := 0
	for _, c := range w.cursors {
		if c != nil && c.doc() == doc {
			w.places = c.docPositions(w.places)
			terms++
		}
	}
	if terms > 1 {
		slices.Sort(w.places)
	}
	return w.places
}

// follow returns how many positions of b come right after a position of a.
func follow(a, b []uint32) (times int) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch next := a[i] + 1; {
		case b[j] < next:
			j++
		case b[j] > next:
			i++
		default:
			times++
			i++
			j++
		}
	}
	return times
}
