package workspace_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

func TestMaps(t *testing.T) {
	ctx := context.Background()
	each(t, func(t *testing.T, ws citekit.Workspace, _ func(string) ([]byte, error)) {
		if ids, err := ws.ListMaps(ctx, "", 0); err != nil || ids == nil || len(ids) != 0 {
			t.Fatalf("ListMaps of nothing = %#v, %v", ids, err)
		}
		if _, err := ws.StatMap(ctx, "poem"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("StatMap of nothing: %v", err)
		}
		if _, _, err := ws.ReadMap(ctx, "poem", 100); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("ReadMap of nothing: %v", err)
		}
		ids := []string{"Poem", "a b", "poem", "Élan", strings.Repeat("x", 300)}
		for _, id := range ids {
			if err := ws.WriteMap(ctx, id, []byte(`{"resource_id":"`+id+`"}`)); err != nil {
				t.Fatal(err)
			}
		}
		got, err := ws.ListMaps(ctx, "", 0)
		want := []string{"Poem", "a b", "poem", strings.Repeat("x", 300), "Élan"}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("ListMaps: %v\n%s", err, diff)
		}
		for _, id := range ids {
			data, stamp, err := ws.ReadMap(ctx, id, 1000)
			if err != nil || string(data) != `{"resource_id":"`+id+`"}` {
				t.Errorf("ReadMap(%q) = %q, %v", id, data, err)
			}
			if now, err := ws.StatMap(ctx, id); err != nil || now != stamp {
				t.Errorf("StatMap(%q) = %v, %v; it was read with %v", id, now, err, stamp)
			}
			if p := ws.(citekit.MapPather).MapPath(id); !strings.HasPrefix(p, ".resource_maps/") || !strings.HasSuffix(p, ".json") {
				t.Errorf("MapPath(%q) = %q", id, p)
			}
		}
		if _, _, err := ws.ReadMap(ctx, "poem", 5); !errors.Is(err, citekit.ErrTooLarge) {
			t.Errorf("ReadMap with a small limit: %v", err)
		}
		for _, id := range []string{"", "..", "../x", "a/b", "a\x00"} {
			if err := ws.WriteMap(ctx, id, nil); !errors.Is(err, citekit.ErrSyntax) {
				t.Errorf("WriteMap(%q): %v", id, err)
			}
		}
	})
}

func TestStampFollowsWrites(t *testing.T) {
	ctx := context.Background()
	each(t, func(t *testing.T, ws citekit.Workspace, _ func(string) ([]byte, error)) {
		seen := make(map[citekit.Stamp]bool)
		for range 50 {
			if err := ws.WriteMap(ctx, "m", []byte("{}")); err != nil {
				t.Fatal(err)
			}
			stamp, err := ws.StatMap(ctx, "m")
			if err != nil || seen[stamp] {
				t.Fatalf("stamp %v came before; %v", stamp, err)
			}
			seen[stamp] = true
		}
	})
}

func TestSource(t *testing.T) {
	ctx := context.Background()
	each(t, func(t *testing.T, ws citekit.Workspace, _ func(string) ([]byte, error)) {
		src, err := ws.OpenSource(ctx, "docs/poem.txt")
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		if _, err := src.Hash(ctx); err != nil {
			t.Error(err)
		}
		if src.Name() != "poem.txt" || src.Size() != 4 || src.Version() == "" {
			t.Errorf("source %q, %d bytes, version %q", src.Name(), src.Size(), src.Version())
		}
		if data, err := io.ReadAll(src.Reader()); err != nil || string(data) != "a\nb\n" {
			t.Errorf("read %q, %v", data, err)
		}
		if hash, err := src.Hash(ctx); err != nil || hash != sum("a\nb\n") {
			t.Errorf("Hash = %s, %v", hash, err)
		}
		if err := src.CheckUnchanged(); err != nil {
			t.Error(err)
		}
		if _, err := ws.OpenSource(ctx, "docs/none.txt"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("missing source: %v", err)
		}
		for _, path := range []string{"../x", "/etc/passwd", "http://x/y", "file:x", "concat:a|b", "a\x00", "~/x", `\\h\s\f`, "docs/"} {
			if _, err := ws.OpenSource(ctx, path); !errors.Is(err, citekit.ErrForbidden) && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("OpenSource(%q): %v", path, err)
			}
		}
	})
}

// pin does with notes what a Library does that uses a map without a hash: it
// returns the version recorded for name under the guard, and records version
// if there is none. A record that is damaged is an error matching ErrStale.
func pin(ctx context.Context, ws citekit.NoteStore, name, guard, version string) (string, error) {
	type record struct{ Guard, Version string }
	for {
		data, stamp, err := ws.ReadNote(ctx, citekit.PinNotes, name)
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
		if _, err = ws.WriteNoteIf(ctx, citekit.PinNotes, name, data, stamp); !errors.Is(err, citekit.ErrConflict) {
			return version, err
		}
	}
}

func TestPin(t *testing.T) {
	ctx := context.Background()
	each(t, func(t *testing.T, ws citekit.Workspace, _ func(string) ([]byte, error)) {
		steps := []struct{ name, guard, version, want string }{
			{"a", "1", "v1", "v1"},
			{"a", "1", "v2", "v1"},
			{"b", "1", "v2", "v2"},
			{"a", "2", "v3", "v3"},
			{"a", "2", "v4", "v3"},
			{"../é\n", "", "", ""},
			{"../é\n", "", "v", ""},
		}
		for _, s := range steps {
			if got, err := pin(ctx, ws, s.name, s.guard, s.version); err != nil || got != s.want {
				t.Errorf("Pin(%q, %q, %q) = %q, %v; want %q", s.name, s.guard, s.version, got, err, s.want)
			}
		}
	})
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

// All that is kept about evidence comes back in another process.
func TestEvidenceMeta(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	actual := citekit.Location{Modality: citekit.Video, Time: citekit.Span{Start: 1.5, End: 2.25}}
	meta := citekit.EvidenceMeta{Name: "a<b>&.mp4", Size: 1, MediaType: "video/mp4; x=<&>", SourceHash: "ab", Actual: &actual}
	if _, err := open(t, dir, nil).StoreEvidence(ctx, key, meta, strings.NewReader("x")); !errors.Is(err, citekit.ErrSyntax) {
		t.Errorf("a name with %q: %v", "<>", err)
	}
	meta.Name = "a&b.mp4"
	if _, err := open(t, dir, nil).StoreEvidence(ctx, key, meta, strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	found, err := open(t, dir, nil).FindEvidence(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	if found.Actual == nil || !found.Actual.Equal(actual) {
		t.Errorf("actual location %v, want %v", found.Actual, actual)
	}
	if found.MediaType != meta.MediaType || found.Name != meta.Name || found.SourceHash != "ab" || !filepath.IsAbs(found.Path) {
		t.Errorf("found %+v", found)
	}
}

func TestEvidence(t *testing.T) {
	ctx := context.Background()
	each(t, func(t *testing.T, ws citekit.Workspace, read func(string) ([]byte, error)) {
		if _, err := ws.FindEvidence(ctx, key); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("FindEvidence of nothing: %v", err)
		}
		for _, body := range []string{"first", "second", ""} {
			meta := citekit.EvidenceMeta{Name: "poem_n1.txt", Size: -1, MediaType: "text/plain", Charset: "utf-8", SourceHash: "ab"}
			stored, err := ws.StoreEvidence(ctx, key, meta, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			meta.Size = int64(len(body))
			want := &citekit.StoredEvidence{EvidenceMeta: meta, Path: stored.Path, SHA256: sum(body)}
			if diff := cmp.Diff(want, stored); diff != "" {
				t.Error(diff)
			}
			found, err := ws.FindEvidence(ctx, key)
			if diff := cmp.Diff(want, found); err != nil || diff != "" {
				t.Errorf("FindEvidence: %v\n%s", err, diff)
			}
			if data, err := read(stored.Path); err != nil || string(data) != body {
				t.Errorf("evidence file: %q, %v", data, err)
			}
		}
	})
}

func TestStoreEvidenceRefuses(t *testing.T) {
	ctx := context.Background()
	text := func() io.Reader { return strings.NewReader("ab") }
	tests := map[string]struct {
		key, name string
		size      int64
		body      func() io.Reader
	}{
		"short body":     {key, "n", 3, text},
		"long body":      {key, "n", 1, text},
		"long writer":    {key, "n", 1, func() io.Reader { return bytes.NewBufferString("ab") }},
		"failing body":   {key, "n", -1, func() io.Reader { return io.MultiReader(text(), failReader{}) }},
		"bad key":        {"../../x", "n", 2, text},
		"upper-case key": {"0123456789ABCDEF", "n", 2, text},
		"empty name":     {key, "", 2, text},
		"path":           {key, "../n", 2, text},
		"separator":      {key, `a\b`, 2, text},
		"hidden":         {key, ".meta", 2, text},
		"device":         {key, "con.txt", 2, text},
		"long name":      {key, strings.Repeat("n", 300), 2, text},
	}
	each(t, func(t *testing.T, ws citekit.Workspace, _ func(string) ([]byte, error)) {
		for name, test := range tests {
			meta := citekit.EvidenceMeta{Name: test.name, Size: test.size}
			if _, err := ws.StoreEvidence(ctx, test.key, meta, test.body()); err == nil {
				t.Errorf("%s: stored", name)
			}
		}
		if _, err := ws.FindEvidence(ctx, key); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("something was stored: %v", err)
		}
	})
}

type failReader struct{}

func (failReader) Read([]byte) (int, error) { return 0, errors.New("broken") }

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	each(t, func(t *testing.T, ws citekit.Workspace, _ func(string) ([]byte, error)) {
		if err := ws.WriteMap(ctx, "m", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("WriteMap: %v", err)
		}
		if _, err := ws.OpenSource(ctx, "docs/poem.txt"); !errors.Is(err, context.Canceled) {
			t.Errorf("OpenSource: %v", err)
		}
		if _, err := ws.StoreEvidence(ctx, key, citekit.EvidenceMeta{Name: "n", Size: -1}, strings.NewReader("x")); !errors.Is(err, context.Canceled) {
			t.Errorf("StoreEvidence: %v", err)
		}
	})
}
