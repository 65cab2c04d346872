package workspace_test

import (
	"context"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// TestMapsStamp checks that no change of a map leaves the stamp of all maps as it
// was, whatever the time between.
func TestMapsStamp(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	open := func() *workspace.Directory {
		d, err := workspace.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		return d
	}
	d, other := open(), open()
	stamp := func() citekit.Stamp {
		s, err := d.MapsStamp(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := stamp(); s != (citekit.Stamp{}) {
		t.Errorf("without maps: %v", s)
	}
	change := func(f func() error) {
		t.Helper()
		before := stamp()
		if err := f(); err != nil {
			t.Fatal(err)
		}
		if s := stamp(); s == before && s != (citekit.Stamp{}) {
			t.Error("a change left the stamp as it was")
		}
		for deadline := time.Now().Add(3 * time.Minute); stamp() == (citekit.Stamp{}); {
			if time.Now().After(deadline) {
				t.Fatal("the stamp is never told")
			}
			time.Sleep(20 * time.Millisecond)
		}
		if s := stamp(); s == before {
			t.Error("a change left the stamp as it was, after a while")
		}
	}
	change(func() error { return d.WriteMap(ctx, "a", []byte("{}")) })
	change(func() error { return other.WriteMap(ctx, "a", []byte("{ }")) })
	change(func() error { return other.WriteMap(ctx, "b", []byte("{}")) })
	change(func() error {
		at, err := other.StatMap(ctx, "b")
		if err != nil {
			return err
		}
		_, err = other.DeleteMaps(ctx, []workspace.MapVersion{{ID: "b", Stamp: at}})
		return err
	})
}
