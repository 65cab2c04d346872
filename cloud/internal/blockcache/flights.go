package blockcache

import (
	"context"
	"sync"
)

// flights are things in the making that several callers wait for. The making ends when
// nobody waits any more.
type flights struct {
	mu     sync.Mutex
	flying map[string]*flight // by what is made

	working sync.WaitGroup
}

// A flight makes one thing.
type flight struct {
	key  string
	work *work
	done chan struct{} // closed when data and err are set
	data []byte
	err  error
}

// work makes the things of one or more flights, in their order.
type work struct {
	ctx     context.Context
	cancel  context.CancelFunc
	first   int // of the keys that join was given
	flights []*flight
	wanted  int // by so many callers, for each flight
}

// A maker makes things, from the first of work on, and finishes each. It returns the
// error of those that it did not finish.
type maker func(ctx context.Context, first, n int, finish func(data []byte)) error

// join returns the flights of keys, in their order. The caller waits for each, or leaves
// it. Those that are not under way begin, at most so many by one call of a maker.
func (g *flights) join(ctx context.Context, keys []string, most int, m maker) []*flight {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.flying == nil {
		g.flying = make(map[string]*flight)
	}
	var joined []*flight
	var begun []*work
	var w *work // to which the next flight may be added
	for i, key := range keys {
		f := g.flying[key]
		switch {
		case f != nil:
			w = nil
		case w == nil || len(w.flights) == most:
			w = &work{first: i}
			w.ctx, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
			begun = append(begun, w)
		}
		if f == nil {
			f = &flight{key: key, work: w, done: make(chan struct{})}
			w.flights = append(w.flights, f)
			g.flying[key] = f
		}
		f.work.wanted++
		joined = append(joined, f)
	}
	for _, w := range begun {
		g.working.Go(func() { g.run(w, m) })
	}
	return joined
}

func (g *flights) run(w *work, m maker) {
	finished, err := 0, context.Canceled
	defer w.cancel()
	defer func() { // also if m panics
		g.mu.Lock()
		defer g.mu.Unlock()
		for i, f := range w.flights {
			if i >= finished {
				f.err = err
				close(f.done)
			}
			if g.flying[f.key] == f {
				delete(g.flying, f.key)
			}
		}
	}()
	err = m(w.ctx, w.first, len(w.flights), func(data []byte) {
		f := w.flights[finished]
		f.data = data
		finished++
		close(f.done)
	})
}

// wait returns what a flight made.
func (g *flights) wait(ctx context.Context, f *flight) ([]byte, error) {
	defer g.leave(f)
	select {
	case <-f.done:
		return f.data, f.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// leave says that the caller does not wait for a flight, or no longer.
func (g *flights) leave(f *flight) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f.work.wanted--; f.work.wanted > 0 {
		return
	}
	f.work.cancel()
	for _, f := range f.work.flights {
		select {
		case <-f.done: // others may have it until it is on disk
		default:
			if g.flying[f.key] == f {
				delete(g.flying, f.key)
			}
		}
	}
}
