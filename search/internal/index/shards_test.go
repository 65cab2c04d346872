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
	"time"

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
	if version, err := newIndex(t, store).Holds(ctx, "long"); version != "1" || err != nil {
		t.Errorf("who is not told of shards: %q, %v", version, err)
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

// The number of shards is that of the index, whatever the options of who opens it.
func TestShardsAreKept(t *testing.T) {
	for _, first := range []int{1, 3} {
		store, m := workspace.NewMemory(nil), make(model)
		var opened []*index.Local
		for _, shards := range []int{first, 0, 7} {
			x := index.New(store, &index.Options{Shards: shards})
			t.Cleanup(func() { x.Close() })
			m.check(t, x)
			opened = append(opened, x)
		}
		for i, x := range opened {
			put(t, x, versioned(i, 1), versioned(i+10, 1))
			m[i], m[i+10] = []int{1}, []int{1}
			other := newIndex(t, store)
			m.check(t, other)
		}
		want := 0
		for n, err := range store.Notes(ctx, index.ManifestKind) {
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(n.Name, "shard") {
				want = first
				if !strings.HasSuffix(n.Name, fmt.Sprint("of ", first)) {
					t.Errorf("of %d shards there is %s", first, n.Name)
				}
			}
		}
		if want == 0 && first > 1 {
			t.Error("there are no shards")
		}
	}
}

// An index is spread anew, also while others have it open, and answers as before. Nothing
// is left of the shards that it had.
func TestReshard(t *testing.T) {
	d := directory(t, t.TempDir())
	x, other := index.New(d, index.NeverMergeShards(1)), newIndex(t, d)
	t.Cleanup(func() { x.Close() })
	put(t, x, library(200)...)
	put(t, x, resource("r100", "2", "the whale of another version"), resource("empty", "1"))
	if err := x.Delete(ctx, "r007", "r008"); err != nil {
		t.Fatal(err)
	}
	want := answers(t, x)
	before, err := other.Stats(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{4, 2, 2, 1, 3} {
		if err := x.Reshard(ctx, n); err != nil {
			t.Fatal(err)
		}
		now, err := x.Stats(ctx)
		if err != nil || now.Segments < n || now.Outdated != 0 || now.Entries != before.Entries || now.Resources != before.Resources {
			t.Errorf("%d shards: %+v, %v; before it was %+v", n, now, err, before)
		}
		for deadline := time.Now().Add(3 * time.Minute); ; { // the other may look a little later
			others, err := other.Stats(ctx)
			if err != nil || time.Now().After(deadline) {
				t.Fatalf("%d shards: the other has %+v, %v; want %+v", n, others, err, now)
			}
			if others == now {
				break
			}
		}
		for _, one := range []*index.Local{x, other} {
			clean := answers(t, one)
			for i := range clean {
				if len(clean[i].Hits) != len(want[i].Hits) {
					t.Errorf("%d shards, answer %d: %d hits, and not %d", n, i, len(clean[i].Hits), len(want[i].Hits))
				}
			}
			if version, err := one.Holds(ctx, "empty"); version != "1" || err != nil {
				t.Errorf("%d shards: a resource without entries is %q, %v", n, version, err)
			}
		}
		if kept := slices.Collect(keptNames(t, d)); len(kept) != now.Segments {
			t.Errorf("of %d shards there are %q", n, kept)
		}
		notes := 0
		for _, err := range d.Notes(ctx, index.ManifestKind) {
			if err != nil {
				t.Fatal(err)
			}
			notes++
		}
		if want := n + 1; notes != want && (n > 1 || notes != 1) {
			t.Errorf("of %d shards there are %d notes", n, notes)
		}
	}
	for _, n := range []int{0, 257} {
		if err := x.Reshard(ctx, n); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("%d shards: %v", n, err)
		}
	}
}

// Writers and an index that is spread anew do each other no harm: what a writer is told is
// there, or the index says that it lacks it.
func TestReshardMeanwhile(t *testing.T) {
	store := workspace.NewMemory(nil)
	x := newIndex(t, store)
	const resources = 12
	for id := range resources {
		put(t, x, versioned(id, 1))
	}
	ended := make(chan struct{})
	var wait sync.WaitGroup
	for w := range 2 {
		writer := newIndex(t, store)
		wait.Go(func() {
			for version := 2; ; version++ {
				select {
				case <-ended:
					return
				default:
				}
				if err := writer.Put(ctx, all(versioned(w, version))); err != nil && !errors.Is(err, citekit.ErrConflict) {
					t.Error(err)
					return
				}
			}
		})
	}
	for _, n := range []int{3, 1, 2, 5} {
		if err := x.Reshard(ctx, n); err != nil {
			t.Error(err)
		}
	}
	close(ended)
	wait.Wait()
	m := make(model)
	for id := range resources {
		m[id] = []int{1}
		if id < 2 {
			put(t, x, versioned(id, 10_000))
			m[id] = []int{10_000}
		}
	}
	m.check(t, newIndex(t, store))
	if stats, err := x.Stats(ctx); err != nil || stats.Resources != resources || stats.Lost != 0 {
		t.Errorf("%+v, %v", stats, err)
	}
}

// Whatever call fails, an index that is spread anew has what it had.
func TestFaultAtEachCallOfReshard(t *testing.T) {
	for _, to := range []int{3, 1} {
		for n := 1; ; n++ {
			store, m := workspace.NewMemory(nil), make(model)
			before := index.New(store, &index.Options{Shards: 2})
			for id := range 4 {
				put(t, before, versioned(id, 1))
				m[id] = []int{1}
			}
			f := &faulttest.Workspace{Memory: store, Fail: n}
			x := index.New(f, nil)
			_ = x.Reshard(ctx, to)
			f.Heal()
			again := index.New(store, nil)
			m.check(t, again)
			m.check(t, x)
			if err := again.Reshard(ctx, to); err != nil {
				t.Errorf("after fault %d: %v", n, err)
			}
			m.check(t, again)
			m.check(t, before)
			for _, one := range []*index.Local{before, x, again} {
				one.Close()
			}
			if f.Calls() < n {
				break
			}
		}
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
