//go:build unix

package access_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/access"
)

// TestMountedSecret has the file of keys as Kubernetes mounts a Secret: a link over
// a link of a folder, which is replaced when the Secret changes.
func TestMountedSecret(t *testing.T) {
	made := openAt(t, newPath(t), nil)
	key, token := newKey(t, made, access.Key{})
	dir := t.TempDir()
	mount := func(version string) {
		t.Helper()
		data, err := os.ReadFile(made.Path())
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(
			os.Mkdir(filepath.Join(dir, version), 0o755), os.WriteFile(filepath.Join(dir, version, "keys.json"), data, 0o400),
			os.Symlink(version, filepath.Join(dir, "..new")), os.Rename(filepath.Join(dir, "..new"), filepath.Join(dir, "..data")),
		)
		if err != nil {
			t.Fatal(err)
		}
	}
	mount("..1")
	path := filepath.Join(dir, "keys.json")
	if err := os.Symlink("..data/keys.json", path); err != nil {
		t.Fatal(err)
	}
	f := openAt(t, path, nil)
	if _, err := f.Authenticate(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.New(t.Context(), access.Key{Workspaces: []string{"red"}}); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("a key is made: %v", err)
	}
	if _, err := f.Revoke(t.Context(), key.ID); err == nil {
		t.Error("a key is revoked")
	}
	if _, err := made.Revoke(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	mount("..2")
	if err := f.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Authenticate(t.Context(), token); !errors.Is(err, access.ErrRefused) {
		t.Errorf("the key was revoked: %v", err)
	}
}

// TestLinksElsewhere refuses links that leave the folder, links to something other
// than a file, and a link to a file that others may read.
func TestLinksElsewhere(t *testing.T) {
	made := openAt(t, newPath(t), nil)
	newKey(t, made, access.Key{})
	dir := t.TempDir()
	data, err := os.ReadFile(made.Path())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "open.json"), data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(dir, made.Path())
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{
		made.Path(): "must stay in its directory", relative: "must stay in its directory", ".": "plain file", "open.json": "others may read", "gone.json": "no file of keys",
	} {
		path := filepath.Join(dir, "keys.json")
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
		if err := openAt(t, path, nil).Check(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", target, err, want)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRestore restores a backup of keys after one of them was revoked.
func TestRestore(t *testing.T) {
	f := openAt(t, newPath(t), nil)
	kept, keptToken := newKey(t, f, access.Key{})
	revoked, revokedToken := newKey(t, f, access.Key{})
	saved, err := os.ReadFile(f.Path())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Revoke(t.Context(), revoked.ID); err != nil {
		t.Fatal(err)
	}
	if err := f.Restore(t.Context(), saved); err != nil {
		t.Fatal(err)
	}
	if grant, err := f.Authenticate(t.Context(), keptToken); err != nil || grant.ID != kept.ID {
		t.Errorf("the other: %v %v", grant, err)
	}
	if _, err := f.Authenticate(t.Context(), revokedToken); !errors.Is(err, access.ErrRefused) {
		t.Errorf("the one that was revoked: %v", err)
	}
	if err := f.Restore(t.Context(), []byte("none")); err == nil {
		t.Error("no keys are restored")
	}
	if _, err := f.Authenticate(t.Context(), keptToken); err != nil {
		t.Error(err)
	}
}
