package workspace_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// tree returns what is below a directory, with times.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		all.WriteString(path + " " + info.ModTime().String() + " " + info.Mode().String() + "\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func TestReadOnly(t *testing.T) {
	outer := t.TempDir()
	dir, keys := filepath.Join(outer, "base"), filepath.Join(outer, "keys")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	empty := open(t, dir, &workspace.Options{KeyDir: keys, ReadOnly: true})
	if err := empty.WriteMap(t.Context(), "a", []byte("{}")); !errors.Is(err, citekit.ErrForbidden) {
		t.Errorf("a map: %v", err)
	}
	if checkEvidence(t, empty, keyOf(1), "") {
		t.Error("evidence from nowhere")
	}
	if _, err := os.Stat(keys); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a key was made: %v", err)
	}
	d := open(t, dir, &workspace.Options{KeyDir: keys})
	store(t, d, keyOf(1), "e", "evidence")
	markUsed(t, dir, keyOf(1), d.Now().AddDate(0, -1, 0))
	if err := d.WriteMap(t.Context(), "a", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	before := tree(t, outer)
	r := open(t, dir, &workspace.Options{KeyDir: keys, ReadOnly: true})
	if !checkEvidence(t, r, keyOf(1), "evidence") {
		t.Error("evidence is not found")
	}
	_, noteErr := r.WriteNoteIf(t.Context(), "kind", "n", nil, citekit.Stamp{})
	_, storeErr := r.StoreEvidence(t.Context(), keyOf(2), citekit.EvidenceMeta{Name: "e2", Size: -1}, strings.NewReader("x"))
	_, lockErr := r.LockIngest(t.Context())
	_, trimErr := r.TrimEvidence(t.Context(), workspace.Trim{MaxBytes: 1})
	for what, err := range map[string]error{"note": noteErr, "evidence": storeErr, "lock": lockErr, "trim": trimErr} {
		if !errors.Is(err, citekit.ErrForbidden) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if after := tree(t, outer); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}
