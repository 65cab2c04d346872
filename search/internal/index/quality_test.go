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

// TestQualityOfShards compares the hits of an index of several shards with those of one, on
// the collections of TestQuality.
func TestQualityOfShards(t *testing.T) {
	dir, ok := sharedtest.Extra(t)
	if !ok {
		return
	}
	for _, name := range []string{"cranfield", "med"} {
		c, err := irtest.Read(filepath.Join(dir, "ir", name))
		if err != nil {
			t.Fatal(err)
		}
		var documents []index.Resource
		for _, d := range c.Documents {
			documents = append(documents, index.Resource{ID: d.ID, Version: "1", Entries: slices.Values([]index.Entry{{Node: d.ID, Title: d.Title, Text: d.Text}})})
		}
		var all [2]*index.Local
		sums := [2]float64{}
		for i, shards := range []int{1, 8} {
			all[i] = index.New(workspace.NewMemory(nil), &index.Options{Shards: shards})
			defer all[i].Close()
			put(t, all[i], documents...)
		}
		for _, q := range c.Queries {
			var results [2]*index.Result
			for i, x := range all {
				if results[i], err = x.Search(ctx, index.Query{Text: q.Text, TopK: 100}); err != nil {
					t.Fatal(err)
				}
				var ranking []string
				for _, h := range results[i].Hits {
					ranking = append(ranking, h.Entry.Node)
				}
				sums[i] += c.NDCG(q.ID, ranking)
			}
			differ(t, name+" "+q.ID, results[1], results[0])
		}
		queries := float64(len(c.Queries))
		t.Logf("%s: nDCG@10 %.4f of one index, %.4f of eight shards", name, sums[0]/queries, sums[1]/queries)
		if sums[0] != sums[1] {
			t.Error("it differs")
		}
	}
}
