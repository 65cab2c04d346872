package concurrent_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/citekit/citekit/internal/concurrent"
)

// TestFair has work of two kinds for four places, of which each leaves one to the other.
func TestFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		places := concurrent.Fair[string]{Places: 4, Kinds: []string{"a", "b"}}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var running [2]atomic.Int32
		stop := make(chan struct{})
		for i, kind := range []string{"a", "b"} {
			for range 9 {
				go func() {
					release, err := places.Acquire(ctx, kind)
					if err != nil {
						return
					}
					defer release()
					running[i].Add(1)
					<-stop
				}()
			}
			synctest.Wait()
		}
		if a, b := running[0].Load(), running[1].Load(); a != 3 || b != 1 {
			t.Errorf("%d and %d run, want 3 and 1", a, b)
		}
		cancel() // those who wait give up
		close(stop)
		synctest.Wait()
		for range 4 {
			if _, err := places.Acquire(t.Context(), ""); err != nil {
				t.Error(err)
			}
		}
		if _, err := places.Acquire(ctx, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("after the end: %v", err)
		}
	})
}
