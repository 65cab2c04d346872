package answer

import (
	"slices"
	"strings"
	"unicode"

	"github.com/citekit/citekit/internal/terms"
)

// newWords is the number of content words of a sentence for which one may be
// new. A new word is not in the quote, does not mean nearly the same as a word
// in it, and is not a word of the question that stands in the passage around
// the quote.
const newWords = 8

// supports reports whether a quote supports a sentence that answers a question.
// The quote must have the numbers, names and negations of the sentence, and
// nearly all of its other words, because a single word may change the meaning.
// A sentence that denies its quote has the same words, so both must deny or
// neither. The passage is the text around the quote, with its title.
func (r *reader) supports(quote, sentence, question, passage string) bool {
	language := terms.Guess(sentence + " " + quote)
	has, asked := r.places(quote, language), r.places(question, language)
	for t := range r.analyzer(language).All(quote) {
		if t.Role == terms.Function {
			has[t.Text] = append(has[t.Text], t.Position)
		}
	}
	around := r.places(passage, language)
	if denies(quote) != denies(sentence) {
		return false
	}
	quoted, inQuestion := factsOf(quote), factsOf(question)
	for _, fact := range factsOf(sentence) {
		if !slices.Contains(quoted, fact) && (isNumeric(fact) || !slices.Contains(inQuestion, fact)) {
			return false
		}
	}
	if !r.countsTheSame(sentence, language, has, asked) {
		return false
	}
	strange, all := 0, 0
	for t := range r.analyzer(language).All(sentence) {
		word := strings.ToLower(sentence[t.Start:t.End])
		if t.Role == terms.Whole || asking[word] || linking[word] || t.Role == terms.Function && !telling[word] {
			continue
		}
		all++
		isAsked := len(asked[t.Text]) > 0 && len(around[t.Text]) > 0
		if len(has[t.Text]) == 0 && !hasAny(has, synonyms(t.Text)) && !isAsked {
			strange++
		}
	}
	return strange <= all/newWords
}

// linking are verbs that a sentence needs but that have no meaning by
// themselves.
var linking = setOf(`is are was were be been being has have had having do does did use uses used using get gets got make makes made
	take takes took give gives given need needs ist sind war waren wird werden wurde hat haben hatte verwendet benutzt gibt est sont fait`)

// telling are function words that change the meaning of a sentence.
var telling = setOf(`about above after against all any before below between both can cannot could down during each few from further
	into more most must nor off on only other out over own same shall should through under until up while within without would`)

// countsTheSame reports whether the words behind the numbers of a sentence,
// such as a unit, are among the words of its quote or of the question.
func (r *reader) countsTheSame(sentence string, language terms.Language, has, asked map[string][]int) bool {
	fields := strings.Fields(sentence)
	for i, field := range fields[:max(0, len(fields)-1)] {
		if !isNumeric(field) || strings.TrimRightFunc(field, unicode.IsPunct) != field || isNumeric(fields[i+1]) {
			continue
		}
		words, known := r.places(fields[i+1], language), false
		for word := range words {
			known = known || len(has[word]) > 0 || len(asked[word]) > 0 || hasAny(has, synonyms(word))
		}
		if len(words) > 0 && !known {
			return false
		}
	}
	return true
}

// factsOf returns the numbers of a text, and its names: words with a capital
// that do not begin a sentence. All are in lower case.
func factsOf(text string) (facts []string) {
	starts := true
	for _, field := range strings.Fields(text) {
		w := strings.TrimFunc(field, func(r rune) bool { return !isWordRune(r) && r != '-' && r != '−' })
		r := []rune(w)
		switch {
		case len(r) == 0:
		case isNumeric(w), !starts && unicode.IsUpper(r[0]):
			facts = append(facts, strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(w), "'s"), "’s"))
		}
		starts = strings.HasSuffix(field, ".") || strings.HasSuffix(field, ":") || strings.HasSuffix(field, "!") || strings.HasSuffix(field, "?")
	}
	return facts
}

func isNumeric(w string) bool {
	return strings.IndexFunc(w, unicode.IsNumber) >= 0 || numerals[strings.ToLower(w)]
}

var denials = setOf(`not no never none nor neither without cannot nothing nobody nowhere hardly unless except
	nicht kein keine keinen keiner nie niemals ohne ne pas jamais sans aucun non mai senza no nunca sin jamás não sem niet geen nooit zonder не нет без`)

// denies reports whether a text has an odd number of negating words.
func denies(text string) bool {
	n := 0
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !isWordRune(r) && r != '\'' && r != '’' }) {
		if denials[w] || strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t") {
			n++
		}
	}
	for _, sign := range []string{"不", "没", "無", "未", "ない", "ません", "없", "않"} {
		n += strings.Count(text, sign)
	}
	return n%2 == 1
}
