package search_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit/search"
)

// TestWordsAsWritten asks for runs of words that stand in one text: as they are, in
// ligatures, in full-width letters, with marks of their own, and over two lines. Other
// texts have the words more often, and their stems in the same order.
func TestWordsAsWritten(t *testing.T) {
	long := strings.Repeat("There was much else to be done on that day, and it was done. ", 25)
	files := map[string]string{
		"plain.txt":    long + "Nine grey herons waited near the flooded offices. " + long,
		"stems.txt":    "Nine grey heron waits near the flooding office. Herons, herons! Nine offices. Grey, grey floods: flooded offices waited.\n",
		"apart.txt":    "Offices flooded. Herons waited. Grey offices. Nine herons, nine offices, nine floods. Flooded, grey, nine, waited.\n",
		"ligature.txt": long + "De\ufb01ning o\ufb03cers baf\ufb02ed the \ufb01rst re\ufb02ective \ufb01nders. " + long,
		"letters.txt":  "Officers. Defining finders, baffled officers. First officers, reflective, first. Finders baffled, defining.\n",
		"wide.txt":     long + "\uff34\uff48\uff45 \uff42\uff4c\uff55\uff45 cafe\u0301 menu\nlists four soups. " + long,
		"menus.txt":    "Blue soups. Caf\u00e9 lists: four caf\u00e9s, four menus, four soups. The blue menu, blue lists.\n",
	}
	s := newShelf(t, files)
	for query, want := range map[string]string{
		"Nine grey herons waited near the flooded offices": "plain",
		"herons waited near the flooded offices":           "plain",
		"nine grey heron waits near the flooding office":   "stems",
		"defining officers baffled the first reflective":   "ligature",
		"baffled the first reflective finders":             "ligature",
		"The blue caf\u00e9 menu lists four soups":         "wide",
	} {
		for _, q := range []string{query, fmt.Sprintf("%q", query)} {
			found := s.find(t, search.Request{Query: q, Rationale: true})
			if len(found.Results) == 0 || found.Results[0].ResourceID != want || q != query && len(found.Results) != 1 {
				t.Errorf("%s: %s", q, ids(found))
			}
			for i, r := range found.Results[min(1, len(found.Results)):] {
				if r.Score > found.Results[i].Score {
					t.Errorf("%s: result %d has a score of %v, after %v", q, i+1, r.Score, found.Results[i].Score)
				}
			}
		}
	}
}

func ids(found *search.Results) (all []string) {
	for _, r := range found.Results {
		all = append(all, r.ResourceID)
	}
	return all
}
