package data

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// title makes a title of text from the source: on one line, without what does
// not show, and cut at a word where it is too long.
func title(text string) string {
	if plainTitle(text) {
		return text
	}
	text = strings.ToValidUTF8(text[:min(len(text), 4*maxTitle)], "")
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxTitle {
		return text
	}
	end := maxTitle
	for !utf8.RuneStart(text[end]) {
		end--
	}
	if i := strings.LastIndexByte(text[:end+1], ' '); i > 0 {
		end = i
	}
	return text[:end]
}

// plainTitle reports whether text is a title as it is, as nearly all keys are.
func plainTitle(text string) bool {
	if len(text) > maxTitle {
		return false
	}
	for i := 0; i < len(text); i++ {
		if text[i] <= ' ' || text[i] >= 0x7f {
			return false
		}
	}
	return true
}
