package terms

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/citekit/citekit/internal/plain"
)

// A form is a term of a word, with its place in the word.
type form struct {
	text       string
	start, end int
	role       Role
}

// maxWord is how many bytes of a word are used.
const maxWord = 256

// forms returns the terms of a word: the whole and the parts for an identifier, else one.
func (r *rules) forms(word string) []form {
	looked := cut(word, maxWord)
	parts := identifierParts(looked)
	switch {
	case len(parts) == 0:
		return nil
	case len(parts) == 1:
		p := parts[0]
		if p.end == len(looked) {
			p.end = len(word)
		}
		return r.plain(looked[p.start:min(p.end, len(looked))], p)
	case isAcronym(parts):
		return r.appendTerm(nil, strings.ReplaceAll(looked, ".", ""), form{end: len(word)})
	}
	forms := r.appendTerm(nil, looked, form{end: len(word), role: Whole})
	for _, p := range parts {
		forms = r.appendTerm(forms, looked[p.start:p.end], form{start: p.start, end: p.end})
	}
	return forms
}

// appendTerm appends the form of an identifier or of a part. Function words count there,
// because the is in isOpen is part of a name.
func (r *rules) appendTerm(forms []form, word string, f form) []form {
	if f.text = r.stemmed(lowerCase(word)); f.text != "" {
		forms = append(forms, f)
	}
	return forms
}

// plain returns the term of a word that has no parts.
func (r *rules) plain(word string, p part) []form {
	elided := r.elided(word)
	lower := lowerCase(word[elided:])
	f := form{text: r.stemmed(lower), start: p.start + elided, end: p.end}
	if r.function[lower] {
		f.role = Function
	}
	if f.text == "" {
		return nil
	}
	return []form{f}
}

func (r *rules) stemmed(lower string) string {
	if r.possessive {
		lower = strings.TrimSuffix(lower, "'s")
	}
	if len(lower) <= MaxBytes && r.stem != nil && strings.IndexFunc(lower, isNoLetter) < 0 {
		lower = r.stem(lower)
	}
	return cut(fold(lower), MaxBytes)
}

// isNoLetter reports whether r shows that a word is not natural language.
func isNoLetter(r rune) bool { return r < utf8.RuneSelf && (r < 'a' || r > 'z') && r != '\'' }

// lowerCase returns a word in lower case, composed, with plain apostrophes and digits,
// with letters in place of ligatures, and without invisible characters.
func lowerCase(word string) string {
	if isLowerASCII(word) {
		return word
	}
	return compose(strings.ToLower(norm.NFKC.String(strings.Map(plainRune, word))))
}

func isLowerASCII(word string) bool {
	for i := range len(word) {
		if c := word[i]; c >= utf8.RuneSelf || c >= 'A' && c <= 'Z' {
			return false
		}
	}
	return true
}

// plainRune returns the usual form of a character, or -1 if it is invisible.
func plainRune(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return r
	case r == 0x2019, r == 0x02bc, r == 0xff07:
		return '\''
	case r == 0x00ad, r >= 0x200b && r <= 0x200f, r == 0x2060, r == 0xfeff, r == utf8.RuneError:
		return -1
	case r == 'ё', r == 'Ё': // usually written without the dots
		return 'е'
	case r >= 0xff01 && r <= 0xff5e: // full-width forms of ASCII
		return r - 0xff01 + '!'
	}
	return r
}

// compose returns text in a normal form, in which what looks the same is the same.
func compose(text string) string { return plain.NFC(text) }

// cut returns the longest prefix of text with at most n bytes that ends between
// characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
