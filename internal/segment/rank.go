package segment

import (
	"cmp"
	"slices"
)

// A rescored is a candidate with its exact score. The candidates of all
// segments come with float32 sums in the order of their terms' limits: here
// each is added up in the order of the query, in float64, and pairs are looked
// at.
type rescored struct {
	candidate
	exact float64
	terms []string
	parts []Part
}

// result ranks the candidates.
func (p *plan) result(found *finding) (*Result, error) {
	all := make([]rescored, len(found.best.heap))
	for i, c := range found.best.heap {
		all[i].candidate = c
	}
	slices.SortFunc(all, func(a, b rescored) int {
		return cmp.Or(cmp.Compare(a.view, b.view), cmp.Compare(a.doc, b.doc))
	})
	for i := 0; i < len(all); {
		view := all[i].view
		n := slices.IndexFunc(all[i:], func(r rescored) bool { return r.view != view })
		if n < 0 {
			n = len(all) - i
		}
		if Guard(func() error { return p.rescore(view, all[i:i+n]) }) != nil {
			return nil, &DamageError{view}
		}
		i += n
	}
	slices.SortStableFunc(all, func(a, b rescored) int { return cmp.Compare(b.exact, a.exact) })
	all = all[:min(len(all), p.query.K)]
	r := &Result{Total: found.total, Exact: found.exact, Hits: make([]Hit, len(all))}
	for i, c := range all {
		r.Hits[i] = Hit{View: c.view, Doc: c.doc, Score: c.exact, Terms: c.terms, Parts: c.parts}
	}
	return r, nil
}

// A rescoring looks at candidates of one segment, in ascending order.
type rescoring struct {
	plan    *plan
	segment *Segment
	words   [][]*cursor // of each word, nil where a term is missing
	places  [][]uint32  // positions of each word in the document at hand, ascending
	have    []bool      // whether they are read
}

func (p *plan) rescore(view int, candidates []rescored) error {
	r := &rescoring{plan: p, segment: p.views[view].Segment, words: make([][]*cursor, len(p.words)), places: make([][]uint32, len(p.words)), have: make([]bool, len(p.words))}
	for i, w := range p.words {
		r.words[i] = make([]*cursor, len(w.terms))
		for t, e := range w.at[view] {
			if e.docs == 0 {
				continue
			}
			c := new(cursor)
			if err := c.open(r.segment, e); err != nil {
				return err
			}
			r.words[i][t] = c
		}
	}
	for i := range candidates {
		r.document(&candidates[i])
	}
	for _, cursors := range r.words {
		for _, c := range cursors {
			if c != nil && c.err != nil {
				return c.err
			}
		}
	}
	return nil
}

// document scores one candidate.
func (r *rescoring) document(c *rescored) {
	length := float64(little.Uint16(r.segment.lengths[2*c.doc:]))
	for i := range r.plan.words {
		w := &r.plan.words[i]
		r.have[i] = false
		for t, cursor := range r.words[i] {
			if cursor == nil || cursor.seek(c.doc) != c.doc {
				continue
			}
			weight := cursor.docWeight()
			score := w.scored * saturation(float64(weight), length, r.plan.mean)
			c.exact += score
			c.terms = append(c.terms, w.terms[t])
			if r.plan.query.Explain {
				c.parts = append(c.parts, r.part(c.doc, cursor, Part{Word: w.index, Term: w.terms[t], Weight: int(weight), Score: score}))
			}
		}
	}
	for _, pair := range r.plan.query.Pairs {
		r.pair(c, pair, length)
	}
}

// part completes a part with the fields that the term is in.
func (r *rescoring) part(doc uint32, c *cursor, p Part) Part {
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

// pair adds what two words that are neighbours in the query add where they are
// in the document.
func (r *rescoring) pair(c *rescored, pair [2]int, length float64) {
	i, j := r.planned(pair[0]), r.planned(pair[1])
	if i < 0 || j < 0 {
		return
	}
	times := follow(r.positions(i, c.doc), r.positions(j, c.doc))
	if times == 0 {
		return
	}
	weight := min(r.plan.words[i].weight, r.plan.words[j].weight)
	score := PairBonus * weight * saturation(float64(times), length, r.plan.mean)
	c.exact += score
	if r.plan.query.Explain {
		c.parts = append(c.parts, Part{Word: pair[0], Next: pair[1], Weight: times, Score: score})
	}
}

// planned returns which planned word is that of the query, or -1.
func (r *rescoring) planned(index int) int {
	i, ok := slices.BinarySearchFunc(r.plan.words, index, func(w plannedWord, index int) int { return cmp.Compare(w.index, index) })
	if !ok {
		return -1
	}
	return i
}

// positions returns where a word is in a document.
func (r *rescoring) positions(i int, doc uint32) []uint32 {
	if r.have[i] {
		return r.places[i]
	}
	r.have[i] = true
	r.places[i] = r.places[i][:0]
	terms := 0
	for _, c := range r.words[i] {
		if c != nil && c.seek(doc) == doc {
			r.places[i] = c.docPositions(r.places[i])
			terms++
		}
	}
	if terms > 1 {
		slices.Sort(r.places[i])
	}
	return r.places[i]
}

// follow returns how many positions of b come right after one of a.
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
