package search_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit/search"
)

// TestOverlaps checks that a chapter that begins with a section is no result of its own
// beside this section, whose text it shows, and that a later section is one.
func TestOverlaps(t *testing.T) {
	filler := strings.Repeat("Tar is bought in spring and kept in casks near the water. ", 20)
	s := newShelf(t, map[string]string{"guide.md": "# Guide\n\nAn introduction.\n\n# Boats\n\n## Hulls\n\nThe hull of the boats is tarred. " + filler +
		"\n\n## Masts\n\nA mast of the boats is oiled. " + filler + "\n"})
	for _, test := range []struct {
		req  search.Request
		want string
	}{
		{search.Request{Query: "boats hull"}, "boats.hulls boats.masts"},
		{search.Request{Query: "boats hull", SameAddress: true}, "boats.hulls boats boats.masts"},
		{search.Request{Query: "boats hull", By: search.ByNodes}, "boats.hulls boats boats.masts"},
	} {
		var got []string
		found := s.find(t, test.req)
		for _, r := range found.Results {
			got = append(got, r.NodeID)
		}
		if got := strings.Join(got, " "); got != test.want || found.Total != len(found.Results) {
			t.Errorf("%+v: %s, %d in all; want %s", test.req, got, found.Total, test.want)
		}
	}
}
