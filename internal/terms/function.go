package terms

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed function.txt
var functionText string

// homographs is the key of the words that are function words in one language and other
// words, or abbreviations, in another.
const homographs Language = "homographs"

// functionWords returns the function words of each language, in lower case, and the
// homographs.
var functionWords = sync.OnceValue(func() map[Language]map[string]bool {
	sets := make(map[Language]map[string]bool)
	for line := range strings.Lines(functionText) {
		key, words, ok := strings.Cut(line, ": ")
		if !ok || line[0] == '#' {
			continue
		}
		l := Language(strings.TrimSuffix(key, "+"))
		if sets[l] == nil {
			sets[l] = make(map[string]bool)
		}
		for word := range strings.FieldsSeq(words) {
			sets[l][lowerCase(word)] = true
		}
	}
	return sets
})

// functionLanguages are the languages with spaces between words, English first: a text
// that can be of several languages counts as English.
var functionLanguages = []Language{English, Dutch, French, German, Italian, Portuguese, Russian, Spanish}

// A Reader tells the function words of a query from the others.
//
// A query is of the language of which it has the most function words; of English if there
// are none or equally many, else of that which has the most homographs too. A function word of any language is one in every query, but a
// word that is more than that in another language ("die", "war", "son", "door") only
// where the query is of its language. In a query that has small letters a word in
// capitals is none (WHO, IT), but for AND, OR and NOT.
type Reader struct {
	languages []Language // of the query
	capitals  bool       // the query has no small letters
}

// NewReader returns the Reader of a query.
func NewReader(query string) *Reader {
	r := &Reader{languages: []Language{English}, capitals: strings.IndexFunc(query, unicode.IsLower) < 0}
	sets, best := functionWords(), 0
	counts, seen := make(map[Language]int), make(map[string]bool)
	for word := range strings.FieldsFuncSeq(query, func(c rune) bool { return !unicode.IsLetter(c) && c != '\'' && c != '’' }) {
		lower := lowerCase(word)
		if seen[lower] || r.isName(word) {
			continue
		}
		seen[lower] = true
		weight := manyHomographs
		if sets[homographs][lower] {
			weight = 1
		}
		for _, l := range functionLanguages {
			if sets[l][lower] {
				counts[l] += weight
				best = max(best, counts[l])
			}
		}
	}
	if counts[English]/manyHomographs < best/manyHomographs {
		r.languages = slices.DeleteFunc(slices.Clone(functionLanguages), func(l Language) bool { return counts[l] < best })
	}
	return r
}

// manyHomographs is how many homographs count as much as another function word.
const manyHomographs = 1 << 10

// isName reports whether a word is in capitals, unlike the query.
func (r *Reader) isName(word string) bool {
	if r.capitals || word == "AND" || word == "OR" || word == "NOT" || word == "A" || word == "I" {
		return false
	}
	if c, size := utf8.DecodeRuneInString(word); size == len(word) {
		return 'A' <= c && c <= 'Z'
	}
	return strings.IndexFunc(word, func(c rune) bool { return !unicode.IsUpper(c) }) < 0
}

// IsFunction reports whether a word of the query is a function word.
func (r *Reader) IsFunction(word string) bool {
	if len(word) > maxSeenWord || r.isName(word) {
		return false
	}
	sets, lower := functionWords(), lowerCase(word)
	for _, elisions := range []map[string]bool{frenchElisions, italianElisions} {
		rules := rules{elisions: elisions}
		lower = lower[rules.elided(lower):]
	}
	in := func(l Language) bool { return sets[l][lower] }
	if in(homographs) {
		return !slices.ContainsFunc(r.languages, func(l Language) bool { return !in(l) })
	}
	return slices.ContainsFunc(functionLanguages, in) || in(Japanese) || in(Chinese) || in(Korean)
}
