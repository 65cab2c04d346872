package index_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/citekit/citekit/internal/test/irtest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

// TestQuality measures the ranking with its default settings on collections that
// others judged. They are not part of this module.
func TestQuality(t *testing.T) {
	dir, ok := sharedtest.Extra(t)
	if !ok {
		return
	}
	for name, least := range map[string]float64{"cranfield": .391, "med": .692} {
		c, err := irtest.Read(filepath.Join(dir, "ir", name))
		if err != nil {
			t.Fatal(err)
		}
		x := newIndex(t, workspace.NewMemory(nil))
		var entries []index.Entry
		for _, d := range c.Documents {
			entries = append(entries, index.Entry{Node: d.ID, Title: d.Title, Text: d.Text})
		}
		put(t, x, index.Resource{ID: name, Version: "1", Entries: slices.Values(entries)})
		sum := 0.
		for _, q := range c.Queries {
			result, err := x.Search(ctx, index.Query{Text: q.Text})
			if err != nil {
				t.Fatal(err)
			}
			var ranking []string
			for _, h := range result.Hits {
				ranking = append(ranking, h.Entry.Node)
			}
			sum += c.NDCG(q.ID, ranking)
		}
		mean := sum / float64(len(c.Queries))
		t.Logf("%s: nDCG@10 %.4f of %d queries", name, mean, len(c.Queries))
		if mean < least-.0005 {
			t.Errorf("%s: nDCG@10 %.4f, want %.3f", name, mean, least)
		}
	}
}
