package main

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// A plainRanking is BM25 as in a textbook, with k1 1.2 and b .75: no stop words, no
// stems, one analysis for all languages.
type plainRanking struct {
	units    []unit
	lengths  []float64
	mean     float64
	postings map[string][]posting
}

// A unit is a page, or 15 lines.
type unit struct {
	file string
	span span
}

type posting struct {
	unit int
	n    float64
}

func (r *plainRanking) add(u unit, text string) {
	counts := make(map[string]float64)
	words := plainWords(text)
	for _, w := range words {
		counts[w]++
	}
	for w, n := range counts {
		r.postings[w] = append(r.postings[w], posting{len(r.units), n})
	}
	r.units = append(r.units, u)
	r.lengths = append(r.lengths, float64(len(words)))
	r.mean += (float64(len(words)) - r.mean) / float64(len(r.units))
}

// rank returns the best units for a question.
func (r *plainRanking) rank(question string, most int) []unit {
	scores := make(map[int]float64)
	for _, w := range plainWords(question) {
		list := r.postings[w]
		weight := math.Log(1 + (float64(len(r.units)-len(list))+.5)/(float64(len(list))+.5))
		for _, p := range list {
			scores[p.unit] += weight * p.n * 2.2 / (p.n + 1.2*(.25+.75*r.lengths[p.unit]/r.mean))
		}
	}
	var order []int
	for u := range scores {
		order = append(order, u)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	var best []unit
	for _, u := range order[:min(most, len(order))] {
		best = append(best, r.units[u])
	}
	return best
}

// shares reports whether a question has a word of a unit that is right, a word that
// fewer than one in 20 units have.
func (r *plainRanking) shares(question string, right func(unit) bool) bool {
	return slices.ContainsFunc(plainWords(question), func(w string) bool {
		list := r.postings[w]
		return 20*len(list) < len(r.units) && slices.ContainsFunc(list, func(p posting) bool { return right(r.units[p.unit]) })
	})
}

// plainWords returns the runs of letters and digits in lower case, and of writings
// without spaces each two characters that are adjacent.
func plainWords(text string) []string {
	var words []string
	for _, run := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		var word, signs []rune
		flush := func() {
			if len(word) > 0 {
				words = append(words, string(word))
			}
			if len(signs) == 1 {
				words = append(words, string(signs))
			}
			for i := 1; i < len(signs); i++ {
				words = append(words, string(signs[i-1:i+1]))
			}
			word, signs = nil, nil
		}
		for _, c := range run {
			spaceless := unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana) || c == 'ー'
			if spaceless && len(word) > 0 || !spaceless && len(signs) > 0 {
				flush()
			}
			if spaceless {
				signs = append(signs, c)
			} else {
				word = append(word, c)
			}
		}
		flush()
	}
	return words
}
