package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// A narrow workspace lets nobody read all notes, or list all maps.
type narrow struct {
	*workspace.Directory
	t *testing.T
}

func (n narrow) Notes(context.Context, string) iter.Seq2[citekit.Note, error] {
	n.t.Error("all notes are read")
	return func(func(citekit.Note, error) bool) {}
}

func (n narrow) ListMaps(context.Context, string, int) ([]string, error) {
	n.t.Error("all maps are listed")
	return nil, nil
}

// A together workspace is narrow, and reads several notes and stamps at once.
type together struct{ narrow }

func (w together) ReadNotes(ctx context.Context, kind string, names []string) (map[string]citekit.Note, error) {
	notes := make(map[string]citekit.Note)
	for _, name := range names {
		data, stamp, err := w.ReadNote(ctx, kind, name)
		if err == nil {
			notes[name] = citekit.Note{Name: name, Data: data, Stamp: stamp}
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return notes, nil
}

func (w together) StatMaps(ctx context.Context, ids []string) (map[string]citekit.Stamp, error) {
	stamps := make(map[string]citekit.Stamp)
	for _, id := range ids {
		stamp, err := w.StatMap(ctx, id)
		if err == nil {
			stamps[id] = stamp
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return stamps, nil
}

// Ingests that run at once, each of a few files, map all of them, with ids of their
// own; and one that runs alone afterwards finds nothing to do.
func TestShared(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for i := range 24 {
		// Six folders have a file of each name; the texts of half of them are the same.
		path := fmt.Sprintf("folder%d/%s.txt", i%6, []string{"report", "notes", "Report", "plan"}[i/6])
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(path)), 0o700); err != nil {
			t.Fatal(err)
		}
		sharedtest.Write(t, filepath.Join(dir, path), []byte(fmt.Sprintf("Text %d.\n", i%12)))
		paths = append(paths, path)
	}
	open := func() *workspace.Directory {
		ws, err := workspace.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ws.Close() })
		return ws
	}
	for round := range 2 {
		var workers sync.WaitGroup
		for worker := range 6 {
			// Each path is the job of two workers, as after a fault.
			mine := append(slices.Clone(paths[worker*4:worker*4+4]), paths[(worker*4+4)%24])
			var ws citekit.Workspace = narrow{open(), t}
			if worker%2 == 0 {
				ws = together{narrow{open(), t}}
			}
			lib := citekit.New(ws, modality.All(), nil)
			workers.Go(func() {
				report, err := ingest.Run(t.Context(), lib, mine, &ingest.Options{Shared: true})
				if err != nil || report.Err() != nil || len(report.Items) != len(mine) {
					t.Errorf("%v, %v, %d items", err, report.Err(), len(report.Items))
				}
				for _, item := range report.Items {
					if round > 0 && item.Status != ingest.Unchanged {
						t.Errorf("again: %s is %s", item.Path, item.Status)
					}
				}
			})
		}
		workers.Wait()
	}

	lib := citekit.New(open(), modality.All(), nil)
	report, err := ingest.Run(t.Context(), lib, []string{"."}, nil)
	if err != nil || report.Err() != nil || len(report.Items) != len(paths) {
		t.Fatalf("%v, %v, %d items", err, report.Err(), len(report.Items))
	}
	ids := make(map[string]bool)
	for _, item := range report.Items {
		m, err := lib.Map(t.Context(), item.ResourceID)
		if err != nil || item.Status != ingest.Unchanged || ids[item.ResourceID] || m.SourcePath != item.Path {
			t.Errorf("%s is %s as %s, %v", item.Path, item.Status, item.ResourceID, err)
		}
		ids[item.ResourceID] = true
	}
	all, err := lib.Workspace().ListMaps(t.Context(), "", 0)
	if err != nil || len(all) != len(paths) {
		t.Errorf("%d maps of %d files, %v", len(all), len(paths), err)
	}
}
