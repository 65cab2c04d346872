package code_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text/internal/code"
	"github.com/google/go-cmp/cmp"
)

// A braceCase is a source, and its symbols one on each line: depth as
// indentation, type, title, lines.
type braceCase struct {
	name, src, want string
}

func testBraces(t *testing.T, lang code.Language, cases []braceCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			structure, err := code.Map(context.Background(), lang, []byte(unindent(c.src)))
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			writeNodes(&b, structure.Nodes, "")
			if diff := cmp.Diff(unindent(c.want), b.String()); diff != "" {
				t.Errorf("symbols (-want +got):\n%s", diff)
			}
		})
	}
}

func writeNodes(b *strings.Builder, nodes []*citekit.Node, indent string) {
	for _, n := range nodes {
		fmt.Fprintf(b, "%s%s %s %d-%d", indent, n.Type, n.Title, n.Location.Lines.First, n.Location.Lines.Last)
		if n.Summary != "" {
			fmt.Fprintf(b, " // %s", n.Summary)
		}
		b.WriteByte('\n')
		writeNodes(b, n.Children, indent+"\t")
	}
}

// unindent returns the text without its first line feed and without the tabs
// that its first line begins with.
func unindent(text string) string {
	text = strings.TrimRight(strings.TrimPrefix(text, "\n"), "\t")
	tabs := text[:len(text)-len(strings.TrimLeft(text, "\t"))]
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, tabs)
	}
	return strings.Join(lines, "")
}
