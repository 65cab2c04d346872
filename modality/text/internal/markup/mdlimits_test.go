package markup

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestMarkdownLimits reads Markdown beyond the limits that keep goldmark linear:
// nothing is lost but what would nest too deeply.
func TestMarkdownLimits(t *testing.T) {
	sharedtest.NotShort(t)
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for _, test := range []struct {
		name, src string
		links     int
		last      string // line of the last link
	}{
		{"quotes", strings.Repeat(">", 2*maxContainers) + " [a](b)\n", 1, "1"},
		{"quotes in lists", strings.Repeat("- > ", maxContainers) + "[a](b)\n", 1, "1"},
		{"a long paragraph", numbered(3*maxParagraph, "[a](b) %d\n"), 3 * maxParagraph, fmt.Sprint(3 * maxParagraph)},
		{"definitions", numbered(3*maxParagraph, "[a%d]: b\n") + "\n" + numbered(3*maxParagraph, "[a%d] "), 3 * maxParagraph, fmt.Sprint(3*maxParagraph + 2)},
		{"a long line", strings.Repeat("[a](b) `c` <d> ", maxLinkMarks) + "[a](b)\n", maxLinkMarks + 1, "1"},
		{"a long table", "|a|\n|-|\n" + numbered(3*maxParagraph, "|[a](b)|%d\n"), 3 * maxParagraph, fmt.Sprint(3*maxParagraph + 2)},
		{"a long list", strings.Repeat("- a\n", maxRun/2+2) + "\n# [a](b)\n", 1, fmt.Sprint(maxRun/2 + 4)},
		{"long code", "```\n" + strings.Repeat("\n", maxRun-2) + "[a](b)\n```\n[a](b)\n", 1, fmt.Sprint(maxRun + 2)},
	} {
		links, err := Links(t.Context(), Markdown, []byte(test.src))
		if err != nil {
			t.Fatal(err)
		}
		if len(links) != test.links || links[len(links)-1].From.Lines.String() != test.last {
			t.Errorf("%s: %d links, want %d; the last is %+v, want line %s", test.name, len(links), test.links, links[max(0, len(links)-1):], test.last)
		}
	}
}

// TestMarkdownParts checks that goldmark reads few marks at once, and that parts
// end at line ends where they can.
func TestMarkdownParts(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("[a](", 3*maxLinkMarks),
		strings.Repeat("*a_ `b\n", 3*maxLinkMarks),
		strings.Repeat("<a\n[", 3*maxLinkMarks),
		"\n" + strings.Repeat("`", 3*maxLinkMarks),
		"no marks",
	} {
		var read string
		eachPart(1, []byte(text), func(line int, part []byte) bool {
			if n := strings.Count(string(part), "[") + strings.Count(string(part), "<") + strings.Count(string(part), "`"); n > maxLinkMarks {
				t.Errorf("%.20q: %d marks in a part", text, n)
			}
			if want := 1 + strings.Count(read, "\n"); line != want {
				t.Errorf("%.20q: a part on line %d, want %d", text, line, want)
			}
			read += string(part)
			return true
		})
		if read != text {
			t.Errorf("%.20q: %d bytes of %d in parts", text, len(read), len(text))
		}
	}
}
