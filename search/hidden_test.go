package search_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/search"
)

// TestOutdatedHideNothing fills all hits that an index is asked for with those of
// a source that changed, and of one that is gone with its map.
func TestOutdatedHideNothing(t *testing.T) {
	sharedtest.Once(t)
	many := "# Zebras\n\n"
	for i := range 1200 {
		many += fmt.Sprintf("## Zebra %d\n\nA zebra among zebras: zebra %d.\n\n", i, i)
	}
	for name, spoil := range map[string]func(*testing.T, *shelf){
		"changed": func(t *testing.T, s *shelf) { write(t, s.dir, "many.md", many+"More.\n") },
		"deleted": func(t *testing.T, s *shelf) {
			if _, err := ingest.Delete(ctx, openShelf(t, s.dir).Library, "many", nil); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t, map[string]string{"many.md": many, "one.md": "# Other\n\nOnce a zebra was mentioned in a long text about something else entirely.\n"})
			s.find(t, search.Request{Query: "zebra"})
			spoil(t, s)
			if got := addresses(s.find(t, search.Request{Query: "zebra"})); got != "text://one#lines=1-3" {
				t.Errorf("found %q", got)
			}
			if stats, err := s.Stats(ctx); err != nil || stats.Resources != 1 {
				t.Errorf("the index holds %d resources, %v", stats.Resources, err)
			}
		})
	}
}

// TestOddMaps searches maps that people write by hand: what is found can be
// opened.
func TestOddMaps(t *testing.T) {
	s := newShelf(t, map[string]string{"a.txt": "The kiwi sings.\nThe plum hums.\n"})
	node := `{"id": "n", "title": "Kiwi %s", "type": "part", "location": %s}`
	for id, m := range map[string]string{
		"untyped":  fmt.Sprintf(`{"resource_id": "untyped", "source_path": "a.txt", "nodes": [%s]}`, fmt.Sprintf(node, "one", `{"modality": "text", "lines": [1, 1]}`)),
		"wrong":    fmt.Sprintf(`{"resource_id": "wrong", "type": "text", "source_path": "a.txt", "nodes": [%s]}`, fmt.Sprintf(node, "two", `{"modality": "document", "pages": [1]}`)),
		"past":     fmt.Sprintf(`{"resource_id": "past", "type": "text", "source_path": "a.txt", "nodes": [%s]}`, fmt.Sprintf(node, "three", `{"modality": "text", "lines": [90, 99]}`)),
		"nowhere":  `{"resource_id": "nowhere", "type": "text", "source_path": "a.txt", "nodes": [{"id": "n", "title": "Kiwi four", "type": "part"}]}`,
		"vanished": fmt.Sprintf(`{"resource_id": "vanished", "type": "text", "source_path": "gone.txt", "nodes": [%s]}`, fmt.Sprintf(node, "five", `{"modality": "text"}`)),
		"outside":  fmt.Sprintf(`{"resource_id": "outside", "type": "text", "source_path": "/etc/passwd", "nodes": [%s]}`, fmt.Sprintf(node, "six", `{"modality": "text"}`)),
		"long":     fmt.Sprintf(`{"resource_id": "long", "type": "text", "source_path": "a.txt", "metadata": {"author": %q}, "nodes": [%s]}`, strings.Repeat("Kiwi;", 100_000), fmt.Sprintf(node, strings.Repeat("kiwi ", 50_000), `{"modality": "text", "lines": [1, 1]}`)),
	} {
		write(t, s.dir, filepath.Join(".resource_maps", id+".json"), m)
	}
	found := s.find(t, search.Request{Query: "kiwi", TopK: 50})
	for _, r := range found.Results {
		if _, err := s.ResolveAddress(ctx, r.Address, nil); err != nil {
			t.Errorf("%s was found and cannot be resolved: %v", r.Address, err)
		}
		if r.ResourceID == "vanished" || r.ResourceID == "outside" {
			t.Errorf("found %s", r.Address)
		}
	}
	if found.LeftOut != 2 {
		t.Errorf("%d left out", found.LeftOut)
	}
	ids := addresses(found)
	for _, id := range []string{"untyped#lines=1-1", "wrong", "past", "nowhere", "long#lines=1-1"} {
		if !strings.Contains(ids, "text://"+id) {
			t.Errorf("%s is not among %s", id, ids)
		}
	}
	if _, err := s.Search(ctx, search.Request{Query: "kiwi", Filters: filterOf("nobody")}); citekit.CodeOf(err) != message.CodeNotFound {
		t.Errorf("a resource that does not exist: %v", err)
	}
}

// TestIndexThatCannotBeWritten searches where nothing can be written any more.
func TestIndexThatCannotBeWritten(t *testing.T) {
	s := newShelf(t, library)
	s.find(t, search.Request{Query: "kettle"})
	s.Searcher.Close()
	output := filepath.Join(s.dir, ".citekit_output", ".meta", "notes")
	if err := os.RemoveAll(output); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(output, []byte("no directory"), 0o600); err != nil {
		t.Fatal(err)
	}
	again := openShelf(t, s.dir)
	found, err := again.Search(ctx, search.Request{Query: "kettle"})
	if err == nil && (found.Complete || len(found.Results) > 0) {
		t.Errorf("found %v, complete", found)
	}
}
