package search_test

import (
	"testing"

	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/internal/index"
)

// What uses the words of the best passages instead of those of the query is
// found only if the query is expanded, and only what filters leave.
func TestExpand(t *testing.T) {
	s := newShelf(t, map[string]string{
		"a.md": "# Kettles\n\nA kettle boils water on a stove.\n",
		"b.md": "# Pots\n\nThe stove heats the pot until the water is boiling.\n",
		"c.md": "# Letters\n\nHe wrote to his aunt.\n",
	})
	ids := func(req search.Request) (list []string) {
		for _, r := range s.find(t, req).Results {
			list = append(list, r.ResourceID)
		}
		return list
	}
	for _, c := range []struct {
		req  search.Request
		want int
	}{
		{search.Request{Query: "kettle"}, 1},
		{search.Request{Query: "kettle", Expand: true}, 2},
		{search.Request{Query: "kettle -pot", Expand: true}, 1},
		{search.Request{Query: "kettle", Expand: true, By: search.ByResources}, 2},
		{search.Request{Query: "kettle", Expand: true, Filters: index.Filters{Without: []string{"b"}}}, 1},
		{search.Request{Query: "zither", Expand: true}, 0},
	} {
		if got := ids(c.req); len(got) != c.want || c.want > 0 && got[0] != "a" {
			t.Errorf("%+v finds %q, want %d", c.req, got, c.want)
		}
	}
}

// A source that changed since it was indexed does not expand a query.
func TestExpandByWhatIsThere(t *testing.T) {
	s := newShelf(t, map[string]string{"a.md": "# Kettles\n\nA kettle boils water.\n", "b.md": "# Rain\n\nThe water of rain.\n"})
	if found := s.find(t, search.Request{Query: "kettle", Expand: true}); len(found.Results) != 2 {
		t.Fatalf("found %d", len(found.Results))
	}
	write(t, s.dir, "a.md", "# Spoons\n\nA spoon of silver is long.\n")
	if found := s.find(t, search.Request{Query: "kettle", Expand: true}); len(found.Results) != 0 {
		t.Errorf("found %+v", found.Results[0])
	}
}
