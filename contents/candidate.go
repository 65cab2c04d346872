package contents

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/citekit/citekit/internal/terms"
	"github.com/citekit/citekit/search"
)

// A candidate is a passage that was found.
type candidate struct {
	*search.Result
	worth    float64             // its score relative to the best
	words    map[string]bool     // stems, for comparing passages
	shingles map[string]struct{} // runs of words, for detecting copies
	facts    []string            // numbers and negations, sorted
}

// least is the smallest worth of a passage that is included. Below it, a
// passage has little more than the most common words of the task.
const least = .2

// candidates returns the passages that were found, best first. It leaves out
// copies of earlier ones, passages of little worth, and results without text.
func candidates(results []*search.Result) []*candidate {
	var all []*candidate
	for _, r := range results {
		worth := 1.
		if best := results[0].Score; best > 0 {
			worth = r.Score / best
		}
		if r.Passage == nil || strings.TrimSpace(r.Passage.Text) == "" || worth < least {
			continue
		}
		c := newCandidate(r, worth)
		if !slices.ContainsFunc(all, c.copies) {
			all = append(all, c)
		}
	}
	return all
}

func newCandidate(r *search.Result, worth float64) *candidate {
	c := &candidate{Result: r, worth: worth, words: make(map[string]bool), shingles: make(map[string]struct{})}
	text := r.Passage.Text
	for t := range terms.New(terms.Guess(text)).Terms(text) {
		c.words[t.Text] = true
	}
	words := wordsOf(text)
	for i := range words {
		c.shingles[strings.Join(words[i:min(i+shingle, len(words))], " ")] = struct{}{}
		if isFact(words[i]) {
			c.facts = append(c.facts, words[i])
		}
	}
	slices.Sort(c.facts)
	return c
}

// shingle is how many words are compared together.
const shingle = 3

// copied is the share of its runs of words that a copy has in common with the
// original.
const copied = .9

// copies reports whether a passage adds nothing to another, in the same words:
// it is a part of it, or nearly the same with the same numbers and negations.
func (c *candidate) copies(other *candidate) bool {
	same := 0
	for s := range c.shingles {
		if _, ok := other.shingles[s]; ok {
			same++
		}
	}
	return same == len(c.shingles) ||
		float64(same) >= copied*float64(len(c.shingles)) && slices.Equal(c.facts, other.facts)
}

// like returns how similar two passages are, from 0 to 1: the number of stems
// that both have, divided by the number that either has. Passages of one node,
// or of one resource, have a minimum similarity whatever they say.
func (c *candidate) like(other *candidate) float64 {
	both := 0
	for word := range c.words {
		if other.words[word] {
			both++
		}
	}
	overlap := float64(both) / float64(max(1, len(c.words)+len(other.words)-both))
	switch {
	case c.ResourceID != other.ResourceID:
		return overlap
	case c.NodeID == other.NodeID:
		return math.Max(overlap, sameNode)
	}
	return math.Max(overlap, sameResource)
}

// Minimum similarities of passages.
const (
	sameNode     = .3
	sameResource = .15
)

// wordsOf returns the words of a text in lower case, and each character of
// scripts without spaces.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(spaced(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && !isSign(r)
	})
	for i, word := range words {
		words[i] = strings.TrimRight(word, ".,")
	}
	return words
}

// isSign reports whether r changes what a number means.
func isSign(r rune) bool {
	return r == '-' || r == '−' || r == '+' || r == '%' || r == '.' || r == ','
}

// spaced returns a text with spaces around characters that are words.
func spaced(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			b.WriteString(" " + string(r) + " ")
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isFact reports whether a word alone can change what a passage says.
func isFact(word string) bool {
	return negations[word] || strings.IndexFunc(word, unicode.IsNumber) >= 0
}

// negations are the most common negating words.
var negations = setOf(`not no never none nor neither without cannot t nicht kein keine keinen nie ohne
	ne pas jamais sans non mai senza nunca sin não sem niet geen nooit zonder не нет без 不 没 無 未 ない`)

func setOf(words string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}
