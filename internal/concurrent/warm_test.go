package concurrent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// loading returns a load of value that costs cost and counts its calls.
func loading(value string, cost int64, calls *atomic.Int32) func(context.Context) (string, int64, error) {
	return func(context.Context) (string, int64, error) {
		calls.Add(1)
		return value, cost, nil
	}
}

func get(t *testing.T, c *Cache[string], key string, cost int64) (loaded bool) {
	t.Helper()
	var calls atomic.Int32
	v, err := c.Get(t.Context(), key, loading("value of "+key, cost, &calls))
	if err != nil || v != "value of "+key {
		t.Fatalf("Get(%q) = %q, %v", key, v, err)
	}
	return calls.Load() > 0
}

// twice gets the value for key twice and returns how often it was loaded.
func twice(t *testing.T, c *Cache[string], key string, cost int64) (loads int) {
	t.Helper()
	for range 2 {
		if get(t, c, key, cost) {
			loads++
		}
	}
	return loads
}

func TestKeeps(t *testing.T) {
	c := Cache[string]{MaxCost: 10}
	if twice(t, &c, "a", 3) != 1 {
		t.Error("a value is loaded once and then kept")
	}
	if twice(t, &c, "", 1) != 2 {
		t.Error("an empty key is never kept")
	}
	if c.cost != 3 {
		t.Errorf("cost %d, want 3", c.cost)
	}
}

func TestZeroValueKeepsNothing(t *testing.T) {
	var c Cache[string]
	if twice(t, &c, "a", 1) != 2 {
		t.Error("the zero Cache kept a value")
	}
}

func TestEvictsLeastRecentlyUsed(t *testing.T) {
	c := Cache[string]{MaxCost: 3}
	for _, key := range []string{"a", "b", "c", "a", "d"} {
		get(t, &c, key, 1)
	}
	for _, kept := range []string{"a", "c", "d"} {
		if get(t, &c, kept, 1) {
			t.Errorf("%s was evicted", kept)
		}
	}
	if !get(t, &c, "b", 1) {
		t.Error("b, used longest ago, was kept")
	}
}

func TestTooCostlyIsNotKept(t *testing.T) {
	c := Cache[string]{MaxCost: 3}
	get(t, &c, "small", 1)
	if twice(t, &c, "big", 4) != 2 {
		t.Error("a value over the limit was kept")
	}
	if get(t, &c, "small", 1) {
		t.Error("a value over the limit drove out another")
	}
	if twice(t, &c, "full", 3) != 1 {
		t.Error("a value of just the limit was not kept")
	}
}

func TestFailureIsNotKept(t *testing.T) {
	c := Cache[string]{MaxCost: 3}
	failed := errors.New("failed")
	_, err := c.Get(t.Context(), "a", func(context.Context) (string, int64, error) { return "", 1, failed })
	if err != failed {
		t.Errorf("error %v", err)
	}
	if !get(t, &c, "a", 1) {
		t.Error("nothing was loaded after a failure")
	}
}

func TestCallersShareOneLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Cache[string]{MaxCost: 1}
		release := make(chan struct{})
		var calls atomic.Int32
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				v, err := c.Get(t.Context(), "a", func(context.Context) (string, int64, error) {
					calls.Add(1)
					<-release
					return "v", 5, nil // not kept, but given to all who wait
				})
				if v != "v" || err != nil {
					t.Errorf("got %q, %v", v, err)
				}
			})
		}
		synctest.Wait()
		close(release)
		group.Wait()
		if calls.Load() != 1 {
			t.Errorf("%d loads for callers that came at the same time", calls.Load())
		}
	})
}

func TestWaitersGetTheFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Cache[string]{MaxCost: 1}
		failed := errors.New("failed")
		release := make(chan struct{})
		var calls atomic.Int32
		var group sync.WaitGroup
		for range 5 {
			group.Go(func() {
				_, err := c.Get(t.Context(), "a", func(context.Context) (string, int64, error) {
					calls.Add(1)
					<-release
					return "", 0, failed
				})
				if err != failed {
					t.Errorf("error %v", err)
				}
			})
		}
		synctest.Wait()
		close(release)
		group.Wait()
		if calls.Load() != 1 {
			t.Errorf("%d loads, want one", calls.Load())
		}
	})
}

// TestLoaderGivesUp cancels the caller that loads: another takes over.
func TestLoaderGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Cache[string]{MaxCost: 1}
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() {
			_, err := c.Get(ctx, "a", func(ctx context.Context) (string, int64, error) {
				<-ctx.Done()
				return "", 0, fmt.Errorf("loading: %w", ctx.Err())
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the cancelled caller got %v", err)
			}
		})
		synctest.Wait()
		var calls atomic.Int32
		for range 5 {
			group.Go(func() {
				if v, err := c.Get(t.Context(), "a", loading("v", 1, &calls)); v != "v" || err != nil {
					t.Errorf("a waiting caller got %q, %v", v, err)
				}
			})
		}
		synctest.Wait()
		cancel()
		group.Wait()
		if calls.Load() != 1 {
			t.Errorf("%d loads after the first gave up, want one", calls.Load())
		}
	})
}

// TestWaiterGivesUp cancels a caller that waits: the load goes on.
func TestWaiterGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Cache[string]{MaxCost: 1}
		release := make(chan struct{})
		var group sync.WaitGroup
		group.Go(func() {
			c.Get(t.Context(), "a", func(context.Context) (string, int64, error) {
				<-release
				return "value of a", 1, nil
			})
		})
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Get(ctx, "a", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("the waiting caller got %v", err)
		}
		close(release)
		group.Wait()
		if get(t, &c, "a", 1) {
			t.Error("the load was lost")
		}
	})
}

// TestPanic lets a load panic: the panic reaches its caller, and those who
// wait load themselves.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Cache[string]{MaxCost: 1}
		release := make(chan struct{})
		var group sync.WaitGroup
		group.Go(func() {
			defer func() {
				if p := recover(); p != "broken" {
					t.Errorf("recovered %v", p)
				}
			}()
			c.Get(t.Context(), "a", func(context.Context) (string, int64, error) {
				<-release
				panic("broken")
			})
		})
		synctest.Wait()
		var calls atomic.Int32
		for range 3 {
			group.Go(func() {
				if v, err := c.Get(t.Context(), "a", loading("v", 1, &calls)); v != "v" || err != nil {
					t.Errorf("a waiting caller got %q, %v", v, err)
				}
			})
		}
		synctest.Wait()
		close(release)
		group.Wait()
		if calls.Load() != 1 {
			t.Errorf("%d loads after the panic, want one", calls.Load())
		}
	})
}

// TestCrowd uses few keys from many sides at once; the cost must come out
// right.
func TestCrowd(t *testing.T) {
	c := Cache[string]{MaxCost: 7}
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for n := range 500 {
				key := fmt.Sprint((n*7 + i) % 11)
				v, err := c.Get(t.Context(), key, func(context.Context) (string, int64, error) {
					if n%13 == 0 {
						return "", 0, errors.New("now and then")
					}
					return key, int64(n % 5), nil
				})
				if err == nil && v != key {
					t.Errorf("key %s has %q", key, v)
				}
			}
		})
	}
	group.Wait()
	var cost int64
	for e := c.recent.Front(); e != nil; e = e.Next() {
		cost += e.Value.(*entry[string]).cost
	}
	if cost != c.cost || cost > c.MaxCost || len(c.entries) != c.recent.Len() {
		t.Errorf("cost %d, sum %d, limit %d; %d entries, %d listed", c.cost, cost, c.MaxCost, len(c.entries), c.recent.Len())
	}
}
