package subtitle

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainSRT returns the words of a cue on one line, without the tags that
// players know and without override blocks, such as {\an8}. Any other < is one
// of the words.
func plainSRT(text string) string {
	if !strings.ContainsAny(text, "<{") {
		return oneLine(text)
	}
	var b strings.Builder
	for {
		i := strings.IndexAny(text, "<{")
		if i < 0 {
			b.WriteString(text)
			return oneLine(b.String())
		}
		b.WriteString(text[:i])
		text = text[i:]
		n := markup(text)
		if n == 0 {
			b.WriteByte(text[0])
			n = 1
		} else if strings.HasPrefix(text, "<br") {
			b.WriteByte(' ')
		}
		text = text[n:]
	}
}

// maxTag is how many bytes a tag or an override block has at most.
const maxTag = 512

// markup returns the length of the tag or override block that text begins
// with, or 0.
func markup(text string) int {
	if strings.HasPrefix(text, "{\\") {
		return strings.IndexByte(text[:min(len(text), maxTag)], '}') + 1
	}
	name := strings.TrimPrefix(text[1:], "/")
	if text[0] != '<' || !isTag(name[:wordLength(name)]) {
		return 0
	}
	return strings.IndexByte(text[:min(len(text), maxTag)], '>') + 1
}

func wordLength(s string) int {
	n := 0
	for n < len(s) && ('a' <= s[n] && s[n] <= 'z' || 'A' <= s[n] && s[n] <= 'Z') {
		n++
	}
	return n
}

func isTag(name string) bool {
	switch strings.ToLower(name) {
	case "b", "i", "u", "s", "font", "span", "br", "em", "strong", "c", "v", "ruby", "rt":
		return true
	}
	return false
}

// oneLine makes every run of white space a space and leaves out control
// characters.
func oneLine(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	gap := false
	for i, r := range text {
		switch {
		case unicode.IsSpace(r):
			gap = true
			continue
		case unicode.IsControl(r), r == '\ufeff', r == utf8.RuneError:
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteString(text[i : i+utf8.RuneLen(r)])
	}
	return b.String()
}
