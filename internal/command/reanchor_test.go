package command

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/citekit/citekit"
)

func TestRewriteFile(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "a.md"), filepath.Join(dir, "link.md")
	must(t, os.WriteFile(name, []byte("before"), 0o640))
	if err := os.Symlink("a.md", link); err != nil {
		t.Skip("no symbolic links:", err)
	}
	if err := rewriteFile(t.Context(), link, []byte("other"), []byte("after")); !errors.Is(err, citekit.ErrConflict) {
		t.Errorf("what somebody else wrote: %v", err)
	}
	if data, err := os.ReadFile(name); err != nil || string(data) != "before" {
		t.Errorf("%q, %v", data, err)
	}
	must(t, rewriteFile(t.Context(), link, []byte("before"), []byte("after")))
	data, err := os.ReadFile(name)
	if err != nil || string(data) != "after" {
		t.Errorf("%q, %v", data, err)
	}
	if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is a file now: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("left: %v, %v", entries, err)
	}
}
