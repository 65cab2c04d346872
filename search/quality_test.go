package search_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/citekit/citekit/internal/irtest"
	"github.com/citekit/citekit/internal/sharedtest"
	"github.com/citekit/citekit/search"
)

// TestQuality measures what a person gets who puts each document of a collection
// into a file and searches for resources, with the default settings.
func TestQuality(t *testing.T) {
	if testing.Short() {
		t.Skip("judges hundreds of queries")
	}
	dir, ok := sharedtest.Extra(t)
	if !ok {
		return
	}
	for name, least := range map[string][2]float64{"cranfield": {.392, .42}, "med": {.692, .73}} {
		t.Run(name, func(t *testing.T) {
			c, err := irtest.Read(filepath.Join(dir, "ir", name))
			if err != nil {
				t.Fatal(err)
			}
			s := newShelf(t, collectionFiles(c))
			check := func(request search.Request, least float64) {
				mean := quality(t, s, c, request)
				t.Logf("nDCG@10 %.4f of %d queries, expand %v", mean, len(c.Queries), request.Expand)
				if mean < least-.0005 {
					t.Errorf("nDCG@10 %.4f, want %.3f", mean, least)
				}
			}
			check(search.Request{}, least[0])
			check(search.Request{Expand: true}, least[1])
		})
	}
}

// quality returns the mean nDCG@10 of requests with the queries of a collection.
func quality(t *testing.T, s *shelf, c *irtest.Collection, request search.Request) float64 {
	sum := 0.
	for _, q := range c.Queries {
		request.Query, request.By = q.Text, search.ByResources
		found, err := s.Search(ctx, request)
		if err != nil {
			t.Fatal(err)
		}
		var ranking []string
		for _, r := range found.Results {
			ranking = append(ranking, r.ResourceID[1:])
		}
		sum += c.NDCG(q.ID, ranking)
	}
	return sum / float64(len(c.Queries))
}

// collectionFiles returns each document of a collection as a file.
func collectionFiles(c *irtest.Collection) map[string]string {
	files := make(map[string]string)
	for _, d := range c.Documents {
		if files["d"+d.ID+".md"] = d.Text + "\n"; d.Title != "" {
			files["d"+d.ID+".md"] = fmt.Sprintf("# %s\n\n%s\n", d.Title, d.Text)
		}
	}
	return files
}
