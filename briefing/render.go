package briefing

import (
	"strings"
	"unicode"

	"github.com/citekit/citekit/internal/plain"
)

// render returns pieces as Markdown: for each, its address and title, and its
// text in a fence that is longer than any in the text.
func render(pieces []*stretch) string {
	var b strings.Builder
	for i, s := range pieces {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("`" + s.address.String() + "`")
		if title := s.title(); title != "" {
			b.WriteString(" `" + title + "`")
		}
		text := visible(s.text)
		fence := fenceOf(text)
		b.WriteString("\n" + fence + "text\n" + text)
		if !strings.HasSuffix(text, "\n") {
			b.WriteByte('\n')
		}
		b.WriteString(fence + "\n")
	}
	return b.String()
}

// mostTitle is the largest length of the title of a piece, in bytes.
const mostTitle = 120

// title returns the title of the node of a piece, after the titles around it,
// without characters that could end a code span.
func (s *stretch) title() string {
	title := strings.Join(append(append([]string{}, s.first.Path...), s.first.Title), " › ")
	return strings.TrimSpace(plain.Shorten(plain.Line(strings.ReplaceAll(title, "`", "'")), mostTitle))
}

// fenceOf returns more backticks than occur together anywhere in a text.
func fenceOf(text string) string {
	longest, run := 2, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}

// visible returns a text in which all line ends are line feeds, and each
// control or format character other than white space is U+FFFD: such characters
// can control a terminal or reverse the order of the text around them.
func visible(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case r == '\n' || r == '\t' || r == '\u200c' || r == '\u200d' || r == '\u00ad':
			return r
		case unicode.In(r, unicode.Cc, unicode.Cf):
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
