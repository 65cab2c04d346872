package lookup_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// TestFindBySource checks that the name of a source leads to its resource.
func TestFindBySource(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	defer lib.Close()
	m := &citekit.ResourceMap{ResourceID: "notes", Type: citekit.Text, SourcePath: "notes.txt", Nodes: []*citekit.Node{
		{ID: "all", Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 1, Last: 1}}},
	}}
	if err := lib.Save(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	for id, meant := range map[string]string{
		"notes.txt": "notes", "in/a/folder/notes.txt": "notes", "notes.txt#lines=1": "notes#lines=1",
		"notes.md": "", "other.txt": "", "notes.txt.txt": "",
	} {
		_, err := lookup.Find(t.Context(), lib, id)
		var missing *citekit.NotFoundError
		if meant == "" {
			if err == nil {
				t.Errorf("%s: found", id)
			}
			continue
		}
		if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &missing) || len(missing.Suggestions) != 1 || missing.Suggestions[0] != meant {
			t.Errorf("%s: %v, want %s", id, err, meant)
		}
	}
}
