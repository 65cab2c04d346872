package workspace_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sqlitetest"
	"github.com/citekit/citekit/workspace"
)

// TestSideFiles checks that the side files of a SQLite database are no sources, and
// that files with such names beside something else are.
func TestSideFiles(t *testing.T) {
	files := map[string]string{"in/shop.db": string(sqlitetest.Small(t)), "in/note": "text\n", "alone-wal": "text\n", "-wal": "text\n"}
	var sides []string
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		files["in/shop.db"+suffix], files["in/note"+suffix] = "not committed\n", "text\n"
		sides = append(sides, "in/shop.db"+suffix)
	}
	base, other := t.TempDir(), t.TempDir()
	added := workspace.NewMemory(nil)
	for name, content := range files {
		writeFile(t, filepath.Join(base, filepath.FromSlash(name)), content)
		added.AddSource(name, []byte(content))
	}
	for _, suffix := range []string{"", "-wal"} {
		writeFile(t, filepath.Join(other, "shop.db"+suffix), files["in/shop.db"+suffix])
	}
	alone := filepath.Join(other, "shop.db-wal")
	d := open(t, base, &workspace.Options{Files: []string{alone}})
	checkNoSource(t, d, alone)
	for kind, ws := range map[string]interface {
		citekit.Workspace
		workspace.Finder
	}{"directory": d, "added": added, "file system": workspace.NewMemory(os.DirFS(base))} {
		for _, path := range []string{".", "in", "in/*"} {
			for found, err := range ws.Find(t.Context(), workspace.FindRequest{Paths: []string{path}}) {
				if err != nil || slices.Contains(sides, found.Path) {
					t.Errorf("%s: %s leads to %s, %v", kind, path, found.Path, err)
				}
			}
		}
		for name := range files {
			switch {
			case slices.Contains(sides, name):
				checkNoSource(t, ws, name)
			case name == "in/shop.db":
			default:
				if got, err := readSource(ws, name); err != nil || got != files[name] {
					t.Errorf("%s: %s: %q, %v", kind, name, got, err)
				}
			}
		}
	}
	if os.Symlink(filepath.FromSlash("in/shop.db-wal"), filepath.Join(base, "link.txt")) == nil {
		checkNoSource(t, d, "link.txt")
	}
}

// checkNoSource checks that a path is refused as that of a side file.
func checkNoSource(t *testing.T, ws interface {
	citekit.Workspace
	workspace.Finder
}, path string) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), `"shop.db"`) {
			t.Errorf("%T: %s: %v", ws, path, err)
		}
	}
	_, err := readSource(ws, path)
	check(err)
	found := 0
	for _, err := range ws.Find(t.Context(), workspace.FindRequest{Paths: []string{path}}) {
		found++
		check(err)
	}
	if found != 1 {
		t.Errorf("%T: %s: found %d times", ws, path, found)
	}
}
