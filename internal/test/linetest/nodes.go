package linetest

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
)

// Bounds of every map.
const (
	maxLevels = 64
	maxBytes  = 300 // of a title or summary
)

// CheckNodes fails the test if [Problem] returns an error.
func CheckNodes(t testing.TB, nodes []*citekit.Node, lines int) {
	t.Helper()
	if err := Problem(nodes, lines); err != nil {
		t.Fatal(err)
	}
}

// Problem says what is wrong with the nodes of a text of so many lines. They must be
// in the text and in order, and children in their parents; nodes may share a line.
// Nodes have types, and titles and summaries are short and without control
// characters. In the map of mail no node has lines.
func Problem(nodes []*citekit.Node, lines int) error {
	count := 0
	for range (&citekit.ResourceMap{Nodes: nodes}).All() {
		count++
	}
	if count > about.MaxMappedNodes {
		return fmt.Errorf("%d nodes", count)
	}
	mail := count > 0 && nodes[0].Location.Lines.IsZero()
	return problem(nodes, citekit.Range{First: 1, Last: lines}, 1, mail)
}

func problem(nodes []*citekit.Node, within citekit.Range, level int, mail bool) error {
	first := within.First
	for _, n := range nodes {
		at := n.Location.Lines
		if err := n.Location.Validate(); err != nil {
			return fmt.Errorf("%s %q: %w", n.Type, n.Title, err)
		}
		if mail != at.IsZero() || !mail && (at.First < first || at.Last > within.Last) {
			return fmt.Errorf("%s %q at lines %v in %v, after line %d", n.Type, n.Title, at, within, first)
		}
		if n.Type == "" || level > maxLevels || strings.Contains(n.ID, ".") {
			return fmt.Errorf("type %q, id %q, at level %d", n.Type, n.ID, level)
		}
		if !IsLine(n.Title) || !IsLine(n.Summary) {
			return fmt.Errorf("title %q, summary %q", n.Title, n.Summary)
		}
		first = at.First
		if err := problem(n.Children, at, level+1, mail); err != nil {
			return err
		}
	}
	return nil
}

// IsLine reports whether s may be a title or summary.
func IsLine(s string) bool {
	return len(s) <= maxBytes && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl) && strings.TrimSpace(s) == s
}

// CountLines returns the number of lines of a text.
func CountLines[T string | []byte](text T) int {
	n := strings.Count(string(text), "\n")
	if !strings.HasSuffix(string(text), "\n") {
		n++
	}
	return n
}
