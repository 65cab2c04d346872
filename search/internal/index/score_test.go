package index_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

// Score ranks by the scores that it is given, and leaves only what a query
// demands.
func TestScore(t *testing.T) {
	x := newIndex(t, workspace.NewMemory(nil))
	put(t, x, resource("old", "1", "gone"), resource("r", "1", "red apple", "green pear", "red pear pie", "blue sky"))
	put(t, x, resource("s", "7", "red sky"))
	if err := x.Delete(ctx, "old"); err != nil {
		t.Fatal(err)
	}
	table := map[string][]float64{"r 1": {.1, .4, .3, .2}, "s 7": {.25}, "old 1": {1}}
	scores := func(id, version string) index.Scores {
		list := table[id+" "+version]
		if list == nil {
			return nil
		}
		return func(n int) (float64, bool) { return list[n], list[n] > .15 }
	}
	for _, c := range []struct {
		q     index.Query
		want  string
		total int
	}{
		{index.Query{}, "r.n1 r.n2 s.n0 r.n3", 4},
		{index.Query{TopK: 2}, "r.n1 r.n2", 4},
		{index.Query{Text: "nothing here"}, "r.n1 r.n2 s.n0 r.n3", 4},
		{index.Query{Text: "apple -red"}, "r.n1 r.n3", 2},
		{index.Query{Text: `"red pear"`}, "r.n2", 1},
		{index.Query{Filters: index.Filters{Without: []string{"r"}}}, "s.n0", 1},
		{index.Query{Filters: index.Filters{Resources: []string{"r"}}, Text: "-sky"}, "r.n1 r.n2", 2},
		{index.Query{Filters: index.Filters{Modalities: []citekit.Modality{"video"}}}, "", 0},
	} {
		result, err := x.Score(ctx, c.q, scores)
		if err != nil {
			t.Fatal(err)
		}
		var hits []string
		for _, h := range result.Hits {
			hits = append(hits, h.Resource+"."+h.Entry.Node)
		}
		if got := strings.Join(hits, " "); got != c.want || result.Total != c.total || !result.Exact {
			t.Errorf("%+v: %q of %d, want %q of %d", c.q, got, result.Total, c.want, c.total)
		}
	}
}

// Entries of a resource that several segments share have the scores of their
// ordinals.
func TestScoreOfSeveralSegments(t *testing.T) {
	const entries, best = 26_000, 25_700
	x := newIndex(t, workspace.NewMemory(nil))
	put(t, x, index.Resource{ID: "large", Version: "1", Entries: func(yield func(index.Entry) bool) {
		for i := range entries {
			if !yield(index.Entry{Node: fmt.Sprint("n", i), Text: fmt.Sprint("number", i), Ordinal: i}) {
				return
			}
		}
	}})
	scores := func(string, string) index.Scores {
		return func(n int) (float64, bool) { return -max(float64(n-best), float64(best-n)), true }
	}
	result, err := x.Score(ctx, index.Query{TopK: 1}, scores)
	if err != nil || len(result.Hits) != 1 || result.Hits[0].Entry.Node != fmt.Sprint("n", best) || result.Total != entries {
		t.Errorf("%+v, %v", result, err)
	}
}

// A hostile numbering of entries gives no entry the score of another.
func TestScoreOfOtherOrdinals(t *testing.T) {
	x := newIndex(t, workspace.NewMemory(nil))
	put(t, x, index.Resource{ID: "r", Version: "1", Entries: slices.Values([]index.Entry{{Text: "one", Ordinal: 5}, {Text: "two", Ordinal: 1}})})
	result, err := x.Score(ctx, index.Query{}, func(string, string) index.Scores {
		return func(n int) (float64, bool) { return float64(n), true }
	})
	if err != nil || len(result.Hits) != 1 || result.Hits[0].Entry.Ordinal != 1 {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestAsked(t *testing.T) {
	for text, want := range map[string]string{
		`red -blue "tall ships" title:mast sail*`: "red tall ships mast sail",
		`-"not this"`: "",
		"":            "",
	} {
		if got := index.Words(text, index.Auto); got != want {
			t.Errorf("%q asks %q, want %q", text, got, want)
		}
	}
}
