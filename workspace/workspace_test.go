package workspace_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// open returns a workspace over dir that the test closes.
func open(t testing.TB, dir string, opts *workspace.Options) *workspace.Directory {
	t.Helper()
	d, err := workspace.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// each runs a test on every kind of workspace, with a function that reads
// evidence by its path.
func each(t *testing.T, test func(t *testing.T, ws citekit.Workspace, evidence func(path string) ([]byte, error))) {
	t.Run("Directory", func(t *testing.T) {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "docs", "poem.txt"), "a\nb\n")
		waitUntilSettled(t, filepath.Join(dir, "docs", "poem.txt"))
		test(t, open(t, dir, nil), os.ReadFile)
	})
	t.Run("Memory", func(t *testing.T) {
		m := workspace.NewMemory(nil)
		m.AddSource("docs/poem.txt", []byte("a\nb\n"))
		test(t, m, m.Evidence)
	})
}

// pin does with notes what a Library does that uses a map without a hash: it
// returns the version recorded for name under the guard, and records version
// if there is none. A record that is damaged is an error matching ErrStale.
func pin(ctx context.Context, ws citekit.NoteStore, name, guard, version string) (string, error) {
	type record struct{ Guard, Version string }
	for {
		data, stamp, err := ws.ReadNote(ctx, workspace.PinNotes, name)
		if errors.Is(err, citekit.ErrDamaged) {
			return "", fmt.Errorf("%w: %w", err, citekit.ErrStale)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		var r record
		if err == nil && json.Unmarshal(data, &r) == nil && r.Guard == guard {
			return r.Version, nil
		}
		if data, err = json.Marshal(record{guard, version}); err != nil {
			return "", err
		}
		if _, err = ws.WriteNoteIf(ctx, workspace.PinNotes, name, data, stamp); !errors.Is(err, citekit.ErrConflict) {
			return version, err
		}
	}
}

// A record that is no file is called a record.
func TestPinIsNotPlain(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	d := open(t, dir, nil)
	if _, err := pin(ctx, d, "a", "1", "v"); err != nil {
		t.Fatal(err)
	}
	pins, _ := filepath.Glob(filepath.Join(dir, ".citekit_output", ".meta", "pins", "*.json"))
	if len(pins) != 1 {
		t.Fatal(pins)
	}
	os.Remove(pins[0])
	writeFile(t, filepath.Join(pins[0], "x"), "x")
	_, err := pin(ctx, d, "a", "1", "v")
	if !errors.Is(err, citekit.ErrStale) || strings.Contains(err.Error(), "the map") || !strings.Contains(err.Error(), "record in the evidence directory is not a plain file") {
		t.Error(err)
	}
}

const key = "0123456789abcdef"

// Evidence can be read by the path that it has.
func TestEvidencePath(t *testing.T) {
	ctx := context.Background()
	each(t, func(t *testing.T, ws citekit.Workspace, read func(string) ([]byte, error)) {
		stored, err := ws.StoreEvidence(ctx, key, citekit.EvidenceMeta{Name: "poem_n1.txt", Size: -1, Resource: "poem"}, strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		if data, err := read(stored.Path); err != nil || string(data) != "body" {
			t.Errorf("evidence file: %q, %v", data, err)
		}
		if err := ws.(workspace.Deleter).DeleteKept(ctx, workspace.Kept{Kind: workspace.KeptEvidence, Name: key, ResourceID: "poem"}); err != nil {
			t.Error(err)
		}
		if _, err := read(stored.Path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the file: %v", err)
		}
	})
}

func TestMapPath(t *testing.T) {
	each(t, func(t *testing.T, ws citekit.Workspace, _ func(string) ([]byte, error)) {
		for _, id := range []string{"Poem", "a b", "poem", "Élan", strings.Repeat("x", 300)} {
			if err := ws.WriteMap(t.Context(), id, []byte(`{"resource_id":"`+id+`"}`)); err != nil {
				t.Fatal(err)
			}
			if p := ws.(workspace.MapPather).MapPath(id); !strings.HasPrefix(p, ".resource_maps/") || !strings.HasSuffix(p, ".json") {
				t.Errorf("MapPath(%q) = %q", id, p)
			}
		}
	})
}
