package segment

import (
	"math"
	"slices"
)

// A Scale scores texts as a search scores documents: by its words, their rarity and the
// mean length of documents. It is safe for concurrent use.
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
	Weight   float64
	Title    bool
}

// Score scores a text of so many terms, those of a title counted [TitleWeight] times. The
// occurrences are of terms that the scale has, with ascending positions. A usual one has
// the weight 1, one in a title TitleWeight.
func (s *Scale) Score(occurrences []Occurrence, length int) (score float64, parts []Part) {
	size := float64(min(length, maxLength))
	places := make([][]uint32, len(s.words))
	type counted struct {
		word   int
		weight float64
		last   int // the latest position plus one
		Part
	}
	var all []counted
	for _, o := range occurrences {
		for _, w := range s.of[o.Term] {
			at := slices.IndexFunc(all, func(c counted) bool { return c.word == w && c.Term == o.Term })
			if at < 0 {
				at = len(all)
				all = append(all, counted{word: w, Part: Part{Word: s.words[w].index, Term: o.Term}})
			}
			c := &all[at]
			if c.last == o.Position+1 {
				continue // once at each position
			}
			c.last = o.Position + 1
			places[w] = append(places[w], uint32(o.Position))
			c.weight += o.Weight
			c.Title, c.Body = c.Title || o.Title, c.Body || !o.Title
		}
	}
	slices.SortStableFunc(all, func(a, b counted) int { return a.word - b.word })
	for _, c := range all {
		c.Weight = int(math.Ceil(c.weight))
		c.Score = s.words[c.word].scored * saturation(c.weight, size, s.mean)
		score += c.Score
		parts = append(parts, c.Part)
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
