package concurrent

import (
	"context"
	"errors"
	"sync"

	"github.com/citekit/citekit/internal/ctxio"
)

// A Group does work once for all callers that ask with the same key while the
// work is running. The zero value is ready to use. It is safe for concurrent
// use.
type Group[V any] struct {
	mu    sync.Mutex
	calls map[string]*call[V]
}

type call[V any] struct {
	done  chan struct{} // closed when value and err are set
	value V
	err   error
}

// Do returns the result of work, or the result of another caller's work with
// the same key if that is running. Calls with an empty key share nothing.
//
// The work runs in the goroutine and with the context of the first caller,
// because it may use values of that context. It ends when that caller gives up;
// then one of the waiting callers does its own work. A waiting caller returns
// ctx.Err() when its ctx is done. The work must not call Do with its own key.
func (g *Group[V]) Do(ctx context.Context, key string, work func(context.Context) (V, error)) (V, error) {
	if key == "" {
		return work(ctx)
	}
	for {
		c, first := g.join(key)
		if first {
			return g.run(ctx, key, c, work)
		}
		ctxio.Fresh(ctx) // it did not exist before
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

// join returns the running call for key, or a new one.
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
	c.err = context.Canceled // if work panics, the waiting callers do their own
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
