package textlayer_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

// TestPrune keeps the layer of the version that is mapped, and deletes that of
// the version before only if that is asked for, of a map that is gone, and what is not sealed here.
func TestPrune(t *testing.T) {
	dir := t.TempDir()
	ws, err := workspace.Open(dir, &workspace.Options{KeyDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	s := textlayer.New(lib, &textlayer.Options{SmallBytes: -1})
	write := func(content string) string {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		report, err := ingest.Run(t.Context(), lib, []string{"a.txt"}, nil)
		if err != nil || report.Err() != nil {
			t.Fatal(err, report.Err())
		}
		return open(t, s, "a").SourceHash()
	}
	prune := func(opts *ingest.PruneOptions) int {
		t.Helper()
		plan, err := ingest.PlanPrune(t.Context(), lib, opts)
		if err != nil {
			t.Fatal(err)
		}
		pruned, err := ingest.Prune(t.Context(), lib, plan)
		if err != nil {
			t.Fatal(err)
		}
		return len(pruned)
	}
	first := write("the first edition\n")
	if n := prune(nil); n != 0 {
		t.Errorf("%d things are pruned while the map is there", n)
	}
	second := write("the second edition\n")
	old, err := s.OpenVersion(t.Context(), "a", first)
	if err != nil || text(t, old) != "the first edition\n" {
		t.Errorf("the first edition: %v", err)
	}
	if n := prune(nil); n != 0 {
		t.Errorf("%d things are pruned after a change: reanchor needs the text", n)
	}
	if n := prune(&ingest.PruneOptions{EarlierTexts: true}); n != 1 {
		t.Errorf("%d things are pruned after a change, with earlier texts", n)
	}
	if got := text(t, old); got != "the first edition\n" {
		t.Errorf("a layer that is open has %q", got)
	}
	old.Close()
	if _, err := s.OpenVersion(t.Context(), "a", first); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after it was pruned: %v", err)
	}
	if l, err := s.OpenVersion(t.Context(), "a", second); err != nil || text(t, l) != "the second edition\n" {
		t.Errorf("the second edition: %v", err)
	} else {
		l.Close()
	}
	if err := os.Remove(filepath.Join(dir, "a.txt")); err != nil {
		t.Fatal(err)
	}
	prune(&ingest.PruneOptions{Emptied: true}) // nothing else is in its folder
	if n := keptBytes(t, lib); n != 0 {
		t.Errorf("%d bytes are kept of a source that is gone", n)
	}
}

// TestOpenFile reads a file that has no map.
func TestOpenFile(t *testing.T) {
	lib, _ := textLibrary(t, "one\ntwo\n")
	s := textlayer.New(lib, nil)
	for _, modality := range []citekit.Modality{"", citekit.Text} {
		l, err := s.OpenFile(t.Context(), "a.txt", modality)
		if err != nil {
			t.Fatal(err)
		}
		if text(t, l) != "one\ntwo\n" || l.Modality() != citekit.Text {
			t.Errorf("%q of modality %s", text(t, l), l.Modality())
		}
		l.Close()
	}
	if _, err := s.OpenFile(t.Context(), "none.txt", ""); citekit.CodeOf(err) != message.CodeNotFound {
		t.Errorf("a file that is not there: %v", err)
	}
}
