package search

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/terms"
	"github.com/citekit/citekit/search/internal/index"
)

// errNotWords reports a hit that has the stems of a phrase, but not its words.
var errNotWords = errors.New("the words of the phrase are not there")

// hasPhrases reports whether a text has all phrases as written, apart from
// case, white space and signs.
func hasPhrases(text string, phrases []string) bool {
	if len(phrases) == 0 {
		return true
	}
	all := foldLetters(text)
	for _, phrase := range phrases {
		if !all.has(foldLetters(phrase).letters) {
			return false
		}
	}
	return true
}

// minExact is how many words a query needs to be looked for as it is written.
const minExact = 3

// exactFirst puts the candidates that have the words of a query as they are written
// before those that have only their stems in this order.
func exactFirst(req Request, shown []candidate) {
	if len(shown) < 2 || len(strings.Fields(req.Query)) < minExact && !isFunctional(req.Query) || index.HasOrders(req.Query, req.Syntax) {
		return
	}
	query := foldLetters(req.Query).letters
	exact := make(map[*Result]bool)
	for _, c := range shown {
		exact[c.result] = foldLetters(c.result.Title + "\n" + c.text).has(query)
	}
	slices.SortStableFunc(shown, func(a, b candidate) int {
		switch {
		case exact[a.result] == exact[b.result]:
			return 0
		case exact[a.result]:
			return -1
		}
		return 1
	})
	for i, c := range slices.Backward(shown) { // each has at least the score of the next
		if i+1 == len(shown) || c.result.Score >= shown[i+1].result.Score {
			continue
		}
		more := shown[i+1].result.Score - c.result.Score
		c.result.Score += more
		if req.Rationale {
			c.result.Rationale = append(c.result.Rationale, &Reason{Term: req.Query, Fields: []string{"text"}, Score: rounded(more)})
		}
	}
}

// isFunctional reports whether a query has only function words, of which the order says
// more than the words.
func isFunctional(query string) bool {
	reader := terms.NewReader(query)
	return !slices.ContainsFunc(strings.Fields(query), func(word string) bool {
		return !reader.IsFunction(strings.TrimFunc(word, func(r rune) bool { return !isWordRune(r) }))
	})
}

// has reports whether a text contains letters that begin and end at word
// boundaries.
func (f *foldedText) has(letters []byte) bool {
	if len(letters) == 0 {
		return true
	}
	for from := 0; ; {
		at := bytes.Index(f.letters[from:], letters)
		if at < 0 {
			return false
		}
		start, end := from+at, from+at+len(letters)
		if f.isEdge(start) && (end == len(f.letters) || f.isEdge(end)) {
			return true
		}
		from = start + 1
	}
}

// isEdge reports whether a word may begin with a letter: the character before
// it is not a letter, or one of them is of a script without spaces.
func (f *foldedText) isEdge(i int) bool {
	at := f.offsets[i]
	if i > 0 && f.offsets[i-1] == at {
		return false // within a letter
	}
	before, _ := utf8.DecodeLastRuneInString(f.text[:at])
	r, _ := utf8.DecodeRuneInString(f.text[at:])
	return at == 0 || !isWordRune(before) || isUnspaced(r) || isUnspaced(before)
}

// isUnspaced reports whether words in the script of a character have no spaces between
// them.
func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
