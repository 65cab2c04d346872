package segment

import "slices"

// A condition is a [Condition] opened on one segment.
type condition struct {
	phrases  []*phrase
	title    bool
	excluded bool
}

// A phrase has a cursor for each of its terms. The segment has all the terms.
type phrase struct {
	cursors []*cursor
	offsets []int
	places  [][]uint32
}

// openConditions opens the conditions of a query, excluded ones last.
func openConditions(s *Segment, q *Query) ([]*condition, error) {
	var all []*condition
	for i, conditions := range [][]Condition{q.Required, q.Excluded} {
		for _, c := range conditions {
			opened := &condition{title: c.Title, excluded: i == 1}
			for _, terms := range c.Phrases {
				p, err := openPhrase(s, terms)
				if err != nil {
					return nil, err
				}
				if p != nil {
					opened.phrases = append(opened.phrases, p)
				}
			}
			all = append(all, opened)
		}
	}
	return all, nil
}

// openPhrase returns nil if the segment lacks one of the terms.
func openPhrase(s *Segment, terms Phrase) (*phrase, error) {
	p := &phrase{places: make([][]uint32, len(terms))}
	for _, t := range terms {
		e, ok, err := s.find(t.Term)
		if err != nil || !ok {
			return nil, err
		}
		c := new(cursor)
		if err := c.open(s, e); err != nil {
			return nil, err
		}
		p.cursors = append(p.cursors, c)
		p.offsets = append(p.offsets, t.Offset)
	}
	if len(p.cursors) == 0 {
		return nil, nil
	}
	return p, nil
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
	for i := 0; i < len(p.cursors); {
		at := p.cursors[i].seek(doc)
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
