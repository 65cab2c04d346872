package search

import (
	"bytes"
	"errors"
	"unicode"
	"unicode/utf8"
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

// has reports whether a text contains letters that begin and end at word
// boundaries.
func (f *folded) has(letters []byte) bool {
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
// it is not a letter, or the script has no spaces.
func (f *folded) isEdge(i int) bool {
	at := f.offsets[i]
	if i > 0 && f.offsets[i-1] == at {
		return false // within a letter
	}
	before, _ := utf8.DecodeLastRuneInString(f.text[:at])
	r, _ := utf8.DecodeRuneInString(f.text[at:])
	return at == 0 || !isWordRune(before) || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
