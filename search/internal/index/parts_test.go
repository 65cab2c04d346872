package index_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

// A resource of more entries than a segment takes is held, replaced, merged and
// deleted as one.
func TestResourceOfSeveralSegments(t *testing.T) {
	const entries = 26_000
	large := func(version, word string) index.Resource {
		return index.Resource{ID: "large", Version: version, Entries: func(yield func(index.Entry) bool) {
			for i := range entries {
				if !yield(index.Entry{Node: fmt.Sprint("n", i), Text: fmt.Sprintf("%s number%d", word, i)}) {
					return
				}
			}
		}}
	}
	x := newIndex(t, workspace.NewMemory(nil))
	put(t, x, large("1", "old"))
	put(t, x, large("2", "new"))
	for i := range 12 { // merging takes parts together
		put(t, x, resource(fmt.Sprint("small", i), "1", "small text"))
	}
	if err := x.Merge(ctx); err != nil {
		t.Fatal(err)
	}
	check(t, x, "old", "")
	check(t, x, "number25999", "large.n25999")
	if version, err := x.Holds(ctx, "large"); version != "2" {
		t.Errorf("Holds = %q, %v", version, err)
	}
	if stats, err := x.Stats(ctx); err != nil || stats.Entries != entries+12 {
		t.Errorf("%+v, %v", stats, err)
	}
	if err := x.Delete(ctx, "large"); err != nil {
		t.Fatal(err)
	}
	check(t, x, "number7", "")
}

// Pruning leaves the segments that count.
func TestPrune(t *testing.T) {
	d := directory(t, t.TempDir())
	x := newIndex(t, d)
	put(t, x, resource("r", "1", "a whale"))
	lib := citekit.New(d, nil, nil)
	pruned, err := ingest.Prune(ctx, lib, nil)
	if err != nil || len(pruned) != 0 {
		t.Errorf("%+v, %v", pruned, err)
	}
	check(t, newIndex(t, d), "whale", "r.n0")
	if err := x.Delete(ctx, "r"); err != nil {
		t.Fatal(err)
	}
	if kept := slices.Collect(keptNames(t, d)); len(kept) != 0 {
		t.Errorf("left behind: %v", kept)
	}
}

func keptNames(t *testing.T, d workspace.Deleter) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k, err := range d.Kept(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			if !yield(k.Path) {
				return
			}
		}
	}
}
