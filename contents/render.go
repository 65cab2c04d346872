package contents

import (
	"strings"

	"github.com/citekit/citekit/internal/plain"
)

// render returns pieces as Markdown: for each, its address and title, and its
// text in a fence that is longer than any in the text.
func render(pieces []*passageRun) string {
	var b strings.Builder
	for i, s := range pieces {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("`" + s.address.String() + "`")
		if title := s.title(); title != "" {
			b.WriteString(" `" + title + "`")
		}
		text, _ := readable(s.text)
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
func (s *passageRun) title() string {
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

// readable returns a text in which all line ends are line feeds, and characters
// that cannot be seen are codes, and the number of these.
func readable(text string) (shown string, hidden int) {
	return plain.ShowHidden(lineEnds.Replace(text))
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")
