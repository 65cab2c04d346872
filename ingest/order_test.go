package ingest_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citekit/citekit/ingest"
)

// TestBudget lends an amount of one to many, and more than there is.
func TestBudget(t *testing.T) {
	acquire := ingest.NewBudget(1)
	var now atomic.Int32
	var callers sync.WaitGroup
	for i := range 50 {
		callers.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			if i%3 == 2 {
				ctx, cancel = context.WithTimeout(t.Context(), time.Duration(i)*20*time.Microsecond)
			}
			defer cancel()
			release, err := acquire(ctx, int64(1+i%2*10))
			if err != nil {
				if i%3 != 2 {
					t.Error(err)
				}
				return
			}
			if n := now.Add(1); n != 1 {
				t.Errorf("%d have it", n)
			}
			time.Sleep(50 * time.Microsecond)
			now.Add(-1)
			release()
		})
	}
	callers.Wait()
	release, err := acquire(t.Context(), 1)
	if err != nil {
		t.Fatalf("it was not given back: %v", err)
	}
	release()
}
