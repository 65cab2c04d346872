package answer

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/terms"
)

// The weight of a word of the question for a sentence, by the place where it
// was found.
const (
	inSentence = 1.
	inCompound = .7 // as part of a longer word
	inOther    = .7 // as a word that means nearly the same
	inLetters  = .5 // by both characters of two, in scripts without spaces
	inTitle    = .6 // of the node, or in a heading or the header of a table
	inBefore   = .5 // in the sentence before
	inAfter    = .25
	inPassage  = .3

	nearlyRarest = .85 // of the weight of a word that one passage has

	isNear = .4 // in the sentence, above it or right before
)

// The other parts of a score, besides the words in the sentence itself.
const (
	aroundPart  = .45 // of words, including those around the sentence
	pairBonus   = .06 // for two words of the question next to each other
	wantBonus   = .12 // for the kind of thing asked for
	formBonus   = .3  // for the form of an answer
	runBonus    = .25 // for words of the question one after the other
	missingCost = .5  // for words that are neither in the sentence nor above or right before
	hintBonus   = .08
	priorPart   = .08 // for the place of the passage among those found
	askingCost  = .25 // for a sentence that is itself a question
	titleCost   = .35 // for a heading
	longCost    = .06 // for a long sentence, each time it has that many words more
	longWords   = 40
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

// A terrain is the surroundings of the sentences of a passage.
type terrain struct {
	title, passage map[string][]int
	prior          float64 // of the passage, from 0 to 1
	language       terms.Language
}

// A rating measures how well a sentence answers a question.
type rating struct {
	score   float64
	direct  float64 // share of the words that are in the sentence
	covered float64 // share of the words that are in it or around
	sure    float64 // the same, with only the words of the question itself
	near    int     // words that are in it, above or right before
	rare    bool    // one of these is about as rare as a word can be
	rarest  bool    // the rarest word of the question is one of these
	names   float64 // share of the names among the words that are in it or around; 1 if there are none
	numbers bool    // all words with digits are in it, above or right before
	missing float64 // share of the words that are neither in it nor above or right before
	kind    float64 // how well it has the kind of thing asked for
	form    float64 // how well it has the form of an answer
	tells   bool    // it has a word that the question does not have
	found   []string
}

// rate rates the unit at an index of a passage.
func (q *question) rate(r *reader, units []unit, at int, where *terrain) rating {
	u := units[at]
	text := toldIn(u.text)
	own, above := r.places(text, where.language), r.places(u.heading, where.language)
	var before, after map[string][]int
	if at > 0 {
		before = r.places(units[at-1].text, where.language)
	}
	if at+1 < len(units) {
		after = r.places(units[at+1].text, where.language)
	}
	lower := strings.ToLower(text)
	var result rating
	names, named := 0., 0.
	result.numbers = true
	asks := at > 0 && asksItself(units[at-1])
	for _, w := range q.in(r, where.language) {
		if w.hint {
			if has(own, w) {
				result.score += hintBonus
			}
			continue
		}
		part, share, sure := 0., w.weight/q.total, 1.
		switch {
		case has(own, w):
			part = inSentence
			result.found = append(result.found, w.text)
		case isUnspaced(w.text) && hasLetters(text, w.text):
			part = inLetters
		case isPartOf(w, lower):
			part = inCompound
			result.found = append(result.found, w.text)
		case hasAny(own, w.others):
			part, sure = inOther, .5
			result.found = append(result.found, w.text)
		}
		result.direct += part * share
		for _, context := range []struct {
			places map[string][]int
			counts float64
		}{{above, inTitle}, {where.title, inTitle}, {before, inBefore}, {after, inAfter}, {where.passage, inPassage}} {
			counts := context.counts
			if !has(context.places, w) {
				counts *= inOther
				if !hasAny(context.places, w.others) {
					continue
				}
			}
			if asks && context.counts == inBefore {
				counts = inTitle // the sentence before is the question
			}
			part = math.Max(part, counts)
		}
		result.covered += part * share
		result.sure += part * share * sure
		if part < isNear && !light[w.text] && !w.measure && !w.unknown {
			if part == 0 || !q.isOfHead(w, own) {
				result.missing += share
			}
		}
		if part >= isNear {
			result.near++
			result.rarest = result.rarest || w.weight >= q.heaviest
			result.rare = result.rare || w.weight >= nearlyRarest*q.rarest && part >= inOther
		}
		if strings.ContainsAny(w.text, "0123456789") && part < isNear {
			result.numbers = false // another number is not the one asked for
		}
		if w.named {
			named += w.weight
			if part > 0 {
				names += w.weight
			}
		}
	}
	result.names = 1
	if named > 0 {
		result.names = names / named
	}
	result.score += (1-aroundPart)*result.direct + aroundPart*result.covered + q.pairs(own)
	result.kind, result.form, result.tells = q.wants.fits(text, q.text), q.asked.fits(text, q.said), q.isNew(own, where.language)
	if u.row && q.asked.form != definitionForm && q.asked.form != identityForm {
		result.form = 1
	}
	result.score += wantBonus*result.kind + formBonus*result.form + priorPart*where.prior + runBonus*longestRun(tokensOf(text), q.said) - missingCost*result.missing
	result.score -= cost(u)
	return result
}

// asksItself reports whether a sentence only asks.
func asksItself(u unit) bool {
	return strings.HasSuffix(u.text, "？") || strings.ContainsRune(u.text, '?') && strings.IndexFunc(toldIn(u.text), isWordRune) < 0
}

// toldIn returns a sentence without the questions in it.
func toldIn(text string) string {
	if !strings.ContainsRune(text, '?') {
		return text
	}
	var told strings.Builder
	from := 0
	for at, r := range text {
		next, _ := utf8.DecodeRuneInString(text[at+utf8.RuneLen(r):])
		ends := at+1 >= len(text) || unicode.IsSpace(next) || strings.ContainsRune("\"'”’)»*_", next)
		switch {
		case r == '?' && ends:
			told.WriteByte(' ')
			from = at + 1
		case (r == '.' || r == '!' || r == ';' || r == ':') && ends:
			told.WriteString(text[from : at+1])
			from = at + 1
		}
	}
	told.WriteString(text[from:])
	return told.String()
}

// isOfHead reports whether the word of the question right behind a word is among places:
// "the league" may stand for "the Red-headed League".
func (q *question) isOfHead(w word, places map[string][]int) bool {
	for i, t := range q.said[:max(0, len(q.said)-1)] {
		if t.lower != w.text && !strings.HasPrefix(t.lower, w.text+"-") && !strings.HasSuffix(t.lower, "-"+w.text) {
			continue
		}
		for _, next := range q.words {
			if next.text == q.said[i+1].lower && has(places, next) {
				return true
			}
		}
	}
	return false
}

// The lengths of a run of words of a question in a sentence, in words, that gives no
// bonus yet and that gives all of it.
const (
	shortRun = 3
	longRun  = 6
)

// longestRun returns how long the longest run of words is that two texts have, from 0 to 1.
func longestRun(a, b []token) float64 {
	longest := 0
	above := make([]int, len(b)+1) // run lengths that end at the word of a before
	for _, x := range a {
		last := 0
		for j, y := range b {
			length := 0
			if x.lower == y.lower {
				length = last + 1
			}
			last, above[j] = above[j], length
			longest = max(longest, length)
		}
	}
	return float64(min(max(longest, shortRun), longRun)-shortRun) / (longRun - shortRun)
}

// isNew reports whether a text has a word that is not in the question.
func (q *question) isNew(own map[string][]int, language terms.Language) bool {
	known := make(map[string]bool)
	for _, w := range q.stemmed[language] {
		for _, t := range w.terms {
			known[t] = true
		}
	}
	for t := range own {
		if !known[t] {
			return true
		}
	}
	return false
}

// cost returns the deduction for the form of a sentence.
func cost(u unit) (cost float64) {
	if asksItself(u) {
		cost += askingCost
	}
	if u.title {
		cost += titleCost
	}
	if words := len(strings.Fields(u.text)); words > longWords && !u.row {
		cost += longCost * math.Min(3, float64(words-longWords)/longWords)
	}
	return cost
}

func has(places map[string][]int, w word) bool { return hasAny(places, w.terms) }

func hasAny(places map[string][]int, list []string) bool {
	for _, t := range list {
		if len(places[t]) > 0 {
			return true
		}
	}
	return false
}

// hasLetters reports whether a text has each character of a word.
func hasLetters(text, word string) bool {
	for _, r := range word {
		if !strings.ContainsRune(text, r) {
			return false
		}
	}
	return true
}

// minPart is the minimum number of letters of a word that is searched for in
// longer words.
const minPart = 5

// isPartOf reports whether a word is part of a longer one in a text in lower
// case, as in the compounds of German.
func isPartOf(w word, lower string) bool {
	if isUnspaced(w.text) {
		return false
	}
	for _, t := range w.terms {
		if utf8.RuneCountInString(t) < minPart {
			continue
		}
		for at := strings.Index(lower, t); at >= 0; {
			if before := strings.TrimRightFunc(lower[:at], unicode.IsLetter); !denying[lower[len(before):at]] {
				return true
			}
			next := strings.Index(lower[at+1:], t)
			if next < 0 {
				break
			}
			at += next + 1
		}
	}
	return false
}

// denying are the beginnings of a word that make it another.
var denying = setOf("de un non dis in im ir anti mis")

// pairs returns the bonus for words of the question that are close together.
func (q *question) pairs(places map[string][]int) (bonus float64) {
	for i, a := range q.words {
		for _, b := range q.words[i+1:] {
			if !a.hint && !b.hint && near(places, a, b) {
				bonus += pairBonus * (a.weight + b.weight) / q.total
			}
		}
	}
	return math.Min(bonus, 2*pairBonus)
}

func near(places map[string][]int, a, b word) bool {
	for _, s := range a.terms {
		for _, t := range b.terms {
			for _, p := range places[s] {
				for _, o := range places[t] {
					if s != t && p-o <= 2 && o-p <= 2 {
						return true
					}
				}
			}
		}
	}
	return false
}
