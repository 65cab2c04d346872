package workspace_test

import (
	"context"
	"errors"
	"testing"
	"testing/fstest"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

func version(t testing.TB, ws citekit.Workspace, path string) string {
	t.Helper()
	src, err := ws.OpenSource(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	return src.Version()
}

// Files of equal size and time are told apart, in one workspace and among
// several.
func TestVersionsOfFiles(t *testing.T) {
	long := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, when := range map[string]time.Time{"no time": {}, "epoch": time.Unix(0, 0), "now": time.Now(), "long ago": long} {
		var all []string
		for _, letter := range []string{"a", "b"} {
			m := workspace.NewMemory(fstest.MapFS{
				"one.txt":     {Data: []byte(letter + "1"), ModTime: when},
				"sub/one.txt": {Data: []byte(letter + "2"), ModTime: when},
			})
			m.AddSource("added", []byte(letter+"3"))
			for _, path := range []string{"one.txt", "sub/one.txt", "added"} {
				all = append(all, version(t, m, path))
				if again := version(t, m, path); again != all[len(all)-1] {
					t.Errorf("%s: version of %s: %q, then %q", name, path, all[len(all)-1], again)
				}
			}
		}
		seen := make(map[string]bool)
		for _, v := range all {
			if v == "" || seen[v] {
				t.Errorf("%s: versions %q", name, all)
			}
			seen[v] = true
		}
	}
}

// A file without times that is replaced has another version.
func TestVersionWithoutTimes(t *testing.T) {
	files := fstest.MapFS{"a.txt": {Data: []byte("one")}}
	m := workspace.NewMemory(files)
	src, err := m.OpenSource(context.Background(), "a.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if err := src.CheckUnchanged(); err != nil {
		t.Error(err)
	}
	files["a.txt"] = &fstest.MapFile{Data: []byte("two")}
	if v := version(t, m, "a.txt"); v == src.Version() || v != sum("two") {
		t.Errorf("versions %q, %q", src.Version(), v)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.OpenSource(ctx, "a.txt"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
