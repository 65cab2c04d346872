package index_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

// What was removed distorts scores until segments are written without it. That begins when
// more than a third of one was removed, without a further Put, and its size goes down.
func TestRemovedIsMergedAway(t *testing.T) {
	for _, shards := range []int{1, 3} {
		texts := library(300)
		x := index.New(workspace.NewMemory(nil), &index.Options{Shards: shards})
		defer x.Close()
		put(t, x, texts...)
		if err := x.Merge(ctx); err != nil {
			t.Fatal(err)
		}
		before, err := x.Stats(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, r := range texts[60:] {
			ids = append(ids, r.ID)
		}
		if err := x.Delete(ctx, ids...); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(3 * time.Minute); ; {
			now, err := x.Stats(ctx)
			if err != nil || time.Now().After(deadline) {
				t.Fatalf("%d shards: %+v, %v", shards, now, err)
			}
			if now.Outdated == 0 {
				if now.Resources != 60 || 3*now.Bytes > before.Bytes {
					t.Errorf("%d shards: %+v, and before it was %+v", shards, now, before)
				}
				break
			}
		}
		clean := newIndex(t, workspace.NewMemory(nil))
		put(t, clean, texts[:60]...)
		got, want := answers(t, x), answers(t, clean)
		for i := range got {
			differ(t, fmt.Sprintf("%d shards, answer %d", shards, i), &got[i], &want[i])
		}
	}
}

// A countingStore counts changes of notes.
type countingStore struct {
	*workspace.Memory
	changes int
}

func (c *countingStore) WriteNoteIf(ctx context.Context, kind, name string, data []byte, stamp citekit.Stamp) (citekit.Stamp, error) {
	c.changes++
	return c.Memory.WriteNoteIf(ctx, kind, name, data, stamp)
}

// To delete what is not there changes nothing, so that others need not look.
func TestDeleteNothing(t *testing.T) {
	store := &countingStore{Memory: workspace.NewMemory(nil)}
	x := index.New(store, index.NeverMerge())
	defer x.Close()
	put(t, x, versioned(1, 1), versioned(2, 1))
	if err := x.Delete(ctx, "r1"); err != nil {
		t.Fatal(err)
	}
	before := store.changes
	if err := x.Delete(ctx, "r1", "other"); err != nil || store.changes != before {
		t.Errorf("%d changes, %v", store.changes-before, err)
	}
}
