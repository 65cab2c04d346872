package search_test

import (
	"fmt"
	"testing"

	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/internal/index"
)

// TestCopies shows that a text that several files have is one result, which names others,
// and that a filter still finds each of them.
func TestCopies(t *testing.T) {
	const licence = "# Licence\n\n## Terms\n\nThe software is provided as it is, without warranty of any kind, express or implied.\n"
	files := map[string]string{"note.md": "# Note\n\nNo warranty for the kettle, and none is implied by the software that runs in it.\n"}
	for i := range 6 {
		files[fmt.Sprintf("lib%d.md", i)] = licence
	}
	files["changed.md"] = "# Changed\n\n## Terms\n\nThe software is provided as it is, with a warranty of any kind, express or implied.\n"
	s := newShelf(t, files)
	found := s.find(t, search.Request{Query: "software provided without warranty implied"})
	var copies []string
	for _, a := range found.Results[0].Copies {
		copies = append(copies, a.String())
	}
	if len(found.Results) != 3 || len(copies) != search.MaxCopies || found.Results[0].CopyCount != 5 || found.Total != 3 {
		t.Errorf("%s with copies %v, total %d", addresses(found), copies, found.Total)
	}
	if one := s.find(t, search.Request{Query: "software provided without warranty implied", TopK: 1}); len(one.Results) != 1 || one.Results[0].CopyCount != 5 || one.Total != 3 {
		t.Errorf("%s with %d copies, total %d", addresses(one), one.Results[0].CopyCount, one.Total)
	}
	for i := range 6 {
		id := fmt.Sprintf("lib%d", i)
		found := s.find(t, search.Request{Query: "software warranty", Filters: index.Filters{Resources: []string{id}}})
		if len(found.Results) != 1 || found.Results[0].ResourceID != id || len(found.Results[0].Copies) > 0 {
			t.Errorf("%s: %s", id, addresses(found))
		}
	}
	if found := s.find(t, search.Request{Query: "software warranty", SameAddress: true}); len(found.Results) != 8 {
		t.Errorf("%d results where all passages are asked for", len(found.Results))
	}
}
