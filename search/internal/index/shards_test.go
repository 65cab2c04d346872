package index_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/faulttest"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

// differ reports how a result is not the one that is wanted.
func differ(t *testing.T, what string, got, want *index.Result) {
	t.Helper()
	if len(got.Hits) != len(want.Hits) || got.Exact && want.Exact && got.Total != want.Total {
		t.Errorf("%s: %d hits of %d, and not %d of %d", what, len(got.Hits), got.Total, len(want.Hits), want.Total)
		return
	}
	for i := range got.Hits {
		if !reflect.DeepEqual(got.Hits[i], want.Hits[i]) {
			t.Errorf("%s: hit %d of %d is\n%+v, and not\n%+v", what, i, len(got.Hits), got.Hits[i], want.Hits[i])
			return
		}
	}
}

// An index of several shards gives the hits of one index, in their order and with their
// scores, also of resources that were replaced and deleted.
func TestShardsAnswerAsOne(t *testing.T) {
	texts := append(library(300),
		resource("german", "1", "Das Haus ist bei der Zugspitze und es ist nicht hoch, aber der Wind ist stark."),
		resource("french", "1", "La maison est grande chez la Zugspitze et elle est avec nous depuis trois ans."))
	var want [2][]index.Result
	for i, shards := range []int{1, 2, 7} {
		x := index.New(workspace.NewMemory(nil), index.NeverMergeShards(shards))
		t.Cleanup(func() { x.Close() })
		check := func(n int) {
			t.Helper()
			got := answers(t, x)
			if i == 0 {
				want[n] = got
			}
			for j := range got {
				differ(t, fmt.Sprintf("%d shards, answer %d", shards, j), &got[j], &want[n][j])
			}
			words, entries, err := x.Words(ctx, "whale storm Zugspitze")
			if err != nil || len(words) != 3 || entries < 1000 || words[0].Entries < 100 {
				t.Errorf("%+v, %d, %v", words, entries, err)
			}
		}
		put(t, x, texts...)
		check(0)
		put(t, x, resource("r100", "2", "the whale of another version"), resource("r101", "2", "a storm"))
		if err := x.Delete(ctx, "r007", "r008", "r009"); err != nil {
			t.Fatal(err)
		}
		check(1)
		if stats, err := x.Stats(ctx); err != nil || stats.Resources != len(texts)-3 {
			t.Errorf("%d shards: %+v, %v", shards, stats, err)
		}
		missing, err := x.Missing(ctx, index.Filters{Modalities: []citekit.Modality{"video"}})
		if err != nil || len(missing) != 1 {
			t.Errorf("%d shards: %+v, %v", shards, missing, err)
		}
	}
}

// Shards are written, continued, merged and read by several at once like one index.
func TestShards(t *testing.T) {
	const shards, writers, rounds = 3, 2, 12
	store := workspace.NewMemory(nil)
	open := func() *index.Local {
		x := index.New(store, &index.Options{Shards: shards})
		t.Cleanup(func() { x.Close() })
		return x
	}
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			x := open()
			for version := 1; version <= rounds; version++ {
				if err := x.Put(ctx, all(versioned(w, version), versioned(w+100, version), versioned(w+200+version, 1))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	x, m := open(), make(model)
	if err := x.Ready(ctx); err != nil {
		t.Error(err)
	}
	for w := range writers {
		m[w], m[w+100] = []int{rounds}, []int{rounds}
	}
	for id := 201; id < 200+rounds+writers; id++ {
		m[id] = []int{1}
	}
	m.check(t, x)
	if err := x.Merge(ctx); err != nil {
		t.Fatal(err)
	}
	m.check(t, x)
	before, err := x.Stamp(ctx)
	if err != nil {
		t.Fatal(err)
	}
	put(t, x, versioned(1, 77))
	if changed, err := x.ChangedByOthers(ctx, before); changed || err != nil {
		t.Errorf("its own change is that of others: %v", err)
	}
	other := open()
	put(t, other, versioned(2, 77))
	m[1], m[2] = []int{77}, []int{77}
	m.check(t, open())
	for changed := false; !changed; {
		if changed, err = x.ChangedByOthers(ctx, before); err != nil {
			t.Fatal(err)
		}
	}
	piece := resource("long", "1", "first", "second")
	if err := x.Continue(ctx, piece, 0, false); err != nil {
		t.Fatal(err)
	}
	if n, err := x.Begun(ctx, "long", "1"); n != 2 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
	if err := x.Continue(ctx, resource("long", "1", "third"), 2, true); err != nil {
		t.Fatal(err)
	}
	if version, err := x.Holds(ctx, "long"); version != "1" || err != nil {
		t.Errorf("%q, %v", version, err)
	}
	if _, err := newIndex(t, store).Holds(ctx, "long"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an index without shards has it: %v", err)
	}
	err = x.Put(ctx, all(versioned(1, 78), versioned(5, 78), versioned(1, 79)))
	if !errors.Is(err, citekit.ErrSyntax) {
		t.Errorf("an id twice: %v", err)
	}
	check(t, x, "mark1x78 mark5x78", "")
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Stats(ctx); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// Whatever call fails, each resource of an index of several shards is the old or the new.
func TestFaultAtEachCallOfShards(t *testing.T) {
	for n := 1; ; n++ {
		store, m := workspace.NewMemory(nil), make(model)
		before := index.New(store, &index.Options{Shards: 2})
		for id := range 4 {
			put(t, before, versioned(id, 1))
			m[id] = []int{1}
		}
		before.Close()
		f := &faulttest.Workspace{Memory: store, Fail: n}
		x := index.New(f, &index.Options{Shards: 2, MergeAll: true})
		if err := x.Put(ctx, all(versioned(0, 2), versioned(1, 2), versioned(2, 2), versioned(3, 2))); err != nil {
			for id := range 4 {
				m[id] = append(m[id], 2)
			}
		} else {
			for id := range 4 {
				m[id] = []int{2}
			}
		}
		f.Heal()
		again := index.New(store, &index.Options{Shards: 2})
		m.check(t, again)
		m.check(t, x)
		again.Close()
		x.Close()
		if f.Calls() < n {
			return
		}
	}
}

// A damaged segment of a shard costs what it held, and nothing else.
func TestDamagedShard(t *testing.T) {
	dir := t.TempDir()
	x := index.New(directory(t, dir), &index.Options{Shards: 4})
	defer x.Close()
	m := make(model)
	for id := range 8 {
		put(t, x, versioned(id, 1))
		m[id] = []int{0, 1}
	}
	found(t, x, index.Query{Text: "shared"})
	names := segments(t, dir)
	if err := os.Truncate(names[0], 0); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		found(t, x, index.Query{Text: "shared again mark1x1"})
	}
	again := index.New(directory(t, dir), &index.Options{Shards: 4})
	defer again.Close()
	m.check(t, again)
	lost := 0
	for id := range m {
		if slices.Equal(m[id], []int{0}) {
			lost++
			put(t, again, versioned(id, 2))
			m[id] = []int{2}
		}
	}
	if lost != 1 {
		t.Errorf("%d resources are lost", lost)
	}
	m.check(t, again)
	if got := strings.Fields(found(t, again, index.Query{Text: "shared", TopK: 100})); len(got) != 16 {
		t.Errorf("%v", got)
	}
}
