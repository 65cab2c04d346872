package concurrent

import (
	"container/list"
	"context"
	"sync"

	"github.com/citekit/citekit/internal/ctxio"
)

// A Cache holds values by key up to a total cost. Set MaxCost before use; the
// zero value keeps only values that are in use. It is safe for concurrent use.
type Cache[V any] struct {
	MaxCost int64 // in the unit the loader reports, usually bytes

	loads Group[V]

	mu      sync.Mutex
	entries map[string]*entry[V]
	recent  list.List // of *entry[V], most recent first
	cost    int64
}

type entry[V any] struct {
	key   string
	value V
	cost  int64
	elem  *list.Element
}

// Get returns the value for key, calling load if it is not in the cache.
// Callers that ask for the same key during a load wait for that load, as in
// a [Group]. A failed load is not kept, and neither is the value of an
// empty key. A load must not call Get with its own key.
func (c *Cache[V]) Get(ctx context.Context, key string, load func(context.Context) (V, int64, error)) (V, error) {
	if v, ok := c.held(key); ok {
		return v, nil
	}
	return c.loads.Do(ctx, key, func(ctx context.Context) (V, error) {
		if v, ok := c.held(key); ok { // loaded since the first look
			return v, nil
		}
		ctxio.Fresh(ctx)
		v, cost, err := load(ctx)
		if err == nil && key != "" {
			c.PutAt(key, v, max(cost, 1)) // at least 1, so that the number of entries is bounded too
		}
		return v, err
	})
}

// Peek returns the value for key if it is in the cache.
func (c *Cache[V]) Peek(key string) (V, bool) { return c.held(key) }

// Put keeps a value for key at the cost of 1, in place of any other.
func (c *Cache[V]) Put(key string, v V) { c.PutAt(key, v, 1) }

func (c *Cache[V]) held(key string) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok {
		return v, false
	}
	c.recent.MoveToFront(e.elem)
	return e.value, true
}

// PutAt is Put at a cost.
func (c *Cache[V]) PutAt(key string, v V, cost int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cost > c.MaxCost {
		return
	}
	if c.entries == nil {
		c.entries = make(map[string]*entry[V])
	}
	if e, ok := c.entries[key]; ok {
		c.drop(c.recent.Remove(e.elem).(*entry[V]))
	}
	e := &entry[V]{key: key, value: v, cost: cost}
	e.elem = c.recent.PushFront(e)
	c.entries[key] = e
	c.cost += cost
	c.evict()
}

// Clear removes all values. Loads in progress continue.
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
