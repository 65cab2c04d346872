// Package warm keeps parsed sources in memory: a least-recently-used cache
// bounded by cost, in which concurrent callers wait for one load.
package warm

import (
	"container/list"
	"context"
	"errors"
	"sync"
)

// A Cache holds values by key up to a total cost. Set MaxCost before use; the
// zero value keeps only what is in use. It is safe for concurrent use.
type Cache[V any] struct {
	MaxCost int64 // in the unit the loader reports, usually bytes

	mu      sync.Mutex
	entries map[string]*entry[V]
	recent  list.List // of *entry[V], most recent first; loaded ones only
	cost    int64
}

type entry[V any] struct {
	key   string
	done  chan struct{} // closed when value, cost and err are set
	value V
	cost  int64
	err   error
	elem  *list.Element
}

// Get returns the value for key, calling load if it is not held. Callers that
// ask for the same key while it is being loaded wait for that load. A failed
// load is not kept; if it failed because its own caller gave up, a waiting
// caller loads again. An empty key is never kept. A load must not Get its own
// key.
func (c *Cache[V]) Get(ctx context.Context, key string, load func(context.Context) (V, int64, error)) (V, error) {
	if key == "" {
		v, _, err := load(ctx)
		return v, err
	}
	for {
		c.mu.Lock()
		e, ok := c.entries[key]
		if !ok {
			e = &entry[V]{key: key, done: make(chan struct{})}
			if c.entries == nil {
				c.entries = make(map[string]*entry[V])
			}
			c.entries[key] = e
			c.mu.Unlock()
			return c.load(ctx, e, load)
		}
		if e.elem != nil {
			c.recent.MoveToFront(e.elem)
			c.mu.Unlock()
			return e.value, nil
		}
		c.mu.Unlock()
		select {
		case <-ctx.Done():
			var zero V
			return zero, ctx.Err()
		case <-e.done:
		}
		if e.err == nil {
			return e.value, nil
		}
		if !gaveUp(e.err) {
			return e.value, e.err
		}
	}
}

func (c *Cache[V]) load(ctx context.Context, e *entry[V], load func(context.Context) (V, int64, error)) (V, error) {
	finished := false
	defer func() {
		if !finished { // load panicked: do not leave waiters behind
			e.err = context.Canceled
		}
		c.mu.Lock()
		if e.err != nil || e.cost > c.MaxCost {
			delete(c.entries, e.key)
		} else {
			e.elem = c.recent.PushFront(e)
			c.cost += e.cost
			c.evict()
		}
		c.mu.Unlock()
		close(e.done)
	}()
	e.value, e.cost, e.err = load(ctx)
	e.cost = max(e.cost, 1) // so that the number of entries is bounded too
	finished = true
	return e.value, e.err
}

// Clear drops what is kept. What is being loaded is not.
func (c *Cache[V]) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for e := c.recent.Front(); e != nil; e = c.recent.Front() {
		c.drop(c.recent.Remove(e).(*entry[V]))
	}
}

func (c *Cache[V]) drop(e *entry[V]) {
	delete(c.entries, e.key)
	c.cost -= e.cost
}

func (c *Cache[V]) evict() {
	for c.cost > c.MaxCost {
		c.drop(c.recent.Remove(c.recent.Back()).(*entry[V]))
	}
}

func gaveUp(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
