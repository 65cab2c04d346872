package workspace

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestGroupSync(t *testing.T) {
	var g groupSync
	var written, durable, syncs atomic.Int64
	var writers sync.WaitGroup
	for range 50 {
		writers.Go(func() {
			for range 20 {
				mine := written.Add(1)
				err := g.sync(func() error {
					seen := written.Load()
					syncs.Add(1)
					durable.Store(seen)
					return nil
				})
				if err != nil || durable.Load() < mine {
					t.Errorf("%v; %d synced, %d written before", err, durable.Load(), mine)
				}
			}
		})
	}
	writers.Wait()
	t.Logf("%d syncs for %d writes", syncs.Load(), written.Load())

	bad := errors.New("disk on fire")
	if err := g.sync(func() error { return bad }); err != bad {
		t.Errorf("error %v", err)
	}
	called := false
	if err := g.sync(func() error { called = true; return nil }); err != nil || !called {
		t.Errorf("after an error: %v, called %v", err, called)
	}
}
