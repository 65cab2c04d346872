package segment

import "slices"

// A Scale scores texts as a search scores documents: by its words, their rarity and the
// mean length of documents.
type Scale struct {
	words []plannedWord
	pairs [][2]int
	mean  float64
	of    map[string][]int // the words that a term stands for
}

func (p *plan) scale() *Scale {
	s := &Scale{words: p.words, pairs: p.pairs, mean: p.mean, of: make(map[string][]int, len(p.words))}
	for i, w := range s.words {
		for _, term := range w.terms {
			s.of[term] = append(s.of[term], i)
		}
	}
	return s
}

// Has reports whether a term is of a word of the query.
func (s *Scale) Has(term string) bool { return len(s.of[term]) > 0 }

// An Occurrence is a term of a text.
type Occurrence struct {
	Term     string
	Position int
	Title    bool // it counts [TitleWeight] times
}

// Score scores a text of so many terms, those of a title counted [TitleWeight] times. The
// occurrences are of terms that the scale has, with ascending positions.
func (s *Scale) Score(occurrences []Occurrence, length int) (score float64, parts []Part) {
	size := float64(min(length, maxLength))
	places := make([][]uint32, len(s.words))
	counted := make([]Part, 0, len(s.words))
	for _, o := range occurrences {
		for _, w := range s.of[o.Term] {
			places[w] = append(places[w], uint32(o.Position))
			index := s.words[w].index
			at := slices.IndexFunc(counted, func(p Part) bool { return p.Word == index && p.Term == o.Term })
			if at < 0 {
				at = len(counted)
				counted = append(counted, Part{Word: index, Term: o.Term})
			}
			p := &counted[at]
			if o.Title {
				p.Title, p.Weight = true, p.Weight+TitleWeight
			} else {
				p.Body, p.Weight = true, p.Weight+1
			}
		}
	}
	slices.SortStableFunc(counted, func(a, b Part) int { return a.Word - b.Word })
	for _, p := range counted {
		at := slices.IndexFunc(s.words, func(w plannedWord) bool { return w.index == p.Word })
		p.Score = s.words[at].scored * saturation(float64(p.Weight), size, s.mean)
		score += p.Score
		parts = append(parts, p)
	}
	for _, pair := range s.pairs {
		times := follow(places[pair[0]], places[pair[1]])
		if times == 0 {
			continue
		}
		a, b := &s.words[pair[0]], &s.words[pair[1]]
		p := Part{Word: a.index, Next: b.index, Weight: times, Score: PairBonus * min(a.weight, b.weight) * saturation(float64(times), size, s.mean)}
		score += p.Score
		parts = append(parts, p)
	}
	return score, parts
}
