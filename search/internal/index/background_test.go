package index_test

import (
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/search/internal/index"
)

// Segments are merged in the background, and what is there stays the same.
func TestMergeInBackground(t *testing.T) {
	each(t, func(t *testing.T, store index.Store) {
		const resources = 20
		x, m := newIndex(t, store), make(model)
		for id := range resources {
			put(t, x, versioned(id, 1))
			m[id] = []int{1}
		}
		for merged := false; !merged; time.Sleep(time.Millisecond) {
			stats, err := x.Stats(ctx)
			if err != nil || stats.Resources != resources {
				t.Fatal(stats, err)
			}
			merged = stats.Segments < resources/2
		}
		m.check(t, x)
	})
}

// Close ends merging, and what is left is merged by who comes next.
func TestCloseWhileMerging(t *testing.T) {
	sharedtest.NotShort(t)
	each(t, func(t *testing.T, store index.Store) {
		m := make(model)
		for id := range 60 {
			x := index.New(store, nil)
			put(t, x, versioned(id, 1))
			m[id] = []int{1}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			if err := x.Merge(ctx); err == nil {
				t.Fatal("a closed index merges")
			}
		}
		x := newIndex(t, store)
		m.check(t, x)
		if stats, err := x.Stats(ctx); err != nil || stats.Segments > 40 {
			t.Errorf("nobody merged: %+v, %v", stats, err)
		}
		if err := x.Merge(ctx); err != nil {
			t.Fatal(err)
		}
		m.check(t, x)
		if stats, err := x.Stats(ctx); err != nil || stats.Segments >= 16 {
			t.Errorf("%+v, %v", stats, err)
		}
	})
}
