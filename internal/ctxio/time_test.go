package ctxio_test

import (
	"context"
	"sync"
	"testing"

	"github.com/citekit/citekit/internal/ctxio"
)

func TestRecorder(t *testing.T) {
	ctxio.Time(t.Context(), ctxio.PhaseHash)() // nobody records
	ctxio.Fresh(t.Context())

	var r ctxio.Recorder
	ctx := ctxio.WithRecorder(t.Context(), &r)
	var working sync.WaitGroup
	for range 10 {
		working.Go(func() { ctxio.Time(ctx, ctxio.PhaseLookup)() })
	}
	working.Wait()
	if r.Spent(ctxio.PhaseLookup) <= 0 || r.Spent(ctxio.PhaseHash) != 0 || !r.Cached() {
		t.Errorf("lookup %v, hash %v, cached %v", r.Spent(ctxio.PhaseLookup), r.Spent(ctxio.PhaseHash), r.Cached())
	}
	var parsed ctxio.Recorder
	ctxio.Fresh(ctxio.WithRecorder(ctx, &parsed))
	var looked ctxio.Recorder
	ctxio.Fresh(ctxio.Untimed(ctxio.WithRecorder(ctx, &looked)))
	if parsed.Cached() || !looked.Cached() {
		t.Error("what was parsed counts as cached")
	}
}

func BenchmarkNobodyRecords(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	for b.Loop() {
		ctxio.Time(ctx, ctxio.PhaseLookup)()
	}
}
