//go:build unix

package cloud_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace/driver"
)

// A refusing bucket refuses objects.
type refusing struct {
	driver.Bucket
	refuses atomic.Bool
}

func (r *refusing) Write(ctx context.Context, key string, body io.Reader, opts driver.WriteOptions) (driver.Attributes, error) {
	if r.refuses.Load() {
		return driver.Attributes{}, errors.New("refused")
	}
	return r.Bucket.Write(ctx, key, body, opts)
}

// Evidence whose object and row are written at the same time is found as any is, also if
// its ETag was not foreseen, and not if its object could not be written.
func TestStoredTogether(t *testing.T) {
	url, b := schema(t), &refusing{Bucket: driver.NewMemory()}
	w, content := open(t, url, b), strings.Repeat("evidence of some length ", 4000)
	if err := w.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := w.InStock(); n == 0 {
		t.Error("no key is reserved")
	}
	w.AssumeSums()
	stored := store(t, w, evidenceKey, content)
	if w.AssumeSums() {
		t.Error("the ETags of the bucket still count as MD5")
	}
	other := open(t, url, b)
	r, found, err := other.OpenEvidence(t.Context(), evidenceKey)
	if err != nil || found.SHA256 != stored.SHA256 {
		t.Fatalf("%+v, %v; want %+v", found, err, stored)
	}
	defer r.Close()
	if data, err := io.ReadAll(r); string(data) != content || err != nil {
		t.Errorf("%d bytes, %v; want %d", len(data), err, len(content))
	}

	b.refuses.Store(true)
	const lost = evidenceKey + "00"
	_, err = w.StoreEvidence(t.Context(), lost, citekit.EvidenceMeta{Name: "n.txt", Size: -1}, strings.NewReader(content))
	if !errors.Is(err, citekit.ErrNotStored) {
		t.Errorf("an object that was refused: %v, want %v", err, citekit.ErrNotStored)
	}
	if _, err := other.FindEvidence(t.Context(), lost); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("evidence without its object: %v, want %v", err, fs.ErrNotExist)
	}
	if n := sql(t, url, `SELECT count(*) FROM {s}.evidence`); n != "1" {
		t.Errorf("%s rows of evidence, want 1", n)
	}
}

// A process that resolves with what it knows of maps and sources, while it asks whether
// that is so, never answers by it if it is not so.
func TestOutdatedGuess(t *testing.T) {
	all, sources, _ := replicas(t, 2, nil)
	here, there := all[0].lib, all[1].lib
	save := func(first int) {
		t.Helper()
		m := &citekit.ResourceMap{ResourceID: "r", Type: citekit.Text, SourcePath: "r.txt", Nodes: []*citekit.Node{{ID: "n", Location: citekit.Text.Lines(first, first)}}}
		if err := there.Save(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	text := func(e *citekit.Evidence) string {
		t.Helper()
		r, _, err := here.Workspace().(citekit.EvidenceOpener).OpenEvidence(t.Context(), e.Key)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	sources.AddSource("r.txt", []byte("one\ntwo\nthree\n"))
	for i, want := range []string{"one\n", "two\n", "three\n", "one\n"} {
		save(1 + i%3)
		for range 2 {
			e, err := here.Resolve(t.Context(), "r", "n", nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := text(e); got != want {
				t.Errorf("map %d: %q, want %q", i, got, want)
			}
		}
	}
	sources.AddSource("r.txt", []byte("one more\ntwo\n"))
	if _, err := here.Resolve(t.Context(), "r", "n", nil); !errors.Is(err, citekit.ErrStale) {
		t.Errorf("a source that has changed: %v, want %v", err, citekit.ErrStale)
	}
	e, err := here.Resolve(t.Context(), "r", "n", &citekit.ResolveOptions{AllowStale: true})
	if err != nil || !e.Stale || text(e) != "one more\n" {
		t.Errorf("a source that has changed: %+v, %v", e, err)
	}
	if err := all[1].Workspace.(interface {
		WriteMap(context.Context, string, []byte) error
	}).WriteMap(t.Context(), "r", []byte(`{"resource_id":"r","type":"text","nodes":[]}`)); err != nil {
		t.Fatal(err)
	}
	var missing *citekit.NotFoundError
	if _, err := here.Resolve(t.Context(), "r", "n", nil); !errors.As(err, &missing) || missing.Kind != "node" {
		t.Errorf("a node that has gone: %v, want that it is missing", err)
	}
}
