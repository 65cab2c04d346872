package e2e

import (
	"path/filepath"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// corpusParts are the folders of the corpus.
var corpusParts = []string{"docs", "maps", "pdf", "text", "truth", "image", "media"}

// TestEveryNodeResolves maps all files of the corpus and resolves every node
// of every map.
func TestEveryNodeResolves(t *testing.T) {
	base := t.TempDir()
	for _, part := range corpusParts {
		copyTree(t, sharedtest.Corpus(t, part), filepath.Join(base, part))
	}
	ws, err := workspace.Open(base, &workspace.Options{KeyDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	if _, err := ingest.Run(t.Context(), lib, []string{"."}, nil); err != nil {
		t.Fatal(err)
	}
	ids, err := lib.Resources(t.Context())
	if err != nil || len(ids) == 0 {
		t.Fatal(ids, err)
	}
	count := 0
	nth := usually(60, 1) // of the nodes with times, which TestCorpusResolvable of modality/internal/media resolves too
	for _, id := range ids {
		m, err := lib.Map(t.Context(), id)
		if err != nil {
			t.Error(err)
			continue
		}
		for n := range m.All() {
			if count++; !n.Location.Time.IsZero() && count%nth != 0 {
				continue
			}
			e, err := lib.Resolve(t.Context(), id, n.ID, nil)
			if err != nil || e.Size == 0 {
				t.Errorf("%s of %s: %v", n.ID, id, err)
			}
		}
	}
	t.Logf("%d maps, %d nodes", len(ids), count)
}
