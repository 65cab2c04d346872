//go:build unix

package access_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/citekit/citekit/access"
)

func TestModes(t *testing.T) {
	f := openAt(t, newPath(t), nil)
	key, token := newKey(t, f, access.Key{})
	if _, err := f.Authenticate(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	f.FlushUses()
	for _, path := range []string{f.Path(), f.Path() + ".lock", f.Path() + ".used"} {
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: mode %v, %v", path, info.Mode(), err)
		}
	}
	for _, mode := range []fs.FileMode{0o640, 0o604, 0o620, 0o666} {
		if err := os.Chmod(f.Path(), mode); err != nil {
			t.Fatal(err)
		}
		want := "run: chmod 600 " + f.Path()
		if err := f.Check(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("mode %v: %v; want %q", mode, err, want)
		}
		if !f.Valid(key.ID) {
			t.Error("the keys last read do not count any more")
		}
		fresh := openAt(t, f.Path(), nil)
		if _, err := fresh.Authenticate(t.Context(), token); err == nil || errors.Is(err, access.ErrRefused) {
			t.Errorf("mode %v, none read before: %v", mode, err)
		}
		if _, _, err := f.New(t.Context(), access.Key{Workspaces: []string{"a"}}); err == nil {
			t.Errorf("mode %v: a key was added", mode)
		}
	}
	if err := os.Chmod(f.Path(), 0o400); err != nil {
		t.Fatal(err)
	}
	if err := f.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestNoPlainFile(t *testing.T) {
	f := openAt(t, newPath(t), nil)
	newKey(t, f, access.Key{})
	link, pipe := newPath(t)+"-link", newPath(t)+"-pipe"
	for _, path := range []string{link, pipe} {
		if err := os.MkdirAll(strings.TrimSuffix(path, "/"+path[strings.LastIndex(path, "/")+1:]), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink(f.Path(), link), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{link: "is a symbolic link", pipe: "is no file", t.TempDir(): "is a directory"} {
		other := openAt(t, path, nil)
		if err := other.Check(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", path, err, want)
		}
		if _, _, err := other.New(t.Context(), access.Key{Workspaces: []string{"a"}}); err == nil {
			t.Errorf("%s: a key was added", path)
		}
	}
}

// TestOwner checks whose files count, which only root can try.
func TestOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to give files to another user")
	}
	f := openAt(t, newPath(t), nil)
	newKey(t, f, access.Key{})
	if err := os.Chown(f.Path(), 65534, 65534); err != nil {
		t.Fatal(err)
	}
	newKey(t, f, access.Key{})
	info, err := os.Stat(f.Path())
	if err != nil || info.Sys().(*syscall.Stat_t).Uid != 65534 {
		t.Errorf("the file has another owner: %v, %v", info.Sys(), err)
	}
	dir := strings.TrimSuffix(f.Path(), "/keys.json")
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := openAt(t, f.Path(), nil).Check(t.Context()); err == nil || !strings.Contains(err.Error(), "belongs to another user (65534)") {
		t.Errorf("in a directory of all: %v", err)
	}
}
