//go:build unix

package cloud_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/driver"
)

// Of maps that are written together each is compared with what is there.
func TestWriteMapsIf(t *testing.T) {
	w := open(t, schema(t), driver.NewMemory())
	old, err := w.WriteMapIf(t.Context(), "old", []byte(`{"old": 1}`), citekit.Stamp{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteMap(t.Context(), "there", []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	maps := []workspace.MapVersion{{ID: "there"}, {ID: "old", Stamp: old}, {ID: "new"}, {ID: "gone", Stamp: old}, {ID: "foreign", Stamp: citekit.Stamp{Identity: "x"}}}
	var data [][]byte
	for _, m := range maps {
		data = append(data, fmt.Appendf(nil, `{"is": %q}`, m.ID))
	}
	stamps, err := w.WriteMapsIf(t.Context(), maps, data)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range maps {
		got, now, err := w.ReadMap(t.Context(), m.ID, 100)
		switch {
		case m.ID == "old" || m.ID == "new":
			if err != nil || string(got) != string(data[i]) || now != stamps[i] || now == m.Stamp {
				t.Errorf("%s: %s, %v, %v; want what was written, with the stamp %v", m.ID, got, now, err, stamps[i])
			}
		case stamps[i] != (citekit.Stamp{}):
			t.Errorf("%s got the stamp %v; want none", m.ID, stamps[i])
		case m.ID == "there":
			if string(got) != "{}" {
				t.Errorf("%s was replaced: %s", m.ID, got)
			}
		case !errors.Is(err, fs.ErrNotExist):
			t.Errorf("%s: %v; want no map", m.ID, err)
		}
	}
	for _, bad := range [][]workspace.MapVersion{{{ID: "a"}, {ID: "a"}}, {{ID: "b"}, {ID: ""}}} {
		if _, err := w.WriteMapsIf(t.Context(), bad, data[:2]); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("%v: %v; want citekit.ErrSyntax", bad, err)
		}
	}
	if ids, err := w.ListMaps(t.Context(), "", 0); err != nil || !slices.Equal(ids, []string{"new", "old", "there"}) {
		t.Errorf("%q, %v", ids, err)
	}
}

// What is mapped and made searchable in one context is read once, and what others write
// meanwhile is seen by all but that.
func TestHeld(t *testing.T) {
	d := newDistant(t)
	const number = 20
	var paths, ids []string
	for i := range number {
		name := fmt.Sprintf("source%02d.txt", i)
		paths, ids = append(paths, name), append(ids, fmt.Sprintf("source%02d", i))
		text := fmt.Sprintf("Title %d\n\nA text with word%d in it.\n", i, i)
		if _, err := d.bucket.Write(t.Context(), name, strings.NewReader(text), driver.WriteOptions{Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
	}
	w, err := cloud.Open(t.Context(), d.url+"&cache="+t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	w.ReadOnce()
	lib := citekit.New(w, modality.All(), nil)
	s := search.New(lib, nil)
	t.Cleanup(func() { s.Close() })
	d.took()
	ctx := w.HoldSources(t.Context(), paths)
	report, err := ingest.Run(ctx, lib, paths, &ingest.Options{Shared: true})
	if err != nil || len(report.Items) != number {
		t.Fatalf("%d items, %v", len(report.Items), err)
	}
	if all, err := s.IndexMapped(ctx, ids); !all || err != nil {
		t.Fatalf("%t, %v; want all, in the index", all, err)
	}
	read := make(map[string]int)
	for _, what := range d.took() {
		if strings.HasPrefix(what, "bucket GET source") {
			read[what]++
		}
	}
	for what, n := range read {
		if n != 1 {
			t.Errorf("%s: %d times; want once", what, n)
		}
	}
	if len(read) == 0 {
		t.Error("no source was read")
	}
	if stats, err := s.Stats(t.Context()); err != nil || stats.Resources != number {
		t.Errorf("%+v, %v; want %d resources", stats, err, number)
	}
	// Another writes one of the maps.
	held, err := w.StatMap(ctx, ids[0])
	if err != nil || !w.MappedFirst(ctx, ids[0]) || w.MappedFirst(t.Context(), ids[0]) || w.MappedFirst(ctx, "other") {
		t.Errorf("%v, %v; want it mapped first in its context alone", held, err)
	}
	if err := w.WriteMap(t.Context(), ids[0], []byte("{}")); err != nil {
		t.Fatal(err)
	}
	now, err := w.StatMap(t.Context(), ids[0])
	if same, sameErr := w.StatMap(ctx, ids[0]); err != nil || sameErr != nil || same != held || now == held {
		t.Errorf("%v in the context and %v out of it, were %v; %v, %v", same, now, held, sameErr, err)
	}
	// Mapped again, nothing changes, and a source that changed is not the first.
	if _, err := d.bucket.Write(t.Context(), paths[1], strings.NewReader("Now another text.\n"), driver.WriteOptions{Size: 18}); err != nil {
		t.Fatal(err)
	}
	ctx = w.HoldSources(t.Context(), paths[1:])
	report, err = ingest.Run(ctx, lib, paths[1:], &ingest.Options{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range report.Items {
		if want := (map[bool]ingest.Status{true: ingest.Mapped, false: ingest.Unchanged})[i == 0]; item.Status != want {
			t.Errorf("%s: %s, %v; want %s", item.Path, item.Status, item.Err, want)
		}
	}
	if w.MappedFirst(ctx, ids[1]) {
		t.Error("a map was replaced, and MappedFirst reports it as the first")
	}
	// What another has replaced meanwhile is left to who looks at all.
	if all, err := s.IndexMapped(ctx, ids[1:2]); !all || err != nil {
		t.Errorf("%t, %v; want all, in the index", all, err)
	}
	if err := w.WriteMap(t.Context(), ids[1], []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if all, err := s.IndexMapped(ctx, ids[1:2]); all || err != nil {
		t.Errorf("%t, %v; want it told that a map has changed", all, err)
	}
}

// Sources whose maps would have the same id, mapped by two runs at once, have one map each.
func TestTogetherConflicts(t *testing.T) {
	d := newDistant(t)
	var paths []string
	for i := range 16 {
		name := fmt.Sprintf("folder%d/name%d.txt", i%2, i/2)
		text := fmt.Sprintf("A text of its own: %d.\n", i)
		paths = append(paths, name)
		if _, err := d.bucket.Write(t.Context(), name, strings.NewReader(text), driver.WriteOptions{Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
	}
	var libs []*citekit.Library
	for range 2 {
		w, err := cloud.Open(t.Context(), d.url+"&cache="+t.TempDir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.Close() })
		libs = append(libs, citekit.New(w, modality.All(), nil))
	}
	var runs sync.WaitGroup
	for _, lib := range libs {
		runs.Go(func() {
			report, err := ingest.Run(t.Context(), lib, paths, &ingest.Options{Shared: true})
			if err != nil || len(report.Items) != len(paths) {
				t.Errorf("%d items, %v", len(report.Items), err)
			}
		})
	}
	runs.Wait()
	ids, err := libs[0].Workspace().ListMaps(t.Context(), "", 0)
	if err != nil || len(ids) != len(paths) {
		t.Errorf("maps %q, %v; want one of each of %d sources", ids, err, len(paths))
	}
	of := make(map[string]string)
	for _, id := range ids {
		m, err := libs[1].Map(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if other := of[m.SourcePath]; other != "" {
			t.Errorf("%s and %s are of %s", other, id, m.SourcePath)
		}
		of[m.SourcePath] = id
	}
}
