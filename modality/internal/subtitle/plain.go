package subtitle

import (
	"strings"

	"github.com/citekit/citekit/internal/plain"
)

// A Markup is how the words of a cue are marked up.
type Markup func(text string) string

// The known kinds of markup. Each function returns the text of a cue, with its line
// breaks.
var (
	SRT Markup = wordsSRT
	VTT Markup = wordsVTT
	ASS Markup = wordsASS // ASS and SSA
)

// Words returns the text of a cue without markup, line by line. Lines without words are
// dropped.
func (m Markup) Words(text string) string {
	var lines []string
	for line := range strings.FieldsFuncSeq(m(text), isLineEnd) {
		if line = plain.Line(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func isLineEnd(r rune) bool { return r == '\n' || r == '\r' }

func plainSRT(text string) string { return plain.Line(wordsSRT(text)) }

// wordsSRT returns the text of a cue without the tags that players know and without
// override blocks such as {\an8}. Any other < is text.
func wordsSRT(text string) string {
	if !strings.ContainsAny(text, "<{") {
		return text
	}
	var b strings.Builder
	for {
		i := strings.IndexAny(text, "<{")
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		text = text[i:]
		n := markup(text)
		if n == 0 {
			b.WriteByte(text[0])
			n = 1
		} else if strings.HasPrefix(text, "<br") {
			b.WriteByte('\n')
		}
		text = text[n:]
	}
}

// maxTag is the maximum length in bytes of a tag or override block.
const maxTag = 512

// markup returns the length of the tag or override block at the start of text, or 0.
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
