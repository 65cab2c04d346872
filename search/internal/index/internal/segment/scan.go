package segment

import (
	"context"
	"math/bits"
	"slices"
	"sync"
)

// window is how many documents are scored at once. A search keeps their sums, and skips
// windows in which no document can be among the best.
const window = 1 << 12

// A scan is a search of one segment by MaxScore, window by window. Terms that together
// cannot lift a document among the best are looked up only for documents that other
// terms found.
type scan struct {
	segment *Segment
	into    *searchResult
	view    int
	first   uint32 // first document of the window
	next    uint32 // first document of the next window

	floor      float32       // score that a document of the window must exceed to be among the best of all
	terms      []*scoredTerm // sorted by limit in the window
	optional   int           // how many of terms are only looked up
	sums       []float32     // sums[i] is the sum of the limits of terms[:i+1]
	only       Bitmap        // nil for all
	conditions []*condition
	spare      []*cursor           // of conditions of former scans
	met        [window / 64]uint64 // documents of the window that meet the conditions

	scores [window]float32
	hit    [window / 64]uint64

	base, perLength float32 // K1*(1-B), K1*B/mean
	scale           float32 // corrects limits, which were computed with the segment's own mean
	all             []scoredTerm
}

// A scoredTerm is a term with what it adds to scores.
type scoredTerm struct {
	cursor
	worth float32 // adds worth times saturation
	most  float32 // adds at most this times the limit of saturation in 255ths, safe against rounding
	limit float32 // most that it adds in the window
	block int     // first block that reaches into the window
}

var scans = sync.Pool{New: func() any { return new(scan) }}

// maxKept is how many cursors an unused scan keeps.
const maxKept = 64

func (s *scan) release() {
	if cap(s.all) > maxKept {
		s.all = nil
	}
	for i := range s.all {
		s.all[i].cursor.forget()
	}
	clear(s.scores[:])
	clear(s.hit[:])
	s.closeConditions()
	s.segment, s.into, s.only = nil, nil, nil
	scans.Put(s)
}

func (s *scan) run(ctx context.Context, p *plan, view int, into *searchResult) error {
	s.segment, s.view, s.into = p.views[view].Segment, view, into
	if may, err := s.openConditions(p); err != nil || !may {
		return err
	}
	if err := s.open(p); err != nil {
		return err
	}
	if len(s.terms) == 0 {
		return nil
	}
	for s.first = 0; s.first < uint32(s.segment.docs); s.first = s.next {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.next = min(s.first+window, uint32(s.segment.docs))
		if err := s.window(); err != nil {
			return err
		}
	}
	return nil
}

// open opens cursors for the terms that the segment has.
func (s *scan) open(p *plan) error {
	s.base, s.perLength, s.scale = K1*(1-B), float32(K1*B/p.mean), 1
	if own := float64(s.segment.footer.length) / float64(s.segment.docs); own > 0 && own < p.mean {
		s.scale = float32(p.mean / own)
	}
	n := 0
	for _, w := range p.words {
		for _, at := range w.at {
			if at[s.view].docs > 0 {
				n++
			}
		}
	}
	s.all = slices.Grow(s.all[:0], n)[:n]
	s.terms, n = s.terms[:0], 0
	for _, w := range p.words {
		for _, at := range w.at {
			e := at[s.view]
			if e.docs == 0 {
				continue
			}
			t := &s.all[n]
			n++
			t.worth, t.block = float32(w.scored), 0
			t.most = t.worth * s.scale / 255 * roundingSlack
			if err := t.open(s.segment, e); err != nil {
				return err
			}
			s.terms = append(s.terms, t)
		}
	}
	var err error
	s.only, err = p.only(p.views[s.view])
	return err
}

// window scores the documents of a window.
func (s *scan) window() error {
	counting := s.into.isCounting()
	threshold := s.into.share()
	s.floor = threshold
	sum := s.limits()
	if sum == 0 {
		return nil
	}
	if !counting && sum <= threshold {
		s.into.exact = false
		return nil
	}
	selective, err := s.restrict()
	if err != nil || selective && s.met == [window / 64]uint64{} {
		return err
	}
	s.split(threshold, counting)
	if s.optional > 0 && s.sums[s.optional-1] > 0 {
		s.into.exact = false
	}
	for _, t := range s.terms[s.optional:] {
		mayLack := float32(-1)
		if !counting {
			mayLack = threshold - (sum - t.limit)
		}
		s.accumulate(t, mayLack)
	}
	s.collect(selective)
	for _, t := range s.terms {
		if t.err != nil {
			return t.err
		}
	}
	return nil
}

// limits sets the most that each term adds in the window, and returns the sum.
func (s *scan) limits() (sum float32) {
	for _, t := range s.terms {
		for t.block < t.blocks && t.last(t.block) < s.first {
			t.block++
		}
		limit := byte(0)
		for b := t.block; b < t.blocks; b++ {
			limit = max(limit, t.cursor.limit(b))
			if t.last(b) >= s.next-1 {
				break
			}
		}
		t.limit = t.adds(limit)
		sum += t.limit
	}
	return sum
}

// adds returns the most that a term adds if its saturation is at most limit 255ths.
func (t *scoredTerm) adds(limit byte) float32 { return t.most * float32(limit) }

// roundingSlack makes limits safe against the rounding of sums.
const roundingSlack = 1.0001

// split sorts the terms by limit, and determines how many are optional.
func (s *scan) split(threshold float32, counting bool) {
	slices.SortFunc(s.terms, func(a, b *scoredTerm) int {
		switch {
		case a.limit < b.limit:
			return -1
		case a.limit > b.limit:
			return 1
		}
		return 0
	})
	s.sums, s.optional = s.sums[:0], 0
	sum := float32(0)
	for i, t := range s.terms {
		sum += t.limit
		s.sums = append(s.sums, sum)
		if !counting && sum <= threshold {
			s.optional = i + 1
		}
	}
}

// accumulate adds a term's contribution to the scores of the window. It skips blocks in
// which the term adds at most mayLack: too little to lift a document among the best.
func (s *scan) accumulate(t *scoredTerm, mayLack float32) {
	if t.limit == 0 {
		return
	}
	for b := t.find(s.first); b < t.blocks && t.first(b) < s.next; b++ {
		if t.adds(t.cursor.limit(b)) <= mayLack {
			s.into.exact = false
			continue
		}
		if b != t.cursor.block && !t.load(b) {
			return
		}
		if s.accumulateBlock(t); t.at < t.in {
			return
		}
	}
}

// accumulateBlock adds a term's contribution to the scores of those documents of the
// window that are in its current block.
func (s *scan) accumulateBlock(t *scoredTerm) {
	if t.docs[t.at] < s.first {
		t.at += firstFrom(t.docs[t.at:t.in], s.first)
	}
	t.loadWeights()
	lengths := s.segment.lengths
	i := t.at
	for ; i < t.in && t.docs[i] < s.next; i++ {
		doc := t.docs[i]
		weight := float32(t.weight[i] + 1)
		s.scores[doc-s.first] += t.worth * weight / (weight + s.base + s.perLength*float32(little.Uint16(lengths[2*doc:])))
		s.hit[(doc-s.first)/64] |= 1 << ((doc - s.first) % 64)
	}
	t.at = i
}

// collect offers the scored documents of the window for the best.
func (s *scan) collect(selective bool) {
	least, more, matched := s.least(), float32(0), 0
	if s.optional > 0 {
		more = s.sums[s.optional-1]
	}
	for i, word := range s.hit {
		if word == 0 {
			continue
		}
		s.hit[i] = 0
		for rest := word; rest != 0; rest &= rest - 1 {
			at := i*64 + bits.TrailingZeros64(rest)
			score := s.scores[at]
			s.scores[at] = 0
			if selective && s.met[i]&(rest&-rest) == 0 {
				continue
			}
			matched++
			if score+more > least && s.complete(s.first+uint32(at), score, least) {
				least = s.least()
			}
		}
	}
	s.into.count(matched)
}

// least returns the score that a document must exceed to be among the best. While there
// is room, it is lower than any score.
func (s *scan) least() float32 {
	if s.into.best.full() {
		return max(s.floor, s.into.best.threshold())
	}
	if s.floor > 0 {
		return s.floor
	}
	return -1
}

// complete adds the contributions of the optional terms to a document's score, and puts
// the document among the best. It returns false if the score does not exceed least.
func (s *scan) complete(doc uint32, score, least float32) bool {
	for i := s.optional - 1; i >= 0; i-- {
		if score+s.sums[i] <= least {
			return false
		}
		t := s.terms[i]
		if t.limit == 0 {
			continue
		}
		if t.isBehind(doc) { // checking the limit of a block costs less than loading it
			others := score
			if i > 0 {
				others += s.sums[i-1]
			}
			if others+t.adds(t.limitAt(doc)) <= least {
				return false
			}
		}
		if t.seek(doc) != doc {
			continue
		}
		weight := float32(t.docWeight())
		score += t.worth * weight / (weight + s.base + s.perLength*float32(little.Uint16(s.segment.lengths[2*doc:])))
	}
	if score > least {
		s.into.best.add(candidate{score, s.view, doc})
		return true
	}
	return false
}
