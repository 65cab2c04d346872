package index_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

// manifestNotes returns how many notes the manifest of the index without a name has, the
// format of its root, and the notes that the root does not name.
func manifestNotes(t testing.TB, store citekit.NoteStore) (notes, format int, left []string) {
	t.Helper()
	var root struct {
		Format int
		Parts  []struct{ Name string }
	}
	for n, err := range store.Notes(ctx, index.ManifestKind) {
		if err != nil {
			t.Fatal(err)
		}
		if n.Name != "" {
			left = append(left, n.Name)
		} else if err := json.Unmarshal(n.Data, &root); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range root.Parts {
		i := slices.Index(left, "/"+p.Name)
		if i < 0 {
			t.Fatalf("the part %s is missing", p.Name)
		}
		left = slices.Delete(left, i, i+1)
	}
	return 1 + len(root.Parts), root.Format, left
}

// Two put a thousand segments at once, more than one note lists. None is lost, and
// who merges them leaves no note but one.
func TestThousandSegments(t *testing.T) {
	const writers, puts = 2, 500
	defer index.SetMaxManifest(16 << 10)()
	store := workspace.NewMemory(nil)
	var wait sync.WaitGroup
	for w := range writers {
		x := index.New(store, index.NeverMerge())
		defer x.Close()
		wait.Go(func() {
			for i := range puts {
				id := fmt.Sprintf("r%dx%d", w, i)
				if err := x.Put(ctx, all(resource(id, "1", "shared own"+id))); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
	x := index.New(store, nil)
	defer x.Close()
	stats, err := x.Stats(ctx)
	if err != nil || stats.Segments != writers*puts || stats.Lost != 0 {
		t.Fatalf("%+v, %v", stats, err)
	}
	if notes, format, left := manifestNotes(t, store); notes < 4 || format != 2 || len(left) > 0 {
		t.Errorf("%d notes, format %d, left over %q", notes, format, left)
	}
	holds := func() {
		t.Helper()
		for w := range writers {
			for i := range puts {
				if version, err := x.Holds(ctx, fmt.Sprintf("r%dx%d", w, i)); version != "1" {
					t.Fatalf("r%dx%d: %q, %v", w, i, version, err)
				}
			}
		}
		check(t, x, "ownr1x17", "r1x17.n0")
	}
	holds()
	if err := x.Merge(ctx); err != nil {
		t.Fatal(err)
	}
	holds()
	if stats, err := x.Stats(ctx); err != nil || stats.Segments > 20 {
		t.Errorf("%+v, %v", stats, err)
	}
	if notes, format, left := manifestNotes(t, store); notes != 1 || format != 1 || len(left) > 0 {
		t.Errorf("%d notes, format %d, left over %q", notes, format, left)
	}
}

var errDied = errors.New("the process is no more")

// A dyingStore makes only the first of the changes of notes of one call, as a process does
// that is killed, and nothing afterwards.
type dyingStore struct {
	*workspace.Memory
	after int // changes of notes of several that it makes before
	first int // of the changes of the next, how many it makes
	died  bool
}

func (d *dyingStore) ReadNote(ctx context.Context, kind, name string) ([]byte, citekit.Stamp, error) {
	if d.died {
		return nil, citekit.Stamp{}, errDied
	}
	return d.Memory.ReadNote(ctx, kind, name)
}

func (d *dyingStore) DeleteKept(ctx context.Context, k workspace.Kept) error {
	if d.died {
		return errDied
	}
	return d.Memory.DeleteKept(ctx, k)
}

func (d *dyingStore) ChangeNotes(ctx context.Context, kind string, changes []citekit.NoteChange) ([]citekit.Stamp, error) {
	if d.died {
		return nil, errDied
	}
	if d.after--; d.after >= 0 {
		return d.Memory.ChangeNotes(ctx, kind, changes)
	}
	d.died = true
	_, err := d.Memory.ChangeNotes(ctx, kind, changes[:min(d.first, len(changes))])
	return nil, errors.Join(errDied, err)
}

// A process is killed between the notes that make up one change of the manifest. The index
// is as before or as afterwards, and what is left over goes away.
func TestKilledBetweenNotes(t *testing.T) {
	defer index.SetMaxManifest(1200)()
	// steps fill a manifest of several notes, and then put, replace and delete.
	const filled, resources = 20, 6
	torn := 0
	for after := 0; ; after++ {
		reached := false
		for first := 0; ; first++ {
			d := &dyingStore{Memory: workspace.NewMemory(nil), after: after, first: first}
			x, m := index.New(d, index.NeverMerge()), make(model)
			died := func(id, version int, err error) bool {
				if err == nil {
					m[id] = []int{version}
					return false
				}
				if !errors.Is(err, errDied) {
					t.Fatal(err)
				}
				m[id] = append(m[id], version)
				return true
			}
			for i := range filled {
				id := i * 7 % resources
				if m[id] == nil {
					m[id] = []int{0}
				}
				if i%11 == 10 {
					if died(id, 0, x.Delete(ctx, fmt.Sprint("r", id))) {
						break
					}
				} else if died(id, i+1, x.Put(ctx, all(versioned(id, i+1), resource(fmt.Sprint("other", i), "1", "other")))) {
					break
				}
			}
			x.Close()
			if !d.died {
				break
			}
			reached = true
			again := index.New(d.Memory, index.NeverMerge())
			m.check(t, again)
			_, _, left := manifestNotes(t, d.Memory)
			torn += len(left)
			put(t, again, versioned(1, 99))
			again.Close()
			m[1] = []int{99}
			whole := newIndex(t, d.Memory)
			if err := whole.Merge(ctx); err != nil {
				t.Fatal(err)
			}
			m.check(t, whole)
			if _, _, left := manifestNotes(t, d.Memory); len(left) > 0 {
				t.Fatalf("killed after %d changes and %d notes: left are %q", after, first, left)
			}
			whole.Close()
			if first > 4 { // no change is of so many notes
				break
			}
		}
		if !reached {
			t.Logf("%d changes of several notes", after)
			break
		}
	}
	if torn == 0 {
		t.Error("no killed process has left a note")
	}
}

// A part of the manifest that is gone costs the segments that it lists, and nothing else.
func TestLostPart(t *testing.T) {
	defer index.SetMaxManifest(1200)()
	store := workspace.NewMemory(nil)
	x := index.New(store, index.NeverMerge())
	defer x.Close()
	const resources = 20
	for id := range resources {
		put(t, x, versioned(id, 1))
	}
	put(t, x, versioned(0, 2)) // the older one is in the first part
	var parts []citekit.Note
	for n, err := range store.Notes(ctx, index.ManifestKind) {
		if err != nil {
			t.Fatal(err)
		}
		if n.Name != "" {
			parts = append(parts, n)
		}
	}
	slices.SortFunc(parts, func(a, b citekit.Note) int { return strings.Compare(a.Name, b.Name) })
	if len(parts) < 3 {
		t.Fatalf("%d parts", len(parts))
	}
	if err := store.DeleteNoteIf(ctx, index.ManifestKind, parts[0].Name, parts[0].Stamp); err != nil {
		t.Fatal(err)
	}
	again := index.New(store, index.NeverMerge())
	defer again.Close()
	stats, err := again.Stats(ctx)
	if err != nil || stats.Lost == 0 || stats.Lost+stats.Segments < resources {
		t.Errorf("%+v, %v", stats, err)
	}
	m, lost := make(model), 0
	for id := range resources {
		version, err := again.Holds(ctx, fmt.Sprint("r", id))
		switch {
		case err != nil:
			lost++
			m[id] = []int{0}
		case id == 0:
			m[id] = []int{2}
		default:
			m[id] = []int{1}
		}
		if id == 0 && version == "1" {
			t.Error("an older version has come back")
		}
	}
	if lost == 0 || lost > 8 {
		t.Errorf("%d resources are lost", lost)
	}
	m.check(t, again)
	for id := range resources {
		put(t, again, versioned(id, 3))
		m[id] = []int{3}
	}
	m.check(t, again)
	if stats, err := again.Stats(ctx); err != nil || stats.Lost != 0 {
		t.Errorf("%+v, %v", stats, err)
	}
}
