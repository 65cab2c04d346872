package contents_test

import (
	"errors"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
)

// TestNoResolver reads a resource that only another program reads: that it has no
// text would be wrong.
func TestNoResolver(t *testing.T) {
	s := newShelf(t, map[string]string{"tea.txt": "Green leaves.\n"})
	s.write(t, "plant.jsonl", "chat\nfern\n")
	m := &citekit.ResourceMap{ResourceID: "plant", Type: "chat", SourcePath: "plant.jsonl"}
	if err := s.Save(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	c := s.read(t, contents.Request{IDs: []string{"plant"}})
	var missing *citekit.NoResolverError
	if len(c.Items) != 1 || !errors.As(c.Items[0].Err, &missing) || missing.Modality != "chat" {
		t.Errorf("%+v", c.Items)
	}
}
