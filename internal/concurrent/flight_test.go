package concurrent_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/citekit/citekit/internal/concurrent"
)

func TestDo(t *testing.T) {
	var g concurrent.Group[int]
	calls := 0
	for _, key := range []string{"a", "a", "", "b"} {
		v, err := g.Do(t.Context(), key, func(context.Context) (int, error) { calls++; return calls, nil })
		if v != calls || err != nil {
			t.Errorf("%q: %d, %v after %d calls", key, v, err, calls)
		}
	}
	if calls != 4 {
		t.Errorf("%d calls of 4: what is done is not kept", calls)
	}
}

// TestShared has many callers at the same time get what one of them made, the
// error too.
func TestShared(t *testing.T) {
	failed := errors.New("failed")
	for _, want := range []error{nil, failed} {
		synctest.Test(t, func(t *testing.T) {
			var g concurrent.Group[string]
			var calls atomic.Int32
			var all sync.WaitGroup
			release := make(chan struct{})
			for range 20 {
				all.Go(func() {
					v, err := g.Do(t.Context(), "a", func(context.Context) (string, error) {
						calls.Add(1)
						<-release
						return "v", want
					})
					if v != "v" || err != want {
						t.Errorf("%q, %v", v, err)
					}
				})
			}
			all.Go(func() { // another key does not wait
				if v, err := g.Do(t.Context(), "b", func(context.Context) (string, error) { return "w", nil }); v != "w" || err != nil {
					t.Errorf("%q, %v", v, err)
				}
			})
			synctest.Wait()
			close(release)
			all.Wait()
			if calls.Load() != 1 {
				t.Errorf("%d calls", calls.Load())
			}
		})
	}
}

// TestGivingUp cancels who waits, and then who works: of the others one takes
// over.
func TestGivingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g concurrent.Group[string]
		var all sync.WaitGroup
		working, stop := context.WithCancel(t.Context())
		all.Go(func() {
			_, err := g.Do(working, "a", func(ctx context.Context) (string, error) {
				<-ctx.Done()
				return "", fmt.Errorf("working: %w", ctx.Err())
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("who works got %v", err)
			}
		})
		synctest.Wait()
		waiting, leave := context.WithCancel(t.Context())
		leave()
		if _, err := g.Do(waiting, "a", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("who waits got %v", err)
		}
		var calls atomic.Int32
		release := make(chan struct{})
		for range 5 {
			all.Go(func() {
				v, err := g.Do(t.Context(), "a", func(context.Context) (string, error) { calls.Add(1); <-release; return "v", nil })
				if v != "v" || err != nil {
					t.Errorf("%q, %v", v, err)
				}
			})
		}
		synctest.Wait()
		stop()
		synctest.Wait()
		close(release)
		all.Wait()
		if calls.Load() != 1 {
			t.Errorf("%d took over", calls.Load())
		}
	})
}

// TestPanic lets work panic: the panic reaches its caller, and one of those who
// wait takes over.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g concurrent.Group[string]
		var all sync.WaitGroup
		release := make(chan struct{})
		all.Go(func() {
			defer func() {
				if p := recover(); p != "broken" {
					t.Errorf("recovered %v", p)
				}
			}()
			g.Do(t.Context(), "a", func(context.Context) (string, error) { <-release; panic("broken") })
		})
		synctest.Wait()
		all.Go(func() {
			if v, err := g.Do(t.Context(), "a", func(context.Context) (string, error) { return "v", nil }); v != "v" || err != nil {
				t.Errorf("%q, %v", v, err)
			}
		})
		synctest.Wait()
		close(release)
		all.Wait()
	})
}
