package index_test

import (
	"testing"

	"github.com/citekit/citekit/search/internal/index"
)

// Of entries with the same score in several languages those of the smaller resource id come
// first, however few are wanted.
func TestTiesOfLanguages(t *testing.T) {
	x := newIndex(t, directory(t, t.TempDir()))
	put(t, x,
		resource("b", "1", "das Haus ist bei der Zugspitze und es ist nicht hoch"),
		resource("a", "1", "the house is near the Zugspitze and it is not high"),
		resource("c", "1", "la maison est grande chez la Zugspitze et elle est avec nous"))
	languages := []string{"en", "de", "fr"}
	for k := 1; k <= 3; k++ {
		got, err := x.Search(ctx, index.Query{Text: "Zugspitze", TopK: k})
		if err != nil || len(got.Hits) != k || got.Total != 3 {
			t.Fatal(got, err)
		}
		for i, h := range got.Hits {
			if h.Resource != []string{"a", "b", "c"}[i] || h.Language != languages[i] || h.Score != got.Hits[0].Score {
				t.Errorf("%d wanted: hit %d is %s in %s with %v, the first has %v", k, i, h.Resource, h.Language, h.Score, got.Hits[0].Score)
			}
			text := "Zugspitze"
			if w := got.Weights.Weigh(&h, "", text, [][2]int{{0, len(text)}}); len(w) != 1 || w[0].Score <= 0 {
				t.Errorf("the text of %s weighs %v", h.Resource, w)
			}
		}
	}
}
