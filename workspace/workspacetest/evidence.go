package workspacetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/citekit/citekit"
)

const key = "0123456789abcdef"

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

func checkSource(t testing.TB, ws citekit.Workspace) {
	ctx := t.Context()
	src, err := ws.OpenSource(ctx, SourcePath)
	if err != nil {
		t.Fatalf("OpenSource: %v, want no error", err)
	}
	defer src.Close()
	if _, err := src.Hash(ctx); err != nil {
		t.Fatalf("Hash: %v, want no error", err)
	}
	if src.Name() != "poem.txt" || src.Size() != int64(len(SourceContent)) || src.Version() == "" {
		t.Fatalf("source %q, %d bytes, version %q; want \"poem.txt\", %d bytes and a version", src.Name(), src.Size(), src.Version(), len(SourceContent))
	}
	if data, err := io.ReadAll(src.Reader()); err != nil || string(data) != SourceContent {
		t.Fatalf("the source has %q, %v; want %q", data, err, SourceContent)
	}
	if hash, err := src.Hash(ctx); err != nil || hash != sum(SourceContent) {
		t.Fatalf("Hash = %s, %v; want %s", hash, err, sum(SourceContent))
	}
	if err := src.CheckUnchanged(); err != nil {
		t.Fatalf("CheckUnchanged: %v, want no error", err)
	}
	if src, err := ws.OpenSource(ctx, "docs/none.txt"); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("missing source: %v, %v, want fs.ErrNotExist", src, err)
	}
	for _, path := range []string{"../x", "/etc/passwd", "/etc/hostname", "http://x/y", "file:x", "concat:a|b", "a\x00", "~/x", `\\h\s\f`, "docs/", "docs", "."} {
		if _, err := ws.OpenSource(ctx, path); !errors.Is(err, citekit.ErrForbidden) && !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("OpenSource(%q): %v, want citekit.ErrForbidden or fs.ErrNotExist", path, err)
		}
	}
}

// content returns the bytes of stored evidence. It reads them in each way that
// the workspace offers, and returns false if there is none.
func content(t testing.TB, ws citekit.Workspace, key string, stored *citekit.StoredEvidence) (data []byte, ok bool) {
	t.Helper()
	if opener, opens := ws.(citekit.EvidenceOpener); opens {
		body, found, err := opener.OpenEvidence(t.Context(), key)
		if err != nil {
			t.Fatalf("OpenEvidence: %v, want no error", err)
			return nil, false
		}
		defer body.Close()
		if data, err = io.ReadAll(body); err != nil || !reflect.DeepEqual(found, stored) {
			t.Fatalf("OpenEvidence: %+v, %v; want %+v", found, err, stored)
		}
		ok = true
	}
	if isFile(stored.Path) {
		file, err := os.ReadFile(stored.Path)
		if err != nil || ok && !bytes.Equal(file, data) {
			t.Fatalf("the file of the evidence: %q, %v; want %q", file, err, data)
		}
		data, ok = file, true
	}
	return data, ok
}

// isFile reports whether the path of evidence leads to a file.
func isFile(path string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	_, err := os.Lstat(path)
	return err == nil
}

func checkEvidence(t testing.TB, ws citekit.Workspace) {
	ctx := t.Context()
	if _, err := ws.FindEvidence(ctx, key); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("FindEvidence of nothing: %v, want fs.ErrNotExist", err)
	}
	actual := citekit.Location{Modality: citekit.Video, Time: citekit.Span{Start: 1.5, End: 2.25}}
	for _, body := range []string{"first", "second", "", strings.Repeat("large", 100_000)} {
		for _, size := range []int64{-1, int64(len(body))} {
			meta := citekit.EvidenceMeta{
				Name: "poem_n1.txt", Size: size, Resource: "poem", MediaType: "text/plain; x=<&>", Charset: "utf-8", Guessed: true,
				Actual: &actual, SourceHash: "ab",
			}
			stored, err := ws.StoreEvidence(ctx, key, meta, strings.NewReader(body))
			if err != nil {
				t.Fatalf("StoreEvidence: %v, want no error", err)
			}
			meta.Size = int64(len(body))
			want := &citekit.StoredEvidence{EvidenceMeta: meta, Path: stored.Path, SHA256: sum(body)}
			if !reflect.DeepEqual(stored, want) {
				t.Fatalf("StoreEvidence = %+v, want %+v", stored, want)
			}
			found, err := ws.FindEvidence(ctx, key)
			if err != nil || !reflect.DeepEqual(found, want) {
				t.Fatalf("FindEvidence = %+v, %v; want %+v", found, err, want)
			}
			if data, ok := content(t, ws, key, want); ok && string(data) != body {
				t.Fatalf("the evidence is %.50q, want %.50q", data, body)
			}
		}
	}
	other, err := ws.StoreEvidence(ctx, strings.Repeat("f", 128), citekit.EvidenceMeta{Name: "other.txt", Size: -1}, strings.NewReader("other"))
	if err != nil {
		t.Fatalf("StoreEvidence: %v, want no error", err)
	}
	found, err := ws.FindEvidence(ctx, key)
	if err != nil || found.Path == other.Path || found.Name != "poem_n1.txt" {
		t.Fatalf("FindEvidence beside other evidence = %+v, %v; want the name \"poem_n1.txt\" and another path than %q", found, err, other.Path)
	}
}

func checkBadEvidence(t testing.TB, ws citekit.Workspace) {
	ctx := t.Context()
	text := func() io.Reader { return strings.NewReader("ab") }
	broken := errors.New("broken")
	failing := func() io.Reader { return io.MultiReader(text(), failReader{broken}) }
	bad := []struct {
		of, key, name string
		size          int64
		body          func() io.Reader
	}{
		{"short body", key, "n", 3, text},
		{"long body", key, "n", 1, text},
		{"long writer", key, "n", 1, func() io.Reader { return bytes.NewBufferString("ab") }},
		{"failing body", key, "n", -1, failing},
		{"bad key", "../../x", "n", 2, text},
		{"upper-case key", "0123456789ABCDEF", "n", 2, text},
		{"empty name", key, "", 2, text},
		{"path", key, "../n", 2, text},
		{"separator", key, `a\b`, 2, text},
		{"hidden", key, ".meta", 2, text},
		{"device", key, "con.txt", 2, text},
		{"odd", key, "a<b>&.mp4", 2, text},
		{"long name", key, strings.Repeat("n", 300), 2, text},
	}
	storeAll := func() {
		for _, b := range bad {
			_, err := ws.StoreEvidence(ctx, b.key, citekit.EvidenceMeta{Name: b.name, Size: b.size}, b.body())
			if err == nil {
				t.Fatalf("%s: stored, want an error", b.of)
			}
			if b.of == "failing body" && !errors.Is(err, broken) {
				t.Fatalf("%s: %v, want an error that matches %v", b.of, err, broken)
			}
		}
	}
	storeAll()
	if _, err := ws.FindEvidence(ctx, key); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("something was stored: %v, want fs.ErrNotExist", err)
	}
	stored, err := ws.StoreEvidence(ctx, key, citekit.EvidenceMeta{Name: "n", Size: 4}, strings.NewReader("good"))
	if err != nil {
		t.Fatalf("StoreEvidence: %v, want no error", err)
	}
	storeAll()
	found, err := ws.FindEvidence(ctx, key)
	if err != nil || found.SHA256 != sum("good") {
		t.Fatalf("after stores that failed the evidence is %+v, %v; want the hash of \"good\"", found, err)
	}
	if data, ok := content(t, ws, key, stored); ok && string(data) != "good" {
		t.Fatalf("after stores that failed the evidence is %q, want \"good\"", data)
	}
}

type failReader struct{ err error }

func (r failReader) Read([]byte) (int, error) { return 0, r.err }

// checkOpenEvidence reads evidence as a stream while it is replaced.
func checkOpenEvidence(t testing.TB, ws citekit.Workspace) {
	opener, ok := ws.(citekit.EvidenceOpener)
	if !ok {
		return
	}
	ctx := t.Context()
	if body, _, err := opener.OpenEvidence(ctx, key); body != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("OpenEvidence of nothing: %v, %v, want fs.ErrNotExist", body, err)
	}
	store := func(body string) {
		if _, err := ws.StoreEvidence(ctx, key, citekit.EvidenceMeta{Name: "n.txt", Size: -1, MediaType: "text/plain"}, strings.NewReader(body)); err != nil {
			t.Fatalf("StoreEvidence: %v, want no error", err)
		}
	}
	store("first")
	body, found, err := opener.OpenEvidence(ctx, key)
	if err != nil {
		t.Fatalf("OpenEvidence: %v, want no error", err)
	}
	defer body.Close()
	if found.Size != 5 || found.MediaType != "text/plain" || found.SHA256 != sum("first") {
		t.Fatalf("OpenEvidence: %+v; want 5 bytes of text/plain with the hash of \"first\"", found)
	}
	store("another")
	if data, err := io.ReadAll(body); err != nil || string(data) != "first" {
		t.Fatalf("evidence that was replaced while it was open: %q, %v; want \"first\"", data, err)
	}
	if at, err := body.Seek(-3, io.SeekEnd); err != nil || at != 2 {
		t.Fatalf("Seek(-3, io.SeekEnd) = %d, %v; want 2", at, err)
	}
	if data, err := io.ReadAll(body); err != nil || string(data) != "rst" {
		t.Fatalf("after Seek: %q, %v; want \"rst\"", data, err)
	}
	if err := body.Close(); err != nil {
		t.Fatalf("Close: %v, want no error", err)
	}
}
