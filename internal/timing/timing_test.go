package timing_test

import (
	"context"
	"sync"
	"testing"

	"github.com/citekit/citekit/internal/timing"
)

func TestRecorder(t *testing.T) {
	timing.Start(t.Context(), timing.Hash)() // nobody records
	timing.Fresh(t.Context())

	var r timing.Recorder
	ctx := timing.With(t.Context(), &r)
	var working sync.WaitGroup
	for range 10 {
		working.Go(func() { timing.Start(ctx, timing.Lookup)() })
	}
	working.Wait()
	if r.Spent(timing.Lookup) <= 0 || r.Spent(timing.Hash) != 0 || !r.Cached() {
		t.Errorf("lookup %v, hash %v, cached %v", r.Spent(timing.Lookup), r.Spent(timing.Hash), r.Cached())
	}
	var parsed timing.Recorder
	timing.Fresh(timing.With(ctx, &parsed))
	var looked timing.Recorder
	timing.Fresh(timing.Without(timing.With(ctx, &looked)))
	if parsed.Cached() || !looked.Cached() {
		t.Error("what was parsed counts as cached")
	}
}

func BenchmarkNobodyRecords(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	for b.Loop() {
		timing.Start(ctx, timing.Lookup)()
	}
}
