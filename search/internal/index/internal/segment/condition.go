package segment

import (
	"cmp"
	"slices"
)

// A plannedCondition is a condition of a query with what the segments have of its terms.
type plannedCondition struct {
	phrases  []plannedPhrase
	title    bool
	excluded bool
}

type plannedPhrase struct {
	offsets []int
	at      [][]entry // by term and view
}

// planConditions looks up the terms of the conditions, excluded ones last.
func (p *plan) planConditions() error {
	for i, conditions := range [][]Condition{p.query.Required, p.query.Excluded} {
		for _, c := range conditions {
			planned := plannedCondition{title: c.Title, excluded: i == 1}
			for _, terms := range c.Phrases {
				var phrase plannedPhrase
				for _, t := range terms {
					at, err := p.lookup.find(t.Term)
					if err != nil {
						return err
					}
					phrase.offsets, phrase.at = append(phrase.offsets, t.Offset), append(phrase.at, at)
				}
				if len(phrase.at) > 0 {
					planned.phrases = append(planned.phrases, phrase)
				}
			}
			p.conditions = append(p.conditions, planned)
		}
	}
	return nil
}

// in reports whether a view has all terms.
func (p *plannedPhrase) in(view int) bool {
	return !slices.ContainsFunc(p.at, func(at []entry) bool { return at[view].docs == 0 })
}

// A condition is a [plannedCondition] opened on one segment, without the phrases that it
// lacks a term of.
type condition struct {
	phrases  []*phrase
	title    bool
	excluded bool
}

// A phrase has a cursor for each of its terms. The segment has all the terms.
type phrase struct {
	cursors []*cursor
	offsets []int
	rarest  []*cursor // the cursors, those of rare terms first
	places  [][]uint32
}

// openConditions opens the conditions of a query. It returns false if no document of the
// segment can meet them.
func (s *scan) openConditions(p *plan) (bool, error) {
	for _, planned := range p.conditions {
		c := &condition{title: planned.title, excluded: planned.excluded}
		for i := range planned.phrases {
			if !planned.phrases[i].in(s.view) {
				continue
			}
			opened, err := s.openPhrase(&planned.phrases[i])
			if err != nil {
				return false, err
			}
			c.phrases = append(c.phrases, opened)
		}
		s.conditions = append(s.conditions, c)
		if len(c.phrases) == 0 && !c.excluded {
			return false, nil
		}
	}
	return true, nil
}

func (s *scan) openPhrase(planned *plannedPhrase) (*phrase, error) {
	p := &phrase{offsets: planned.offsets, places: make([][]uint32, len(planned.at))}
	for _, at := range planned.at {
		var c *cursor
		if n := len(s.spare); n > 0 {
			c, s.spare = s.spare[n-1], s.spare[:n-1]
		} else {
			c = new(cursor)
		}
		p.cursors = append(p.cursors, c)
		if err := c.open(s.segment, at[s.view]); err != nil {
			return nil, err
		}
	}
	p.rarest = slices.Clone(p.cursors)
	slices.SortStableFunc(p.rarest, func(a, b *cursor) int { return cmp.Compare(a.n, b.n) })
	return p, nil
}

// closeConditions keeps the cursors of the conditions for others.
func (s *scan) closeConditions() {
	for _, c := range s.conditions {
		for _, p := range c.phrases {
			for _, cursor := range p.cursors {
				if cursor.forget(); len(s.spare) < maxKept {
					s.spare = append(s.spare, cursor)
				}
			}
		}
	}
	clear(s.conditions)
	s.conditions = s.conditions[:0]
}

// restrict finds the documents of the window that pass filters and conditions. It
// returns false if all pass.
func (s *scan) restrict() (bool, error) {
	if s.only == nil && len(s.conditions) == 0 {
		return false, nil
	}
	met := Bitmap(s.met[:])
	if s.only != nil {
		clear(met)
		copy(met, s.only[s.first/64:min(int(s.first+window)/64, len(s.only))])
	} else {
		for i := range met {
			met[i] = ^uint64(0)
		}
	}
	var holds [window / 64]uint64
	for _, c := range s.conditions {
		clear(holds[:])
		for _, p := range c.phrases {
			if err := s.mark(holds[:], p, c.title); err != nil {
				return false, err
			}
		}
		if c.excluded {
			met.Drop(holds[:])
		} else {
			met.Keep(holds[:])
		}
	}
	return true, nil
}

// mark adds the documents of the window that have a phrase, counted from the window's
// first document.
func (s *scan) mark(holds Bitmap, p *phrase, title bool) error {
	for doc := p.seek(s.first); doc < s.next; doc = p.seek(doc + 1) {
		if p.stands(s.segment, doc, title) {
			holds.Add(doc - s.first)
		}
	}
	for _, c := range p.cursors {
		if c.err != nil {
			return c.err
		}
	}
	return nil
}

// seek advances to the first document, not before doc, that has all terms.
func (p *phrase) seek(doc uint32) uint32 {
	for i := 0; i < len(p.rarest); {
		at := p.rarest[i].seek(doc)
		if at == end {
			return end
		}
		if at == doc || i == 0 {
			doc = at
			i++
			continue
		}
		doc, i = at, 0
	}
	return doc
}

// stands reports whether the phrase occurs in the document that all cursors are at.
func (p *phrase) stands(s *Segment, doc uint32, title bool) bool {
	if len(p.cursors) == 1 && !title {
		return true
	}
	for i, c := range p.cursors {
		p.places[i] = c.docPositions(p.places[i][:0])
	}
	titleEnd := uint32(little.Uint16(s.titles[2*doc:]))
	for _, first := range p.places[0] {
		if title && first >= titleEnd {
			return false
		}
		if p.follows(first) {
			return true
		}
	}
	return false
}

// follows reports whether the other terms are at their offsets from a position of the
// first term.
func (p *phrase) follows(first uint32) bool {
	for i, offset := range p.offsets[1:] {
		if _, ok := slices.BinarySearch(p.places[i+1], first+uint32(offset)); !ok {
			return false
		}
	}
	return true
}
