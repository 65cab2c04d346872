package answer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A form is the form of a question of English that its answers must match, besides
// having the words of the question and the kind of thing asked for.
type form uint8

const (
	anyForm        form = iota
	yesOrNo             // "Is the pump sealed?": an answer needs no other words
	definitionForm      // "What is a data race?"
	identityForm        // "Who was Ada Lovelace?"
	roleForm            // "Who was the first mate of the Alma?"
	orderForm           // "In which order are the valves opened?"
	agentForm           // "Who built the bridge?"
	countForm           // "How many arches has the bridge?"
)

// A questionForm is the form of a question with the words that it is about.
type questionForm struct {
	form    form
	subject []string // of a definition or an identity, or the role; in lower case
	of      []string // what the role belongs to
}

var (
	auxiliaries  = setOf("is are was were do does did can could should will would may must has have had")
	copulas      = setOf("is are was were")
	articles     = setOf("a an the")
	prepositions = setOf("of in at on for from to with by between about as under over against within during through into when if after before")
	determiners  = setOf("a an the any one each every what their its his her our my defined called known used usually when where either both two three")
	adverbs      = setOf("basically currently now also simply thus then still always usually generally often normally just only")
	defining     = setOf("means mean denotes denote refers designates describes comprises implements")
	naming       = setOf("called named termed")
	understand   = setOf("understand understood mean meant")
	possessives  = setOf("its their his her my our your")
	relations    = setOf("brother sister son daughter wife husband father mother uncle aunt cousin king queen prince captain doctor president director author inventor founder friend servant master mate")
	ordering     = setOf("order sequence first then finally before after last reverse reversed ascending descending alphabetical lexical left right")
)

// formOf returns the form of a question of English, or anyForm.
func formOf(question string) questionForm {
	words := tokensOf(question)
	at := func(i int) string {
		if i < len(words) {
			return words[i].lower
		}
		return ""
	}
	for i := range words {
		if w := at(i); (w == "which" || w == "what") && (at(i+1) == "order" || at(i+1) == "sequence") {
			return questionForm{form: orderForm}
		}
	}
	first, second := at(0), at(1)
	switch {
	case first == "how" && second == "many" && at(2) != "":
		return questionForm{form: countForm, subject: []string{at(2)}}
	case first == "who" && second != "" && !auxiliaries[second] && !prepositions[second]:
		return questionForm{form: agentForm, subject: []string{second}}
	case copulas[second] && first == "what":
		return formOfThing(withoutArticle(words[2:]))
	case copulas[second] && first == "who":
		return formOfPerson(words[2:])
	case auxiliaries[first] && len(words) > 1 && first != "was": // "was" asks in German
		return questionForm{form: yesOrNo}
	}
	return questionForm{}
}

func withoutArticle(words []token) []token {
	if len(words) > 0 && articles[words[0].lower] {
		return words[1:]
	}
	return words
}

// formOfThing returns the form of a question by what stands behind "what is" and an
// article.
func formOfThing(words []token) (a questionForm) {
	const longest = 3 // words of what is defined
	if len(words) == 0 || len(words) > longest || slices.ContainsFunc(words, func(t token) bool { return auxiliaries[t.lower] || prepositions[t.lower] }) {
		return a
	}
	a.form = definitionForm
	for _, t := range words {
		if !t.owns && !adverbs[t.lower] {
			a.subject = append(a.subject, t.lower)
		}
	}
	return a
}

// formOfPerson returns the form of a question by what stands behind "who is".
func formOfPerson(words []token) (a questionForm) {
	rest := withoutArticle(words)
	if len(rest) == 0 || slices.ContainsFunc(rest, func(t token) bool { return auxiliaries[t.lower] }) {
		return a
	}
	if common := slices.ContainsFunc(rest, func(t token) bool { return !t.upper && !prepositions[t.lower] && !articles[t.lower] }); !common {
		if len(rest) == len(words) {
			a.form, a.subject = identityForm, lowers(rest)
		}
		return a
	}
	role := rest
	if split := slices.IndexFunc(rest, func(t token) bool { return prepositions[t.lower] }); split > 0 {
		role = rest[:split]
		for _, t := range rest[split+1:] {
			if prepositions[t.lower] || rest[split].lower != "of" {
				break
			}
			if !articles[t.lower] {
				a.of = append(a.of, t.lower)
			}
		}
	}
	for _, t := range role {
		if !t.owns {
			a.subject = append(a.subject, t.lower)
		}
	}
	if len(a.subject) > 0 {
		a.form = roleForm
	}
	return a
}

// A token is a word of a sentence.
type token struct {
	lower string
	sep   string // what stands before it, since the word before
	upper bool   // it begins with a capital
	owns  bool   // it ends in 's or '
}

// tokensOf returns the words of a text, without tags.
func tokensOf(text string) (list []token) {
	sep := 0
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !isWordRune(r) {
			at += max(size, tagAt(text[at:]))
			continue
		}
		end := at
		for end < len(text) {
			r, size := utf8.DecodeRuneInString(text[end:])
			next, _ := utf8.DecodeRuneInString(text[end+size:])
			if !isWordRune(r) && (!strings.ContainsRune("_.'’-/", r) || !isWordRune(next)) {
				break
			}
			end += size
		}
		word := text[at:end]
		first, _ := utf8.DecodeRuneInString(word)
		t := token{lower: strings.ToLower(word), sep: text[sep:at], upper: unicode.IsUpper(first)}
		for _, sign := range []string{"'s", "’s"} {
			if cut, ok := strings.CutSuffix(t.lower, sign); ok {
				t.lower, t.owns = cut, true
			}
		}
		if rest := text[end:]; strings.HasSuffix(t.lower, "s") && (strings.HasPrefix(rest, "' ") || strings.HasPrefix(rest, "’ ")) {
			t.owns = true
		}
		list = append(list, t)
		at, sep = end, end
	}
	return list
}

// tagAt returns the length of the tag that a text begins with, or 0.
func tagAt(text string) int {
	if len(text) < 3 || text[0] != '<' || text[1] != '/' && !unicode.IsLetter(rune(text[1])) {
		return 0
	}
	const longest = 100
	return strings.IndexByte(text[:min(len(text), longest)], '>') + 1
}

func lowers(list []token) (words []string) {
	for _, t := range list {
		words = append(words, t.lower)
	}
	return words
}

// alike reports whether two words are the same but for the plural.
func alike(a, b string) bool {
	bare := func(w string) string { return strings.TrimSuffix(strings.TrimSuffix(w, "s"), "e") }
	return a == b || len(a) > 3 && len(b) > 3 && bare(a) == bare(b)
}

// runs returns where words stand one after the other in a sentence.
func runs(list []token, words []string) (starts []int) {
	for i := 0; len(words) > 0 && i+len(words) <= len(list); i++ {
		same := true
		for j, w := range words {
			same = same && alike(list[i+j].lower, w)
		}
		if same {
			starts = append(starts, i)
		}
	}
	return starts
}

// fits returns how well a sentence has the form that answers the question, from 0
// to 1.
func (a questionForm) fits(sentence string, question []token) (best float64) {
	switch a.form {
	case anyForm, yesOrNo:
		return 1
	case orderForm:
		return ordered(sentence, question)
	}
	list := tokensOf(sentence)
	if len(a.subject) == 1 && len(runs(list, a.subject)) == 0 && (a.form == countForm || a.form == agentForm) {
		return 1 // the sentence tells it in other words
	}
	starts := runs(list, a.subject)
	if len(starts) == 0 && a.form == definitionForm && a.scattered(list) {
		return leastForm
	}
	for _, at := range starts {
		fit := 0.
		switch end := at + len(a.subject); a.form {
		case definitionForm:
			fit = defined(list, at, end)
		case identityForm:
			fit = max(defined(list, at, end), identified(list, at, end))
		case countForm:
			fit = counted(list, at)
		case agentForm:
			fit = done(list, at, question)
		case roleForm:
			fit = a.held(list, at, end, question)
		}
		best = max(best, fit)
	}
	return best
}

// leastForm is how well a sentence must have the form of an answer.
const leastForm = .3

// scattered reports whether a sentence has all words, and says what the first is.
func (a questionForm) scattered(list []token) bool {
	for _, w := range a.subject {
		if len(runs(list, []string{w})) == 0 {
			return false
		}
	}
	for _, at := range runs(list, a.subject[:1]) {
		for _, t := range list[at:min(len(list), at+len(a.subject)+3)] {
			if copulas[t.lower] {
				return len(a.subject) > 1
			}
		}
	}
	return false
}

// further is how well a sentence defines a word that is not among its first ones,
// compared with one that begins with it.
const further = .8

// defined returns how well a sentence defines the words [at, end).
func defined(list []token, at, end int) float64 {
	place := further
	if at <= 2 {
		place = 1
	}
	if at > 0 && (naming[list[at-1].lower] || list[at-1].lower == "as" && at > 1 && list[at-2].lower == "known") {
		return place
	}
	for i := max(0, at-2); i < at; i++ {
		if list[i].lower == "by" && slices.ContainsFunc(list[end:min(len(list), end+3)], func(t token) bool { return understand[t.lower] }) {
			return 1
		}
	}
	if next := behindBrackets(list, end); next < len(list) {
		switch t := list[next]; {
		case strings.ContainsAny(t.sep, ":=–—") || strings.Contains(t.sep, " - "):
			return place
		case at == 0 && strings.Contains(t.sep, "\n") && t.upper:
			return 1 // an entry: the word, and below it what it is
		case defining[t.lower] || t.lower == "stands" && next+1 < len(list) && list[next+1].lower == "for":
			return place
		case copulas[t.lower] && isComplement(list, next+1):
			return place
		case copulas[t.lower]:
			return leastForm / 2
		}
	}
	if isToldOfAnother(list, at) {
		return further / 2
	}
	return 0
}

// behindBrackets returns the index of the first word from end on that is not in round
// brackets, which have a few words.
func behindBrackets(list []token, end int) int {
	next := end
	if next < len(list) && strings.Contains(list[next].sep, "(") {
		for next++; next < min(len(list), end+8) && !strings.Contains(list[next].sep, ")"); next++ {
		}
	}
	return next
}

// isComplement reports whether the words from an index on, behind "is", say what
// something is, such as "a pump".
func isComplement(list []token, at int) bool {
	for at < len(list) && adverbs[list[at].lower] {
		at++
	}
	return at < len(list) && (determiners[list[at].lower] || isNumeric(list[at].lower) || strings.ContainsAny(list[at].sep, "\"'`“‘"))
}

// isToldOfAnother reports whether a sentence says of something else that it is the words
// that begin at an index.
func isToldOfAnother(list []token, at int) bool {
	for i := at - 1; i >= max(0, at-3); i-- {
		if copulas[list[i].lower] {
			return true
		}
		if !articles[list[i].lower] && !adverbs[list[i].lower] && !possessives[list[i].lower] {
			break
		}
	}
	return false
}

// identified returns how well a sentence says who the name [at, end) is.
func identified(list []token, at, end int) float64 {
	closed := end == len(list) || strings.ContainsAny(list[end].sep, ",.;:)!-")
	if at > 1 && copulas[list[at-1].lower] && closed && list[at-2].lower != "here" && list[at-2].lower != "there" {
		return 1 // the third mate was Flask
	}
	if end < len(list) && strings.Contains(list[end].sep, ",") && (articles[list[end].lower] || relations[list[end].lower]) {
		return 1
	}
	for i := max(0, at-4); i < at; i++ {
		if relations[list[i].lower] && !list[i].upper {
			return further
		}
	}
	return 0
}

// held returns how well a sentence says who holds the role [at, end).
func (a questionForm) held(list []token, at, end int, question []token) float64 {
	if a.isOfAnother(list, at, end) {
		return 0
	}
	name := func(i int) bool { return isNameAt(list, i, question) }
	first := func(i int) bool { // a name that may begin the sentence
		return name(i) || i == 0 && list[0].upper && !articles[list[0].lower] && !asking[list[0].lower]
	}
	before, after := a.around(list, at, end)
	switch {
	case after+1 < len(list) && copulas[list[after].lower] && (name(after+1) || name(after+2)):
		return 1
	case before > 0 && copulas[list[before].lower] && (first(before-1) || before > 1 && first(before-2)):
		return 1
	case after < len(list) && strings.Contains(list[after].sep, ",") && name(after), before+1 < at && first(before):
		return 1
	case name(end):
		return .6
	}
	for i := end; i < min(len(list), end+8); i++ {
		if name(i) {
			return .4
		}
	}
	return 0
}

// isOfAnother reports whether the role [at, end) belongs to something else than the one
// that is asked for.
func (a questionForm) isOfAnother(list []token, at, end int) bool {
	for _, of := range a.of {
		for i, t := range list {
			if alike(t.lower, of) && !linked(list, at, end, i) {
				return true
			}
		}
	}
	return false
}

// around returns the indices of the words before and after the role [at, end) and the
// small words that belong to it.
func (a questionForm) around(list []token, at, end int) (before, after int) {
	for before = at - 1; before > 0 && (articles[list[before].lower] || possessives[list[before].lower] || list[before].owns || list[before].lower == "as" || list[before].lower == "became"); before-- {
	}
	for after = end; after < len(list) && (prepositions[list[after].lower] || articles[list[after].lower] || slices.ContainsFunc(a.of, func(w string) bool { return alike(w, list[after].lower) })); after++ {
	}
	return before, after
}

// isNameAt reports whether the word at an index has the form of a name that is not in
// the question.
func isNameAt(list []token, i int, question []token) bool {
	return i > 0 && i < len(list) && list[i].upper && !articles[list[i].lower] && utf8.RuneCountInString(list[i].lower) > 1 &&
		!slices.ContainsFunc(question, func(t token) bool { return alike(t.lower, list[i].lower) })
}

// counted returns how well a sentence tells the number of the things at an index.
func counted(list []token, at int) float64 {
	const around = 4
	apart := func(i int) bool { return strings.ContainsAny(list[i].sep, ",;") }
	for i := at; i > max(0, at-around) && !apart(i); i-- {
		if isNumeric(list[i-1].lower) {
			return 1
		}
	}
	for i := at + 1; i < min(len(list), at+around) && !apart(i); i++ {
		if isNumeric(list[i].lower) {
			return 1
		}
	}
	return 0
}

// done returns how well a sentence tells who did what the verb at an index says.
func done(list []token, at int, question []token) float64 {
	for i := at + 1; i < min(len(list), at+8); i++ {
		if list[i].lower == "by" {
			return 1
		}
	}
	for i := range list[:at] {
		if isNameAt(list, i, question) || i == 0 && at <= 3 && list[i].upper && !asking[list[i].lower] {
			return 1
		}
	}
	return 0
}

// linked reports whether only function words stand between the words [at, end) and
// the word at an index, which belongs to them.
func linked(list []token, at, end, i int) bool {
	between := list[min(i+1, at):at]
	if i >= end {
		between = list[end:i]
	} else if i >= at {
		return true
	}
	return !slices.ContainsFunc(between, func(t token) bool {
		return !prepositions[t.lower] && !articles[t.lower] && !adverbs[t.lower]
	})
}

// ordered returns how well a sentence tells an order.
func ordered(sentence string, question []token) float64 {
	list := tokensOf(sentence)
	near := 0.
	for i, t := range list {
		if !ordering[t.lower] {
			continue
		}
		near = max(near, .5)
		for j := max(0, i-3); j < min(len(list), i+4); j++ {
			if !asking[list[j].lower] && !ordering[list[j].lower] && slices.ContainsFunc(question, func(q token) bool { return alike(q.lower, list[j].lower) }) {
				near = 1
			}
		}
	}
	parts := strings.Count(sentence, ",") + 2*strings.Count(sentence, ";") + strings.Count(sentence, " then ")
	told := slices.ContainsFunc([]string{"reverse order", "that order", "the order ", "this order", "declaration order", "alphabetical", "left to right", "from left", "ascending", "descending"},
		func(phrase string) bool {
			return strings.Contains(strings.Join(strings.Fields(strings.ToLower(sentence)), " "), phrase)
		})
	if parts < 2 && !told || strings.HasSuffix(strings.TrimRight(sentence, ".: "), "following order") {
		return 0
	}
	return near
}
