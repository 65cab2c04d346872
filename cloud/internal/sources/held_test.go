package sources_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud/internal/blockcache"
	"github.com/citekit/citekit/cloud/internal/sources"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// textOf returns the content of a source, and the hash that was known when it was opened.
func textOf(t *testing.T, b *sources.Bucket, ctx context.Context, path string) (text, hash string) {
	t.Helper()
	src, err := b.OpenSource(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	data, err := io.ReadAll(src.Reader())
	if err != nil {
		t.Fatal(err)
	}
	return string(data), src.KnownHash()
}

// TestHold reads small sources of a job by one request each, in the version that was
// found; large ones, and those that are not there, as ever.
func TestHold(t *testing.T) {
	b, m := newBucket(t, nil)
	m.put(t, "a.txt", "first")
	m.put(t, "empty.txt", "")
	m.put(t, "large.txt", strings.Repeat("x", blockcache.MaxSmall+1))
	paths := []string{"a.txt", "empty.txt", "large.txt", "none.txt", "../out.txt"}
	ctx := b.Hold(t.Context(), paths)
	m.took()
	m.put(t, "a.txt", "second")
	var found []string
	for c, err := range b.Find(ctx, workspace.FindRequest{Paths: paths}) {
		switch {
		case err == nil:
			found = append(found, c.Path)
			if src, err := b.OpenSource(ctx, c.Path); err != nil || src.Identity() != c.Identity || src.Size() != c.Size {
				t.Errorf("%s: another version than was found, %v", c.Path, err)
			}
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, citekit.ErrForbidden):
			t.Error(err)
		}
	}
	if want := []string{"a.txt", "empty.txt", "large.txt"}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
	text, hash := textOf(t, b, ctx, "a.txt")
	if text != "first" || hash == "" {
		t.Errorf("%q with the hash %q; want what was held", text, hash)
	}
	if got := m.took(); !slices.Equal(got, []string{"head large.txt", "head large.txt", "head none.txt", "list none.txt/ after "}) {
		t.Errorf("requests: %q", got)
	}
	if text, _ := textOf(t, b, t.Context(), "a.txt"); text != "second" {
		t.Errorf("%q in another context; want what is there", text)
	}
	other, _ := newBucket(t, nil)
	if _, err := other.OpenSource(ctx, "a.txt"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another bucket: %v", err)
	}
}

// TestReadOnce reads a small source by one request, and keeps none of it on disk.
func TestReadOnce(t *testing.T) {
	dir := t.TempDir()
	cache, err := blockcache.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, m := newBucket(t, nil)
	b := sources.New(m, cache, nil)
	b.ReadOnce()
	m.put(t, "a.txt", "text")
	m.put(t, "large.txt", strings.Repeat("x", blockcache.MaxSmall+1))
	m.took()
	if text, hash := textOf(t, b, t.Context(), "a.txt"); text != "text" || hash == "" {
		t.Errorf("%q, %q", text, hash)
	}
	if got := m.took(); len(got) != 1 {
		t.Errorf("requests: %q", got)
	}
	if held, _ := filepath.Glob(filepath.Join(dir, "held", "*", "*")); len(held) > 0 {
		t.Errorf("on disk: %q", held)
	}
	if text, _ := textOf(t, b, t.Context(), "large.txt"); len(text) != blockcache.MaxSmall+1 {
		t.Errorf("%d bytes", len(text))
	}
}

// TestHashOfMap takes the hash of a source that is mapped from the note of its map, but
// not one that a source has no more.
func TestHashOfMap(t *testing.T) {
	notes := workspace.NewMemory(nil)
	b, m := newBucket(t, sources.NoteHashes(notes))
	m.put(t, "a.txt", "text")
	ctx := b.Hold(t.Context(), []string{"a.txt"})
	_, hash := textOf(t, b, ctx, "a.txt")
	n := ledger.Note{Identity: b.SourceStamp(t.Context(), "a.txt"), Hash: hash}
	if _, err := notes.WriteNoteIf(t.Context(), ledger.Kind, "a.txt", n.Encode(), citekit.Stamp{}); err != nil {
		t.Fatal(err)
	}
	if _, known := textOf(t, again(t, m, notes), t.Context(), "a.txt"); known == "" || known != hash {
		t.Errorf("the hash is %q, want %q", known, hash)
	}
	m.put(t, "a.txt", "other")
	if _, known := textOf(t, again(t, m, notes), t.Context(), "a.txt"); known != "" {
		t.Error("the hash of another version is known")
	}
}

// A late workspace is one whose sources change before they are opened.
type late struct {
	mixed
	change func()
}

func (w late) OpenSource(ctx context.Context, path string) (*citekit.Source, error) {
	w.change()
	return w.mixed.OpenSource(ctx, path)
}

// TestFoundThenChanged does not note the hash of one version with the identity of another.
func TestFoundThenChanged(t *testing.T) {
	notes := workspace.NewMemory(nil)
	b, m := newBucket(t, nil)
	m.put(t, "a.txt", "first")
	first := b.SourceStamp(t.Context(), "a.txt")
	lib := citekit.New(late{mixed{notes, b}, func() { m.put(t, "a.txt", "second") }}, modality.All(), nil)
	report, err := ingest.Run(t.Context(), lib, []string{"a.txt"}, &ingest.Options{Shared: true})
	if err != nil || report.Err() != nil {
		t.Fatal(err, report.Err())
	}
	data, _, err := notes.ReadNote(t.Context(), ledger.Kind, "a.txt")
	if err != nil {
		t.Fatal(err)
	}
	if n, ok := ledger.Parse(data); !ok || n.Hash == "" || n.Identity == first {
		t.Errorf("%+v, %v; want no identity of the first version", n, ok)
	}
}
