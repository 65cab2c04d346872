package search_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/irtest"
	"github.com/citekit/citekit/internal/test/sharedtest"
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
	for name, least := range map[string][2]float64{"cranfield": {.395, .428}, "med": {.7, .74}} {
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

// TestQualityOfSigns checks that quotes and signs in questions cost nothing: on judged
// collections if they are there, and on a few documents of which each is right for the
// question about it.
func TestQualityOfSigns(t *testing.T) {
	small := &irtest.Collection{Right: make(map[string]map[string]bool)}
	for i, text := range shelves["en"].texts {
		id := fmt.Sprint(i)
		small.Documents = append(small.Documents, irtest.Text{ID: id, Text: text})
		small.Queries = append(small.Queries, irtest.Text{ID: id, Text: "What is said of this: " + strings.Repeat(text+" ", 3) + "and why is it so?"})
		small.Right[id] = map[string]bool{id: true}
	}
	t.Run("small", func(t *testing.T) { compareSigns(t, small) })
	for _, name := range []string{"cranfield", "med"} {
		t.Run(name, func(t *testing.T) {
			sharedtest.NotShort(t)
			dir, ok := sharedtest.Extra(t)
			if !ok {
				return
			}
			c, err := irtest.Read(filepath.Join(dir, "ir", name))
			if err != nil {
				t.Fatal(err)
			}
			compareSigns(t, c)
		})
	}
}

func compareSigns(t *testing.T, c *irtest.Collection) {
	s, random := newShelf(t, collectionFiles(c)), rand.New(rand.NewPCG(1, 2))
	variant := func(change func(words []string) []string) float64 {
		other := *c
		other.Queries = nil
		for _, q := range c.Queries {
			words := change(strings.Fields(q.Text))
			other.Queries = append(other.Queries, irtest.Text{ID: q.ID, Text: "what about " + strings.Join(words, " ")})
		}
		return quality(t, s, &other, search.Request{})
	}
	signs := func(words []string) []string {
		from := random.IntN(max(1, len(words)-2))
		to := min(len(words), from+2+random.IntN(3))
		words[from], words[to-1] = `"`+words[from], words[to-1]+`"`
		at := random.IntN(len(words))
		words[at] = []string{"-" + words[at], words[at] + "*", "- " + words[at], "title:" + words[at]}[random.IntN(4)]
		return words
	}
	long := func(words []string) []string { return slices.Repeat(words, 1+40/len(words)) }
	compare := func(kind string, got, want float64) {
		t.Logf("%s: nDCG@10 %.4f with signs, %.4f without", kind, got, want)
		if math.Abs(got-want) > .005 {
			t.Errorf("%s: nDCG@10 %.4f with signs, %.4f without", kind, got, want)
		}
	}
	compare("questions", variant(signs), variant(func(words []string) []string { return words }))
	if len(c.Queries) < 100 { // the others take long
		compare("more than 40 words", variant(func(words []string) []string { return signs(long(words)) }), variant(long))
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
