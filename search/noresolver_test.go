package search_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/linetest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/workspace"
)

// newChats returns a shelf for a program that reads chats too, in a directory.
func newChats(t *testing.T, dir string) *shelf {
	t.Helper()
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	resolvers := modality.All()
	resolvers[linetest.Chat] = linetest.Chats{}
	s := &shelf{dir: dir, Library: citekit.New(ws, resolvers, nil)}
	s.Searcher = search.New(s.Library, nil)
	t.Cleanup(func() { s.Close() })
	s.ingest(t)
	return s
}

// TestNoResolver searches, in a program without its resolver, a resource whose words
// only another program reads.
func TestNoResolver(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "plant.jsonl", "chat\nThe fern likes shade.\n")
	write(t, dir, "tea.md", "# Tea\n\nGreen leaves.\n")
	own := newChats(t, dir)
	plain := openShelf(t, dir)
	// The other program has not indexed it, and then it has.
	for range 2 {
		found := plain.find(t, search.Request{Query: "fern shade"})
		if len(found.Results) > 0 || found.LeftOut != 1 || !slices.Equal(found.UnreadableIDs, []string{"plant"}) || strings.Contains(found.Hint, "no text has the words") {
			t.Errorf("%d results, %d left out, unreadable %q, %q", len(found.Results), found.LeftOut, found.UnreadableIDs, found.Hint)
		}
		if got := addresses(own.find(t, search.Request{Query: "fern shade"})); got != "chat://plant#lines=1-2" {
			t.Errorf("with its resolver %q", got)
		}
	}
	if got := addresses(plain.find(t, search.Request{Query: "leaves"})); got != "text://tea#lines=1-3" {
		t.Errorf("a text beside it: %q", got)
	}
	var missing *citekit.NoResolverError
	if _, err := plain.Similar(ctx, search.SimilarRequest{ID: "plant"}); !errors.As(err, &missing) {
		t.Errorf("similar: %v", err)
	}
}

// TestVirtualHasNoText has a map that only leads elsewhere: its titles are found.
func TestVirtualHasNoText(t *testing.T) {
	s := newShelf(t, map[string]string{"tea.md": "# Tea\n\nGreen leaves.\n"})
	write(t, s.dir, ".resource_maps/guide.json", `{"resource_id": "guide", "type": "virtual", "title": "A guide", "source_path": "tea.md", "nodes": [
		{"id": "n", "title": "Brewing", "type": "section", "location": {"modality": "virtual", "address": "text://tea"}}]}`)
	found := s.find(t, search.Request{Query: "brewing"})
	if len(found.Results) != 1 || found.LeftOut != 0 {
		t.Errorf("%q, %d left out", addresses(found), found.LeftOut)
	}
}
