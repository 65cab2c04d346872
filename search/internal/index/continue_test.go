package index_test

import (
	"errors"
	"io/fs"
	"testing"
	"time"

	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

// TestContinue puts a resource in pieces, beside another program that does so too.
func TestContinue(t *testing.T) {
	ws := workspace.NewMemory(nil)
	mine, other := index.New(ws, nil), index.New(ws, nil)
	defer mine.Close()
	defer other.Close()
	begun := func(x *index.Local, version string, want int) {
		t.Helper()
		time.Sleep(2 * index.Latency)
		if n, err := x.Begun(ctx, "a", version); err != nil || n != want {
			t.Errorf("%d entries of version %s are there, %v; want %d", n, version, err, want)
		}
	}
	put(t, mine, resource("a", "0", "old"), resource("b", "0", "tea"))
	begun(mine, "0", 0)
	piece := func(x *index.Local, have int, last bool, want error, texts ...string) {
		t.Helper()
		r := resource("a", "1", texts...)
		if err := x.Continue(ctx, r, have, last); !errors.Is(err, want) {
			t.Fatalf("a piece after %d: %v", have, err)
		}
	}
	piece(mine, 1, false, index.ErrOvertaken, "kettle")
	piece(mine, 0, false, nil, "kettle one", "kettle two")
	begun(mine, "1", 2)
	begun(other, "1", 2)
	begun(other, "0", 0)
	check(t, mine, "kettle", "a.n0 a.n1")
	check(t, mine, "old", "")
	if _, err := mine.Holds(ctx, "a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is held before its end: %v", err)
	}
	piece(other, 2, false, nil, "kettle three")
	piece(mine, 2, false, index.ErrOvertaken, "kettle three")
	if err := mine.Merge(ctx); err != nil {
		t.Fatal(err)
	}
	piece(mine, 3, true, nil, "spoon")
	begun(mine, "1", 0)
	if version, err := other.Holds(ctx, "a"); err != nil || version != "1" {
		t.Errorf("it is held as %q, %v", version, err)
	}
	if stats, err := mine.Stats(ctx); err != nil || stats.Resources != 2 || stats.Entries != 5 {
		t.Errorf("the index has %+v, %v", stats, err)
	}
	put(t, other, resource("a", "2", "new"))
	time.Sleep(2 * index.Latency)
	check(t, mine, "kettle", "")
	check(t, mine, "new", "a.n0")
}
