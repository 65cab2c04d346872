package command

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/command/internal/config"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/workspace"
)

// A workspace whose maps cannot be read is not ready.
func TestReadyMaps(t *testing.T) {
	w := config.Workspace{Dir: t.TempDir(), MapsDir: "maps"}
	ready, err := readiness(w, true)
	if err != nil {
		t.Fatal(err)
	}
	maps := filepath.Join(w.Dir, w.MapsDir)
	if err := ready(t.Context()); err != nil {
		t.Errorf("before anything is mapped: %v", err)
	}
	must(t, os.Mkdir(maps, 0o700))
	if err := ready(t.Context()); err != nil {
		t.Errorf("with an empty folder: %v", err)
	}
	must(t, os.Remove(maps))
	if err := os.WriteFile(maps, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := ready(t.Context()); err == nil {
		t.Error("ready with a file in place of the folder")
	}
}

// A farWorkspace is one whose evidence can be opened once far is closed.
type farWorkspace struct {
	*workspace.Memory
	far chan struct{}
}

func (f *farWorkspace) OpenEvidence(ctx context.Context, key string) (io.ReadSeekCloser, *citekit.StoredEvidence, error) {
	select {
	case <-f.far:
		return f.Memory.OpenEvidence(ctx, key)
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// A workspace is ready once its index is here.
func TestReadyIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := workspace.NewMemory(nil)
		memory.AddSource("note.txt", []byte("a whale"))
		lib := citekit.New(memory, modality.All(), nil)
		m := &citekit.ResourceMap{ResourceID: "note", Type: citekit.Text, SourcePath: "note.txt", Title: "Note"}
		must(t, lib.Save(t.Context(), m))
		writer := search.New(lib, nil)
		must(t, writer.Update(t.Context()))
		must(t, writer.Close())
		f := &farWorkspace{memory, make(chan struct{})}
		s := search.New(citekit.New(f, modality.All(), nil), nil)
		defer s.Close()
		gone := false
		ready := andIndex(func(context.Context) error {
			if gone {
				return fs.ErrNotExist
			}
			return nil
		}, s)
		for range 2 {
			if err := ready(t.Context()); err == nil || !strings.Contains(err.Error(), "0 of 1 segments") {
				t.Errorf("before the index is here: %v", err)
			}
		}
		close(f.far)
		synctest.Wait()
		must(t, ready(t.Context()))
		gone = true
		if err := ready(t.Context()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("without its folder: %v", err)
		}
	})
}
