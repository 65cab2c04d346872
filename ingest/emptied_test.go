package ingest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// Maps stay whose sources vanished with all others of a folder that is there: it may be
// that of a disk that is not mounted.
func TestPruneEmptied(t *testing.T) {
	for name, test := range map[string]struct {
		remove        []string
		prunes, keeps int
	}{
		"one of a folder":    {[]string{"disk/a.txt"}, 1, 0},
		"a folder":           {[]string{"disk"}, 2, 0},
		"all of a folder":    {[]string{"disk/a.txt", "disk/b.txt"}, 0, 2},
		"folders in a disk":  {[]string{"disk/a.txt", "disk/b.txt", "other/deep"}, 0, 3},
		"the base directory": {[]string{"disk", "other", "c.txt"}, 0, 4},
	} {
		t.Run(name, func(t *testing.T) {
			base, maps := t.TempDir(), t.TempDir()
			for _, file := range []string{"disk/a.txt", "disk/b.txt", "other/deep/d.txt", "c.txt"} {
				path := filepath.Join(base, filepath.FromSlash(file))
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(file+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			ws, err := workspace.Open(base, &workspace.Options{MapsDir: filepath.Join(maps, "maps"), EvidenceDir: filepath.Join(maps, "evidence")})
			if err != nil {
				t.Fatal(err)
			}
			defer ws.Close()
			lib := citekit.New(ws, modality.All(), nil)
			if _, err := ingest.Run(t.Context(), lib, []string{"."}, nil); err != nil {
				t.Fatal(err)
			}
			for _, gone := range test.remove {
				if err := os.RemoveAll(filepath.Join(base, filepath.FromSlash(gone))); err != nil {
					t.Fatal(err)
				}
			}
			plan, err := ingest.PlanPrune(t.Context(), lib, nil)
			if err != nil || len(plan.Items) != test.prunes || len(plan.Emptied) != test.keeps {
				t.Fatalf("%d items and %d of emptied folders, %v; want %d and %d", len(plan.Items), len(plan.Emptied), err, test.prunes, test.keeps)
			}
			plan, err = ingest.PlanPrune(t.Context(), lib, &ingest.PruneOptions{Emptied: true})
			if err != nil || len(plan.Items) != test.prunes+test.keeps || len(plan.Emptied) > 0 {
				t.Errorf("Emptied: %d items and %d of emptied folders, %v; want %d and 0", len(plan.Items), len(plan.Emptied), err, test.prunes+test.keeps)
			}
		})
	}
}
