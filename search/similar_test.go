package search_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/irtest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

// texts are of three subjects, two of each.
var texts = map[string]string{
	"kettle.md":  "# Kettle\n\nHeat the water in the kettle until it boils, and let it cool to eighty degrees for green tea.\n\n## Scale\n\nChalk settles in the kettle. Vinegar dissolves it.\n",
	"teapot.md":  "# Teapot\n\nGreen tea wants water of eighty degrees, black tea water that boils. Warm the pot before.\n",
	"bicycle.md": "# Bicycle\n\nThe chain needs oil. A worn chain wears the gears, and the brakes need new pads each year.\n",
	"car.md":     "# Car\n\nBrakes with worn pads squeal. Change the oil of the engine each year.\n",
	"stars.md":   "# Stars\n\nA telescope gathers the light of distant stars and shows the moons of Jupiter.\n",
	"planet.md":  "# Planet\n\nJupiter has many moons. Four of them are seen with a small telescope.\n",
}

func similar(t *testing.T, s *shelf, req search.SimilarRequest) []*search.Result {
	t.Helper()
	found, err := s.Similar(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range found.Results {
		if i > 0 && r.Score > found.Results[i-1].Score {
			t.Errorf("result %d has a higher score than the one before", i)
		}
	}
	return found.Results
}

func TestSimilar(t *testing.T) {
	s := newShelf(t, texts)
	for _, test := range []struct {
		req  search.SimilarRequest
		want string
	}{
		{search.SimilarRequest{ID: "kettle"}, "teapot"},
		{search.SimilarRequest{ID: "bicycle", By: search.ByResources}, "car"},
		{search.SimilarRequest{ID: "planet.planet", By: search.ByNodes}, "stars"},
		{search.SimilarRequest{ID: "text://teapot#lines=3"}, "kettle"},
		{search.SimilarRequest{Text: "-telescope title:moons \"of\" a* planet"}, "planet"},
	} {
		got := similar(t, s, test.req)
		if len(got) == 0 || got[0].ResourceID != test.want {
			t.Errorf("%+v: %v, want %s", test.req, got, test.want)
		}
		for _, r := range got {
			if test.req.ID != "" && r.ResourceID == strings.TrimPrefix(strings.Split(test.req.ID, ".")[0], "text://") {
				t.Errorf("%s is like itself: %s", test.req.ID, r.Address)
			}
		}
	}
}

// TestSimilarLeavesOutSelf checks that neither the part comes, nor what it
// contains or lies in, though all passages of a long resource are like it.
func TestSimilarLeavesOutSelf(t *testing.T) {
	sharedtest.Once(t)
	var long strings.Builder
	long.WriteString("# Long\n\n")
	for i := range 1500 {
		fmt.Fprintf(&long, "## Part %d\n\nThe telescope shows the moons of Jupiter and its light.\n\n", i)
	}
	files := map[string]string{"long.md": long.String()}
	for name, content := range texts {
		files[name] = content
	}
	s := newShelf(t, files)
	for _, id := range []string{"long", "long.long", "text://long#lines=1-6002"} {
		for _, by := range []search.By{search.ByPassages, search.ByNodes, search.ByResources} {
			got := similar(t, s, search.SimilarRequest{ID: id, By: by})
			if len(got) < 2 {
				t.Errorf("%s by %s: %d results", id, by, len(got))
			}
			for _, r := range got {
				if r.ResourceID == "long" {
					t.Errorf("%s by %s: %s", id, by, r.Address)
				}
			}
		}
	}
	part := similar(t, s, search.SimilarRequest{ID: "long.long.part-7", By: search.ByNodes})
	for _, r := range part {
		if r.NodeID == "long" || r.NodeID == "part-7" {
			t.Errorf("%s %s is like what it contains", r.NodeID, r.Address)
		}
	}
}

func TestSimilarErrors(t *testing.T) {
	s := newShelf(t, texts)
	for name, test := range map[string]struct {
		req  search.SimilarRequest
		want error
	}{
		"nothing":          {search.SimilarRequest{}, citekit.ErrSyntax},
		"both":             {search.SimilarRequest{Text: "x", ID: "kettle"}, citekit.ErrSyntax},
		"spaces":           {search.SimilarRequest{Text: " \n"}, citekit.ErrSyntax},
		"no word":          {search.SimilarRequest{Text: "\x00\x1b ..."}, citekit.ErrSyntax},
		"by":               {search.SimilarRequest{Text: "tea", By: "pages"}, citekit.ErrSyntax},
		"many":             {search.SimilarRequest{Text: "tea", TopK: 51}, citekit.ErrSyntax},
		"unknown resource": {search.SimilarRequest{ID: "kettel"}, fs.ErrNotExist},
		"unknown node":     {search.SimilarRequest{ID: "kettle.kettle.scal"}, fs.ErrNotExist},
		"beyond the end":   {search.SimilarRequest{ID: "text://kettle#lines=900"}, citekit.ErrRange},
		"too many filters": {search.SimilarRequest{Text: "tea", Filters: index.Filters{Labels: make([]string, 10_001)}}, citekit.ErrSyntax},
	} {
		if _, err := s.Similar(ctx, test.req); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := s.Similar(ctx, search.SimilarRequest{ID: "kettel"})
	var missing *citekit.NotFoundError
	if !errors.As(err, &missing) || len(missing.Suggestions) == 0 {
		t.Errorf("no suggestion: %v", err)
	}
	for _, text := range []string{"a", "the of and", strings.Repeat("water ", 20_000)} {
		if _, err := s.Similar(ctx, search.SimilarRequest{Text: text}); err != nil {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// TestSimilarStale checks that a source that changed is no measure of others.
func TestSimilarStale(t *testing.T) {
	s := newShelf(t, texts)
	write(t, s.dir, "kettle.md", "other\n")
	if _, err := s.Similar(ctx, search.SimilarRequest{ID: "kettle"}); !errors.Is(err, citekit.ErrStale) {
		t.Error(err)
	}
	for _, r := range similar(t, s, search.SimilarRequest{ID: "teapot"}) {
		if r.ResourceID == "kettle" {
			t.Errorf("%s is quoted: %q", r.Address, r.Snippet)
		}
	}
}

// plainIndex is an index that cannot compare.
type plainIndex struct{ index.Index }

func TestSimilarPlainIndex(t *testing.T) {
	s := newShelf(t, texts)
	local := index.New(workspace.NewMemory(nil), nil)
	defer local.Close()
	searcher := search.New(s.Library, search.WithIndex(plainIndex{local}))
	defer searcher.Close()
	found, err := searcher.Similar(ctx, search.SimilarRequest{ID: "stars"})
	if err != nil || len(found.Results) == 0 || found.Results[0].ResourceID != "planet" {
		t.Error(found, err)
	}
}

// TestSimilarQuality measures on collections that others judged how well what is
// similar to a document agrees with what is right for the same query, beside
// what a search for the words of its title and text gives.
func TestSimilarQuality(t *testing.T) {
	if testing.Short() {
		t.Skip("judges hundreds of queries")
	}
	dir, ok := sharedtest.Extra(t)
	if !ok {
		return
	}
	for _, name := range []string{"cranfield", "med"} {
		t.Run(name, func(t *testing.T) {
			c, err := irtest.Read(filepath.Join(dir, "ir", name))
			if err != nil {
				t.Fatal(err)
			}
			s := newShelf(t, collectionFiles(c))
			var precision, asQuery, chance, n float64
			files := collectionFiles(c)
			plain := strings.NewReplacer(`"`, " ", "-", " ", ":", " ", "*", " ")
			for id, others := range siblings(c) {
				text := files["d"+id+".md"]
				found, err := s.Search(ctx, search.Request{Query: plain.Replace(text), By: search.ByResources, TopK: 11})
				if err != nil {
					t.Fatal(err)
				}
				asQuery += share(found.Results, others, id)
				precision += share(similar(t, s, search.SimilarRequest{ID: "d" + id, By: search.ByResources}), others, id)
				chance += float64(len(others)) / float64(len(c.Documents))
				n++
			}
			t.Logf("of the ten best of %.0f documents are right %.3f, with the text as a query %.3f, by chance %.3f", n, precision/n, asQuery/n, chance/n)
			if precision < asQuery*.95 || precision < 10*chance {
				t.Error("worse than the text as a query, or near chance")
			}
		})
	}
}

// siblings returns which other documents are right for a query that a document
// is right for, of every third document.
func siblings(c *irtest.Collection) map[string]map[string]bool {
	all := make(map[string]map[string]bool)
	for i, d := range c.Documents {
		others := make(map[string]bool)
		for _, right := range c.Right {
			if right[d.ID] {
				maps.Copy(others, right)
			}
		}
		if delete(others, d.ID); len(others) > 0 && i%3 == 0 {
			all[d.ID] = others
		}
	}
	return all
}

// share returns which part of the ten best results but a document itself is
// right, of as many as can be.
func share(results []*search.Result, right map[string]bool, self string) float64 {
	n, seen := 0, 0
	for _, r := range results {
		id := r.ResourceID[1:]
		if id == self || seen == 10 {
			continue
		}
		if seen++; right[id] {
			n++
		}
	}
	return float64(n) / float64(min(10, len(right)))
}
