package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

// TestPartTold searches a text that is cut and a page that draws what cannot be read:
// each answer says so once, also that of another Searcher, and none about other
// resources.
func TestPartTold(t *testing.T) {
	sharedtest.Once(t)
	const (
		isCut    = "only the beginning of the text of 1 resource is searched, as it is too large: long; "
		isUnread = "left out: some pages of 1 resource are pictures, or cannot be read as text: scan; "
	)
	for _, held := range []int{1 << 20, 1000} { // the text is held, and it is not
		t.Run(fmt.Sprint(held), func(t *testing.T) {
			defer search.SetLimits(1<<30, held)()
			s := newShelf(t, map[string]string{
				"tea.md": "# Tea\n\nGreen leaves.\n", "scan.pdf": string(pdftest.Unnamed("Heading", 80)),
				"long.md": "# Kettle\n\n" + strings.Repeat("A spoon of water. ", 1000) + "\n\nThe last words.\n",
			})
			for range 2 {
				ws, err := workspace.Open(s.dir, nil)
				if err != nil {
					t.Fatal(err)
				}
				lib := citekit.New(ws, modality.All(), nil)
				searcher := search.New(lib, &search.Options{Layers: textlayer.New(lib, &textlayer.Options{MaxBytes: 10_000})})
				t.Cleanup(func() { searcher.Close(); lib.Close() })
				for _, query := range []string{"leaves", "nothing"} {
					found, err := searcher.Search(t.Context(), search.Request{Query: query})
					if err != nil || strings.Count(found.Hint, isCut) != 1 || strings.Count(found.Hint, isUnread) != 1 {
						t.Errorf("%q: %q, %v", query, found.Hint, err)
					}
				}
				found, err := searcher.Search(t.Context(), search.Request{Query: "leaves", Filters: filterOf("tea")})
				if err != nil || found.Total != 1 || found.Hint != "" {
					t.Errorf("in another resource: %d, %q, %v", found.Total, found.Hint, err)
				}
				parts, err := searcher.SetAside(t.Context())
				if err != nil || len(parts.Begun) > 0 || !slices.Equal(parts.Cut, []string{"long"}) || !slices.Equal(parts.Unread, []string{"scan"}) {
					t.Errorf("set aside are %+v, %v", parts, err)
				}
			}
		})
	}
}
