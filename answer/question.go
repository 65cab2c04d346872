package answer

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/terms"
	"github.com/citekit/citekit/search"
)

// Bounds of a question. The rest of a longer one is not read.
const (
	maxQuestion = 4 << 10 // bytes
	maxWords    = 32
)

// A word is a word of a question that carries its subject.
type word struct {
	text    string   // in lower case
	terms   []string // its stems, in each language of the index
	weight  float64  // its rarity; 0 for a word that every entry has
	others  []string // stems of words that mean nearly the same
	named   bool     // it has the form of a name
	measure bool     // it only names what is asked for, such as a size or a year
	hint    bool     // it is not in the question, but answers to such a question may have it
	unknown bool     // no entry of the index has it
}

// A question is a [Request.Question], prepared for comparison with sentences.
type question struct {
	text  string
	words []word
	total float64 // weight of all words but hints
	wants wantedKinds
	asked questionForm // its form
	said  []token      // its words
	hard  bool         // an answer must have the kind of thing

	rarest   float64 // weight of a word that one entry has
	heaviest float64 // weight of the rarest word of the question

	stemmed map[terms.Language][]word // the words with their stems in a language
}

// A wantedKinds is the set of kinds of things that a question asks for.
type wantedKinds uint8

const (
	wantNumber wantedKinds = 1 << iota
	wantTime
	wantName
	wantPlace
	wantReason
	wantDate
	wantManner
)

// readQuestion returns the question of a request. The error matches
// [citekit.ErrSyntax] if it has no word.
func readQuestion(ctx context.Context, s *search.Searcher, text string) (*question, error) {
	if strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("the question is empty; ask something: %w", citekit.ErrSyntax)
	}
	text = plain.Cut(strings.ToValidUTF8(text, " "), maxQuestion)
	if strings.IndexFunc(text, isWordRune) < 0 {
		return nil, fmt.Errorf("the question has no word to search for; ask with some words: %w", citekit.ErrSyntax)
	}
	q := &question{text: text, wants: wantsOf(text), asked: formOf(text), said: tokensOf(text), stemmed: make(map[terms.Language][]word)}
	q.hard = asksInEnglish(text) && q.wants&(wantNumber|wantTime|wantDate|wantName) != 0
	for _, t := range q.said { // "which option sets how many": only the first asks
		if asksForNoKind[t.lower] {
			q.hard = q.hard && q.wants&wantTime != 0
			break
		}
		if onlyEnglish[t.lower] {
			break
		}
	}
	told := content(text)
	if len(strings.Fields(told)) == 0 {
		told = text
	}
	if err := q.weigh(ctx, s, told); err != nil {
		return nil, err
	}
	return q, nil
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// weigh fills the words of a question with those of a text.
func (q *question) weigh(ctx context.Context, s *search.Searcher, text string) error {
	words, entries, err := s.Words(ctx, text)
	if err != nil {
		return err
	}
	if words == nil {
		words, entries = ownWords(text), 0
	}
	seen := make(map[string]bool)
	for _, w := range words {
		if k := strings.Join(w.Terms, " "); !seen[k] && tells(w.Text) {
			seen[k] = true
			next := word{text: strings.ToLower(w.Text), terms: w.Terms, weight: rarity(w, entries)}
			next.named = isName(w.Text, text)
			next.unknown = w.Entries == 0
			next.measure = measures[next.text] && asksFor(q.said, next.text) || next.text == "order" && q.asked.form == orderForm
			if light[next.text] {
				next.weight *= lightPart
			}
			q.rarest = max(q.rarest, rarity(search.Word{Text: "x", Entries: 1}, entries))
			for _, t := range w.Terms {
				next.others = append(next.others, synonyms(t)...)
			}
			q.words = append(q.words, next)
		}
	}
	slices.SortStableFunc(q.words, func(a, b word) int { return compareWeights(b, a) })
	q.words = q.words[:min(len(q.words), maxWords)]
	q.hints()
	for _, w := range q.words {
		q.total += w.weight
		q.heaviest = max(q.heaviest, w.weight)
	}
	return nil
}

// isName reports whether a word of a question has the form of a name: a digit
// or a sign beside letters, or, in a language with few capitals, a capital that
// is not at the start of the question.
func isName(word, question string) bool {
	letters := strings.IndexFunc(word, unicode.IsLetter) >= 0
	if letters && strings.ContainsAny(word, "0123456789_") {
		return true
	}
	r, size := utf8.DecodeRuneInString(word)
	if !unicode.IsUpper(r) || size == len(word) || strings.HasPrefix(strings.TrimLeft(question, "\"'“¿¡ "), word) && strings.ToUpper(word) != word {
		return false
	}
	return terms.Guess(question) != terms.German
}

func compareWeights(a, b word) int {
	switch {
	case a.weight < b.weight:
		return -1
	case a.weight > b.weight:
		return 1
	}
	return 0
}

// ownWords returns the words of a text if no index has them.
func ownWords(text string) (words []search.Word) {
	for t := range terms.New(terms.Guess(text)).Terms(text) {
		if t.Role != terms.Whole {
			words = append(words, search.Word{Text: text[t.Start:t.End], Terms: []string{t.Text}})
		}
	}
	return words
}

// fewEntries is added to the number of entries: among few entries, the absence
// of a word says little.
const fewEntries = 50

// rarity returns the weight of a word by its rarity. A pair of characters of a
// script without spaces counts half, because each character is in two pairs.
func rarity(w search.Word, entries int) float64 {
	weight := math.Log(1 + (float64(entries)+fewEntries)/(float64(w.Entries)+.5))
	if isUnspaced(w.Text) {
		weight /= 2
		if strings.IndexFunc(w.Text, isHiragana) >= 0 {
			weight /= 2
		}
	}
	return weight
}

func isHiragana(r rune) bool { return unicode.Is(unicode.Hiragana, r) }

func isUnspaced(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// tells reports whether a word can carry the subject of a question. Pairs of
// Hiragana characters cannot, because they are mostly endings and particles,
// nor can the question words of Chinese and Japanese.
func tells(text string) bool {
	if strings.IndexFunc(text, func(r rune) bool { return isWordRune(r) && !isHiragana(r) }) < 0 {
		return false
	}
	if !isUnspaced(text) {
		return true
	}
	return utf8.RuneCountInString(text) > 1 && !strings.ContainsAny(text, "什么麼吗嗎呢哪谁誰几幾怎何")
}

// content returns a question without the words that only ask.
func content(text string) string {
	words := strings.FieldsFunc(text, unicode.IsSpace)
	english := asksInEnglish(text)
	for i, w := range words {
		bare := strings.TrimFunc(w, func(r rune) bool { return !isWordRune(r) })
		if lower := strings.ToLower(bare); asking[lower] && !(english && englishToo[lower]) {
			words[i] = ""
			continue
		}
		if at := strings.IndexAny(bare, "'’"); at > 0 && asking[strings.ToLower(bare[:at])] {
			words[i] = bare[at+1:]
			for _, sign := range []string{"'", "’"} {
				if rest, ok := strings.CutPrefix(bare[at:], sign); ok {
					words[i] = rest
				}
			}
		}
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// asking are the question words and the commonest words of the languages with
// stemming.
var asking = setOf(`
	a an the what which who whom whose when where why how is are was were be been being do does did done has have had having can could
	should would will shall may might must i me my we us our you your he him his she her hers it its they them their there this that these those
	of in on at to from by for with about as into than then and or not no if so please tell say give show know find get gets got any some much many
	up out off over under only also just ever yet still very too long often far s t
	wer wen wem was wann wo warum wieso weshalb wie welche welcher welches welchen womit wodurch wofür wozu woher wohin viel viele lange hoch oft
	ist sind war waren wird werden hat haben hatte kann können muss müssen soll sollen darf der die das den dem des ein eine einen einem einer eines
	ich mich mir wir uns man sich es er sie ihr mit von zu zum zur im am an auf aus bei bis für gegen nach vor um und oder nicht bitte alle
	qui que quoi quel quelle quels quelles quand où pourquoi comment combien est sont était sera fait se ce cette ces le la les un une des du de d l
	a-t-il sont-ils est-ce il elle ils elles on au aux en dans par pour sur avec et ou ne pas je nous vous coûté
	quién quiénes qué cuál cuáles cuándo dónde cómo cuánto cuántos por el los las es son fue del con para y
	chi cosa che quale quali quando dove perché come quanto quanti è sono era il lo gli i di del della un uno con per e
	quem qual quais onde como quanto quantos o os as foi do da em no na com
	wie wat welke wanneer waar waarom hoe hoeveel zijn was het een van met voor`)

// englishToo are the words of other languages among these that carry meaning in
// English.
var englishToo = setOf("die man war hat pour os come")

// asksInEnglish reports whether a question has a question word that only English has.
func asksInEnglish(text string) bool {
	return slices.ContainsFunc(tokensOf(text), func(t token) bool { return onlyEnglish[t.lower] })
}

// asksForNoKind are the question words whose answers have no kind that can be told.
var asksForNoKind = setOf("which what where why")

var onlyEnglish = setOf("who what when where why which how does did is are the")

// light are verbs and adverbs that say little by themselves in any question.
var light = setOf(`use uses used using get getting gets got go goes went gone going become becomes became take takes took taken make makes made making
	happen happens happened mean means meant call called calls come comes came keep keeps put puts set sets try work works thing things way
	after before during until since while between against again back always never already one two first last other another several
	machen macht gemacht gehen geht kommt benutzt verwendet bedeutet fait faire va utilise veut dire`)

// measures are what a question asks for by name, and an answer has without it.
var measures = setOf("year date day time month size ratio amount number price cost length height weight speed color colour name value")

// asksFor reports whether a question asks for a thing by the word right behind which
// or what.
func asksFor(said []token, word string) bool {
	for i, t := range said[:max(0, len(said)-1)] {
		if (t.lower == "which" || t.lower == "what") && said[i+1].lower == word {
			return true
		}
	}
	return false
}

// lightPart is the share of their weight that these words keep.
const lightPart = .4

func setOf(words string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// query returns the query for the search: the words of the question, without
// special signs, each twice if there are other words that mean nearly the same.
func (q *question) query() string {
	told := content(plainQuery(q.text))
	if strings.IndexFunc(told, isWordRune) < 0 {
		told = plainQuery(q.text)
	}
	var others []string
	for _, w := range q.words {
		others = append(others, w.others...)
		if w.hint {
			others = append(others, w.text)
		}
	}
	if len(others) == 0 {
		return told
	}
	return told + " " + told + " " + strings.Join(others, " ")
}

// plainQuery returns a text as a query without special signs.
func plainQuery(text string) string {
	words := strings.Fields(strings.NewReplacer(`"`, " ", "*", " ", "title:", "title ").Replace(text))
	for i, word := range words {
		words[i] = strings.TrimLeft(word, "-")
	}
	return strings.Join(words, " ")
}
