package markup_test

import (
	"context"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/linetest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/text/internal/markup"
)

// hostile returns sources of about n bytes on which readers that nest, or look
// ahead, take time or memory that grows faster than the source.
func hostile(n int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, n/len(s)) }
	return map[string]string{
		"quotes":         fill(">"),
		"quoted lines":   fill(strings.Repeat(">", 200) + "x\n"),
		"stairs":         rising(n, ">", " x\n\n"),
		"lists":          fill("- "),
		"list lines":     fill("- a\n"),
		"numbers":        fill("1. a\n   "),
		"brackets":       "# " + fill("["),
		"bracket titles": fill("# " + strings.Repeat("[", 3000) + "\n"),
		"image titles":   fill("# " + strings.Repeat("![a](", 600) + "\n"),
		"stars":          fill("# " + strings.Repeat("*a **", 600) + "\n"),
		"backquotes":     fill("# " + strings.Repeat("`a``b", 600) + "\n"),
		"tags":           fill("# " + strings.Repeat("<a", 1500) + "\n"),
		"entities":       fill("# " + strings.Repeat("&", 3000) + "\n"),
		"comments":       fill("# " + strings.Repeat("<!--", 700) + "\n"),
		"references":     fill("[a]: b\n"),
		"open titles":    fill("[a]: b 'x\n"),
		"labels":         fill("[a\n"),
		"empty headings": fill("#\n"),
		"setext":         fill("a\n=\n"),
		"tables":         fill("|a\n|-\n"),
		"table rows":     "|a|\n|-|\n" + fill("|\n"),
		"html blocks":    fill("<a b='"),
		"deep elements":  fill("<div>"),
		"headings":       fill("<h1>"),
		"more headings":  fill("<h1>a</h1>"),
		"attributes":     "<a " + fill("b=c "),
		"templates":      fill("<template>"),
		"comment":        fill("<!-"),
		"scripts":        fill("<script>"),
		"alt":            "<h1>" + fill("<img alt=a>"),
		"entity":         `<!DOCTYPE x [<!ENTITY a "b">]>` + fill("<h1>&a;</h1>"),
		"sections":       fill(`\section{`),
		"labels of TeX":  fill(`\label{`),
		"options":        fill(`\section[`),
		"verbatim":       fill(`\begin{verbatim}`),
		"titles of TeX":  fill(`\titlex`),
		"verb":           fill(`\verb|`),
		"commands":       fill(`\section{\a[\b[\c[\d[}` + "\n"),
		"percent":        fill("%\\title"),
		"adornments":     fill("a\n=\n"),
		"rules":          fill("====\n"),
		"borders":        fill("== ==\n"),
		"marks":          fill(strings.Repeat("*a ", 500) + "\n======\n"),
		"roles":          fill(strings.Repeat(":a:`b ", 300) + "\n======\n"),
		"delimiters":     fill("----\n"),
		"examples":       fill("====\n----\n"),
		"equals":         fill("== " + strings.Repeat("*a _b ", 500) + "\n\n"),
		"org stars":      "* " + fill("*"),
		"org levels":     rising(n, "*", " x\n"),
		"org states":     fill("#+TODO: a b c d e f g h\n"),
		"org marks":      fill("* " + strings.Repeat("*a /b ", 500) + "\n"),
		"drawers":        fill(":a:\n"),
		"blocks":         fill("#+begin_a\n"),
		"one line":       fill("x"),
		"words":          fill("word "),
	}
}

// rising makes lines of ever more marks.
func rising(n int, mark, end string) string {
	var b strings.Builder
	for i := 1; b.Len() < n; i++ {
		b.WriteString(strings.Repeat(mark, i%1000) + end)
	}
	return b.String()
}

// TestHostile maps what is made to be slow in every format, small and large:
// what takes more than linear time runs into the time limit of the tests.
func TestHostile(t *testing.T) {
	sharedtest.NotShort(t)
	size := 32 << 10
	if sharedtest.Long() {
		size = 16 << 20
	}
	for name, src := range hostile(size) {
		for _, format := range formats() {
			t.Run(string(format)+"/"+name, func(t *testing.T) {
				structure, err := markup.Map(context.Background(), format, []byte(src))
				if err != nil {
					t.Fatal(err)
				}
				linetest.CheckNodes(t, structure.Nodes, linetest.CountLines(src))
			})
		}
	}
}

// TestManyHeadings maps sources of nothing but headings, more than a map holds.
func TestManyHeadings(t *testing.T) {
	sharedtest.NotShort(t)
	for format, line := range map[markup.Format]string{
		markup.Markdown: "#\n", markup.ReST: "a\n=\n", markup.AsciiDoc: "== a\n", markup.HTML: "<h1>a", markup.LaTeX: `\section{}`, markup.Org: "* \n",
	} {
		src := []byte(strings.Repeat(line, 60_000))
		structure, err := markup.Map(context.Background(), format, src)
		if err != nil {
			t.Fatal(err)
		}
		linetest.CheckNodes(t, structure.Nodes, linetest.CountLines(src))
	}
}
