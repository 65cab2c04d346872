package search_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/search"
)

// TestPassages checks that the passages are all of a text, in order, and those that a
// search finds.
func TestPassages(t *testing.T) {
	var text strings.Builder
	for i := range 40 {
		fmt.Fprintf(&text, "# Part %d\n\nThe harvest of year %d was brought in by %d people, and all of it was sold.\n\n", i+1, 1900+i, i*i)
	}
	s := newShelf(t, map[string]string{"book.md": text.String(), "empty.bin": "\x00\x01"})
	defer s.Close()
	var whole strings.Builder
	found := make(map[string]citekit.Location)
	end := int64(0)
	for p, err := range s.Passages(ctx, "book") {
		if err != nil || p.From < end || p.SourceHash == "" {
			t.Fatalf("%+v, %v", p, err)
		}
		whole.WriteString(p.Text)
		end, found[p.Text] = p.To, p.Location
	}
	if strings.Join(strings.Fields(whole.String()), " ") != strings.Join(strings.Fields(text.String()), " ") || len(found) < 10 {
		t.Errorf("%d passages: %s", len(found), whole.String())
	}
	results, err := s.Search(ctx, search.Request{Query: "harvest 1917"})
	if err != nil || len(results.Results) == 0 {
		t.Fatal(results, err)
	}
	for _, one := range results.Results {
		if _, ok := found[one.Passage.Text]; !ok {
			t.Errorf("found %q, which is no passage", one.Passage.Text)
		}
	}
	for range s.Passages(ctx, "book") {
		break // the rest is not made
	}
	for _, err := range s.Passages(ctx, "nix") {
		if citekit.CodeOf(err) != message.CodeNotFound {
			t.Error(err)
		}
	}
}
