package index_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

// A query is expanded by the words of the feedback, and keeps what it demands.
func TestExpand(t *testing.T) {
	x := newIndex(t, workspace.NewMemory(nil))
	put(t, x, resource("r", "1", "car engine", "engine oil filter", "bread oven", "car tax bread"))
	expand := func(text string, feedback ...index.Feedback) string {
		t.Helper()
		result, err := x.Expand(ctx, index.Query{Text: text}, feedback)
		if err != nil {
			t.Fatal(err)
		}
		var hits []string
		for _, h := range result.Hits {
			hits = append(hits, h.Entry.Node)
		}
		return strings.Join(hits, " ")
	}
	best, err := x.Search(ctx, index.Query{Text: "car"})
	if err != nil {
		t.Fatal(err)
	}
	engine := index.Feedback{Text: "The engine of a car", Language: best.Hits[0].Language, Weight: 2}
	for _, c := range []struct{ query, want string }{
		{"car", "n0 n3 n1"},
		{"car -filter", "n0 n3"},
		{`"car engine"`, "n0"},
		{"the", ""},
		{"-bread", ""},
	} {
		if got := expand(c.query, engine); got != c.want {
			t.Errorf("%q finds %q, want %q", c.query, got, c.want)
		}
	}
	if got, want := expand("car"), found(t, x, index.Query{Text: "car"}); got != strings.ReplaceAll(want, "r.", "") {
		t.Errorf("without feedback finds %q, want %q", got, want)
	}
	if got := expand("car", index.Feedback{Text: "oven", Weight: 0}); strings.Contains(got, "n2") {
		t.Errorf("feedback without weight counts: %q", got)
	}
	long := strings.Repeat("word car tax bread oil filter engine oven ", 40_000)
	if got := expand(long, index.Feedback{Text: long, Weight: 1}); got == "" {
		t.Error("a long query and a long text find nothing")
	}
}
