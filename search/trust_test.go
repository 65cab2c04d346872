package search_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/workspace"
)

// A farWorkspace is not on this machine, if it has a latency. It counts the looks at maps.
type farWorkspace struct {
	*workspace.Memory
	latency time.Duration
	stamp   string
	looks   atomic.Int64
}

func (f *farWorkspace) NoteLatency() time.Duration { return f.latency }

func (f *farWorkspace) MapsStamp(context.Context) (citekit.Stamp, error) {
	return citekit.Stamp{Identity: f.stamp}, nil
}

func (f *farWorkspace) StatMap(ctx context.Context, id string) (citekit.Stamp, error) {
	f.looks.Add(1)
	return f.Memory.StatMap(ctx, id)
}

// The maps of a workspace elsewhere are looked at once their common stamp changes, and not
// before; on this machine they may be edited in place.
func TestMapsAreTrusted(t *testing.T) {
	for _, latency := range []time.Duration{0, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			f := &farWorkspace{Memory: workspace.NewMemory(nil), latency: latency, stamp: "1"}
			shelve(t, f.Memory, 1, 2)
			lib := citekit.New(f, modality.All(), nil)
			defer lib.Close()
			s := search.New(lib, nil)
			defer s.Close()
			update := func() int64 {
				t.Helper()
				f.looks.Store(0)
				if err := s.Update(ctx); err != nil {
					t.Fatal(err)
				}
				return f.looks.Load()
			}
			update()
			update() // what was put is seen
			time.Sleep(time.Hour)
			if n := update(); (n > 0) != (latency == 0) {
				t.Errorf("latency %v: %d looks after an hour", latency, n)
			}
			f.stamp = "2"
			if n := update(); n == 0 {
				t.Errorf("latency %v: no look at maps with another stamp", latency)
			}
		})
	}
}
