package workspace_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sqlitetest"
	"github.com/citekit/citekit/workspace"
)

// databases returns a database, what it is after each of two transactions, and the
// write-ahead logs with the first and with both.
func databases(t testing.TB) (versions [3]string, logs [3]string) {
	one := sqlitetest.Small(t)
	two := bytes.Replace(one, []byte("apple"), []byte("grape"), 1)
	three := append(bytes.Replace(two, []byte("pear"), []byte("plum"), 1), make([]byte, 512)...)
	logs = [3]string{"", string(sqlitetest.Log(512, false, one, two)), string(sqlitetest.Log(512, false, one, two, three))}
	return [3]string{string(one), string(two), string(three)}, logs
}

// TestWriteAheadLog checks that a database is read together with the changes that are
// only in its write-ahead log, and that a change of the log is one of the source.
func TestWriteAheadLog(t *testing.T) {
	versions, logs := databases(t)
	base, other := t.TempDir(), t.TempDir()
	const name = "in/shop.db"
	link, alone := filepath.Join(base, "link.db"), filepath.Join(other, "alone.db")
	files := []string{filepath.Join(base, name), alone}
	for _, path := range files {
		writeFile(t, path, versions[0])
	}
	added := workspace.NewMemory(nil)
	added.AddSource(name, []byte(versions[0]))
	hasLinks := os.Symlink(filepath.FromSlash(name), link) == nil
	d, inFS := open(t, base, &workspace.Options{Files: []string{alone}}), workspace.NewMemory(os.DirFS(base))
	var identity, stamp string
	for i, log := range logs {
		for _, path := range files {
			writeFile(t, path+"-wal", log)
			waitUntilSettled(t, path+"-wal")
		}
		added.AddSource(name+"-wal", []byte(log))
		opened := map[string]citekit.Workspace{name: d, alone: d, "./" + name: inFS, "in/../" + name: inFS}
		if hasLinks {
			opened["link.db"] = d
		}
		for path, ws := range opened {
			if got, err := readSource(ws, path); err != nil || got != versions[i] {
				t.Errorf("%s, version %d: %d bytes, %v", path, i, len(got), err)
			}
		}
		if got, err := readSource(added, name); err != nil || got != versions[i] {
			t.Errorf("added, version %d: %d bytes, %v", i, len(got), err)
		}
		src, err := d.OpenSource(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if hash, err := src.Hash(t.Context()); err != nil || hash != sum(versions[i]) || src.Size() != int64(len(versions[i])) {
			t.Errorf("version %d: hash %s of %d bytes, %v", i, hash, src.Size(), err)
		}
		if err := src.CheckUnchanged(); err != nil {
			t.Error(err)
		}
		if i < len(logs)-1 {
			writeFile(t, files[0]+"-wal", logs[i+1])
			if err := src.CheckUnchanged(); i > 0 && !errors.Is(err, citekit.ErrStale) {
				t.Errorf("after a further transaction: %v", err)
			}
			writeFile(t, files[0]+"-wal", log)
			waitUntilSettled(t, files[0]+"-wal")
		}
		src.Close()
		identity, stamp = checkIdentities(t, d, name, identity, stamp)
	}
}

// checkIdentities checks that a source has the identity with which it is found, and
// another one than before.
func checkIdentities(t *testing.T, d *workspace.Directory, name, before, stampBefore string) (identity, stamp string) {
	t.Helper()
	src, err := d.OpenSource(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	identity, stamp = src.Identity(), d.SourceStamp(t.Context(), name)
	for _, path := range []string{".", name} {
		for found, err := range d.Find(t.Context(), workspace.FindRequest{Paths: []string{path}}) {
			if found.Path == name && (err != nil || identity != "" && !strings.HasPrefix(identity, found.Identity)) {
				t.Errorf("%s is found with the identity %q, %v; opened with %q", path, found.Identity, err, identity)
			}
		}
	}
	if identity != "" && identity == before || stamp != "" && stamp == stampBefore {
		t.Errorf("the identity %q or the stamp %q does not show a change of the log", identity, stamp)
	}
	return identity, stamp
}

// TestUnreadableLog checks that a database is not read without the log that has its
// latest changes.
func TestUnreadableLog(t *testing.T) {
	versions, _ := databases(t)
	base := t.TempDir()
	writeFile(t, filepath.Join(base, "shop.db"), versions[0])
	if err := os.Mkdir(filepath.Join(base, "shop.db-wal"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := readSource(open(t, base, nil), "shop.db"); err == nil || !strings.Contains(err.Error(), "write-ahead log") {
		t.Errorf("it was read: %v", err)
	}
}
