package answer

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/terms"
)

// What a word of the question counts, by the place where it was found: its part. A
// word that several places have counts by the best of them.
const (
	inSentence = 1.
	inCompound = .7 // as part of a longer word
	inOther    = .7 // as a word that means nearly the same
	inLetters  = .5 // by both characters of two, in scripts without spaces
	inTitle    = .6 // of the node, or in a heading or the header of a table
	inBefore   = .5 // in the sentence before
	inAfter    = .25
	inPassage  = .3

	isNear       = .4  // the least part of a word in the sentence, above it or right before
	sureOfOther  = .5  // of the part of a word that only means nearly the same
	nearlyRarest = .85 // of the weight of a word that one passage has
)

// The score of a sentence is
//
//	(1-aroundPart)·direct + aroundPart·covered
//	+ hintBonus·hints + pairBonus·pairs + wantBonus·kind + formBonus·form + runBonus·run + priorPart·prior
//	- missingCost·missing - askingCost - titleCost - longCost·length
//
// with the values of its [rating], and those that the constants tell of.
const (
	aroundPart  = .45 // of words, including those around the sentence
	hintBonus   = .08 // for each word that answers to such questions have
	pairBonus   = .06 // for two words of the question next to each other
	wantBonus   = .12 // for the kind of thing asked for
	formBonus   = .3  // for the form of an answer
	runBonus    = .25 // for words of the question one after the other
	priorPart   = .08 // for the place of the passage among those found
	missingCost = .5  // for words that are neither in the sentence nor above or right before
	askingCost  = .25 // for a sentence that is itself a question
	titleCost   = .35 // for a heading
	longCost    = .06 // for a long sentence, each time it has that many words more
	longWords   = 40
)

// surroundings are what stands around the sentences of a passage.
type surroundings struct {
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
func (q *question) rate(r *reader, units []unit, at int, where *surroundings) rating {
	u := units[at]
	near := r.vicinityOf(units, at, where)
	result := rating{numbers: true, names: 1}
	named, namesFound := 0., 0.
	for _, w := range q.in(r, where.language) {
		if w.hint {
			if has(near.own, w) {
				result.score += hintBonus
			}
			continue
		}
		part := q.count(&result, w, near)
		if w.named {
			named += w.weight
			if part > 0 {
				namesFound += w.weight
			}
		}
	}
	if named > 0 {
		result.names = namesFound / named
	}
	result.score += (1-aroundPart)*result.direct + aroundPart*result.covered + q.pairs(near.own)
	result.kind, result.form, result.tells = q.wants.fits(near.text, q.text), q.asked.fits(near.text, q.said), q.isNew(near.own, where.language)
	if u.row && q.asked.form != definitionForm && q.asked.form != identityForm {
		result.form = 1
	}
	result.score += wantBonus*result.kind + formBonus*result.form + priorPart*where.prior + runBonus*longestRun(tokensOf(near.text), q.said) - missingCost*result.missing
	result.score -= cost(u)
	return result
}

// count adds a word of the question to a rating, and returns its part.
func (q *question) count(result *rating, w word, near *vicinity) (part float64) {
	share := w.weight / q.total
	part, sure, found := near.inSentence(w)
	if found {
		result.found = append(result.found, w.text)
	}
	result.direct += part * share
	part = max(part, near.aroundSentence(w))
	result.covered += part * share
	result.sure += part * share * sure
	if part < isNear && !light[w.text] && !w.measure && !w.unknown && (part == 0 || !q.isOfHead(w, near.own)) {
		result.missing += share
	}
	if part >= isNear {
		result.near++
		result.rarest = result.rarest || w.weight >= q.heaviest
		result.rare = result.rare || w.weight >= nearlyRarest*q.rarest && part >= inOther
	}
	if strings.ContainsAny(w.text, "0123456789") && part < isNear {
		result.numbers = false // another number is not the one asked for
	}
	return part
}

// A vicinity is where the words of a sentence and of what stands around it are.
type vicinity struct {
	text   string           // of the sentence, without the questions in it
	lower  string           // the same in lower case
	own    map[string][]int // of the sentence
	around []neighbor
}

// A neighbor is a text near a sentence.
type neighbor struct {
	places map[string][]int
	part   float64 // of a word in it
	other  float64 // of a word of which it has only one that means nearly the same
}

// vicinityOf returns the vicinity of the unit at an index of a passage.
func (r *reader) vicinityOf(units []unit, at int, where *surroundings) *vicinity {
	text := toldIn(units[at].text)
	v := &vicinity{text: text, lower: strings.ToLower(text), own: r.places(text, where.language)}
	add := func(places map[string][]int, part float64) {
		v.around = append(v.around, neighbor{places, part, part * inOther})
	}
	add(r.places(units[at].heading, where.language), inTitle)
	add(where.title, inTitle)
	if at > 0 {
		before := r.places(units[at-1].text, where.language)
		if asksItself(units[at-1]) { // it is the question that the sentence answers
			v.around = append(v.around, neighbor{before, inTitle, inTitle})
		} else {
			add(before, inBefore)
		}
	}
	if at+1 < len(units) {
		add(r.places(units[at+1].text, where.language), inAfter)
	}
	add(where.passage, inPassage)
	return v
}

// inSentence returns the part of a word in the sentence itself, and how sure it is that
// the sentence means it. It is found if the sentence has a word for it.
func (v *vicinity) inSentence(w word) (part, sure float64, found bool) {
	switch {
	case has(v.own, w):
		return inSentence, 1, true
	case isUnspaced(w.text) && hasLetters(v.text, w.text):
		return inLetters, 1, false
	case isPartOf(w, v.lower):
		return inCompound, 1, true
	case hasAny(v.own, w.others):
		return inOther, sureOfOther, true
	}
	return 0, 1, false
}

// aroundSentence returns the part of a word around the sentence.
func (v *vicinity) aroundSentence(w word) (part float64) {
	for _, n := range v.around {
		switch {
		case has(n.places, w):
			part = max(part, n.part)
		case hasAny(n.places, w.others):
			part = max(part, n.other)
		}
	}
	return part
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
