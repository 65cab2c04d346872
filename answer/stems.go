package answer

import (
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/terms"
)

// A reader makes terms from texts, in their language and in English, for one
// call.
type reader struct {
	english *terms.Analyzer
	others  map[terms.Language]*terms.Analyzer

	// capitals tells of the words of the question that the passages have both in capitals
	// and not, whether they are in capitals in the question: PATH is not a path.
	capitals map[string]bool
}

// distinguish sets r.capitals for a question and the texts of passages.
func (r *reader) distinguish(question string, texts []string) {
	r.capitals = make(map[string]bool)
	for _, t := range tokensOf(question) {
		if len(t.lower) > 1 {
			r.capitals[t.lower] = strings.Contains(question, strings.ToUpper(t.lower))
		}
	}
	const asCapitals, asCommon = 1, 2
	forms := make(map[string]int)
	for _, text := range texts {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !isWordRune(r) && r != '_' }) {
			switch lower := strings.ToLower(word); {
			case word == lower:
				forms[lower] |= asCommon
			case isCapitals(word):
				forms[lower] |= asCapitals
			}
		}
	}
	for word := range r.capitals {
		if forms[word] != asCapitals|asCommon {
			delete(r.capitals, word)
		}
	}
}

// isCapitals reports whether a word has letters, all of them capitals.
func isCapitals(word string) bool {
	return strings.ToUpper(word) == word && strings.ToLower(word) != word
}

// isOther reports whether a word of a text is an identifier in capitals that differs from
// a word of the question, or the other way round. Text that has only capitals does not
// tell.
func (r *reader) isOther(word, text string) bool {
	capitals, ok := r.capitals[strings.ToLower(word)]
	return ok && capitals != isCapitals(word) && (capitals || !isCapitals(text))
}

func newReader() *reader {
	return &reader{english: terms.New(terms.English), others: make(map[terms.Language]*terms.Analyzer)}
}

// in returns the words of a question with their stems in a language and in
// English, in the form that [reader.places] gives for a text.
func (q *question) in(r *reader, language terms.Language) []word {
	if words, ok := q.stemmed[language]; ok {
		return words
	}
	words := slices.Clone(q.words)
	for i := range words {
		words[i].terms = r.stems(words[i].text, language)
	}
	q.stemmed[language] = words
	return words
}

// stems returns the terms of one word. An identifier gives only the term of its
// whole, because its parts are words of their own in a question.
func (r *reader) stems(word string, language terms.Language) (stems []string) {
	for _, a := range []*terms.Analyzer{r.english, r.analyzer(language)} {
		for t := range a.Terms(word) {
			stems = append(stems, t.Text)
			if t.Role == terms.Whole {
				break
			}
		}
	}
	return stems
}

func (r *reader) analyzer(language terms.Language) *terms.Analyzer {
	if language == terms.English {
		return r.english
	}
	if r.others[language] == nil {
		r.others[language] = terms.New(language)
	}
	return r.others[language]
}

// places returns where the terms of a text are, by their positions.
func (r *reader) places(text string, language terms.Language) map[string][]int {
	places := make(map[string][]int)
	for t := range r.english.Terms(text) {
		if !r.isOther(text[t.Start:t.End], text) {
			places[t.Text] = append(places[t.Text], t.Position)
		}
	}
	if language == terms.English {
		return places
	}
	for t := range r.analyzer(language).Terms(text) {
		if r.isOther(text[t.Start:t.End], text) {
			continue
		}
		if len(places[t.Text]) == 0 || places[t.Text][len(places[t.Text])-1] != t.Position {
			places[t.Text] = append(places[t.Text], t.Position)
		}
		if verb, ok := participle(t.Text); ok && language == terms.German {
			places[verb] = append(places[verb], t.Position)
		}
	}
	return places
}

// participle returns the stem of a verb if a German word may be its participle,
// such as "reinig" for "gereinigt".
func participle(word string) (verb string, ok bool) {
	verb, ok = strings.CutPrefix(word, "ge")
	return strings.TrimSuffix(verb, "t"), ok && strings.HasSuffix(verb, "t") && len(verb) > minPart
}
