// Package flight lets callers that want the same thing at the same time wait
// for the one that makes it.
package flight

import (
	"context"
	"errors"
	"sync"

	"github.com/citekit/citekit/internal/timing"
)

// A Group does work once for all callers that ask with the same key while it
// is under way. The zero value is ready to use. It is safe for concurrent use.
type Group[V any] struct {
	mu    sync.Mutex
	calls map[string]*call[V]
}

type call[V any] struct {
	done  chan struct{} // closed when value and err are set
	value V
	err   error
}

// Do returns what work returns, or what that of another caller with the same
// key returns, if one is under way. An empty key is that of no other caller.
//
// The work is done in the goroutine and with the context of the first caller,
// as it may read what belongs to that: it ends when its caller gives up, and
// then one of those who wait does its own. Who waits leaves with ctx.Err() when
// ctx is done. Work must not Do its own key.
func (g *Group[V]) Do(ctx context.Context, key string, work func(context.Context) (V, error)) (V, error) {
	if key == "" {
		return work(ctx)
	}
	for {
		c, first := g.join(key)
		if first {
			return g.run(ctx, key, c, work)
		}
		timing.Fresh(ctx) // it was not there before
		select {
		case <-ctx.Done():
			var zero V
			return zero, ctx.Err()
		case <-c.done:
		}
		if !gaveUp(c.err) {
			return c.value, c.err
		}
	}
}

// join returns the call that is under way for key, or a new one.
func (g *Group[V]) join(key string) (c *call[V], first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c, ok := g.calls[key]; ok {
		return c, false
	}
	if g.calls == nil {
		g.calls = make(map[string]*call[V])
	}
	c = &call[V]{done: make(chan struct{})}
	g.calls[key] = c
	return c, true
}

func (g *Group[V]) run(ctx context.Context, key string, c *call[V], work func(context.Context) (V, error)) (V, error) {
	c.err = context.Canceled // if work panics, those who wait do their own
	defer func() {
		g.mu.Lock()
		delete(g.calls, key)
		g.mu.Unlock()
		close(c.done)
	}()
	c.value, c.err = work(ctx)
	return c.value, c.err
}

func gaveUp(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
