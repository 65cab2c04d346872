package search_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/search"
)

// rowsAt returns lines of text from a height down, at an offset from the left.
func rowsAt(x, from float64, texts ...string) (rows []pdftest.Row) {
	for i, text := range texts {
		rows = append(rows, pdftest.Row{X: x, Y: from + 14*float64(i), Size: 10, Text: text})
	}
	return rows
}

// TestBoxes checks that boxes are given where they have the text of the passage
// and no other, and not where it lies around other text or on a text file.
func TestBoxes(t *testing.T) {
	sharedtest.NotShort(t)
	para := []string{"The kettle boils water for the tea.", "It is filled with two cups at the most,", "and stands on a flat board."}
	column := make([]string, 100)
	for i := range column {
		column[i] = fmt.Sprintf("teapot %d has a lid, a handle and a spout of clay", i)
	}
	s := newShelf(t, map[string]string{
		"one.pdf": string(pdftest.Rows("", rowsAt(72, 80, para...), rowsAt(72, 80, column[:20]...))),
		"two.pdf": string(pdftest.Rows("", append(rowsAt(72, 50, column[:50]...), rowsAt(320, 50, column[50:100]...)...))),
		"a.txt":   "A kettle in a file of text.\n",
	})
	for _, r := range s.find(t, search.Request{Query: "kettle teapot"}).Results {
		if !r.Address.Location.Box.IsZero() {
			t.Errorf("a box that nobody asked for: %s", r.Address)
		}
	}
	boxed := make(map[string]bool)
	found, err := s.Search(ctx, search.Request{Query: "kettle teapot", Boxes: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range found.Results {
		loc := r.Address.Location
		if loc.Box.IsZero() {
			continue
		}
		boxed[r.ResourceID] = true
		var text strings.Builder
		for run, err := range s.ReadText(ctx, r.ResourceID, loc) {
			if err != nil {
				t.Fatal(err)
			}
			text.WriteString(run.Text)
		}
		if got, want := strings.Fields(text.String()), strings.Fields(r.Passage.Text); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s has %q, and the passage is %q", r.Address, got, want)
		}
		if loc.Box.X2-loc.Box.X1 > .9 || loc.Box.Y2-loc.Box.Y1 > .9 {
			t.Errorf("%s is all of the page", r.Address)
		}
	}
	if !boxed["one"] || boxed["a"] {
		t.Errorf("boxes for %v", boxed)
	}
	resources := s.find(t, search.Request{Query: "kettle", By: search.ByResources, Boxes: true}).Results
	if len(resources) == 0 || resources[0].Address.Location.Box != (citekit.Box{}) {
		t.Errorf("by resources: %v", resources)
	}
}
