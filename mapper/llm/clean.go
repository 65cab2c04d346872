package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes every run of white space one space, leaves out what does not
// show, and cuts at a word so that at most max bytes remain.
func clean(text string, max int) string {
	text = cut(text, 4*max)
	var b strings.Builder
	for _, word := range strings.Fields(strings.ToValidUTF8(text, "")) {
		word = strings.Map(func(r rune) rune {
			if unicode.In(r, unicode.Cc, unicode.Cf) {
				return -1
			}
			return r
		}, word)
		if word == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	text = b.String()
	if len(text) <= max {
		return text
	}
	short := cut(text, max)
	if text[len(short)] != ' ' {
		if i := strings.LastIndexByte(short, ' '); i > 0 {
			short = short[:i]
		}
	}
	return strings.TrimRight(short, " ,;:-–—(")
}

// cut returns the longest start of s that has at most max bytes and ends with
// a whole character.
func cut(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max]
}

// maxShown is how many bytes of something foreign an error shows.
const maxShown = 200

// clip makes a short line of s.
func clip(s string) string { return clean(s, maxShown) }
