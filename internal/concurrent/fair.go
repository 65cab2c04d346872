package concurrent

import (
	"context"
	"slices"
	"sync"
)

// A Fair limits how many pieces of work of several kinds run at a time, so that
// those of one kind do not take all places: one that has a place leaves a place to
// each of the Kinds that has none, but never more than half of all. Work of the
// zero kind leaves none. It is ready to use once its fields are set.
type Fair[K comparable] struct {
	Places int // at least 1; must not change after first use
	Kinds  []K // those that a place is left to

	mu      sync.Mutex
	taken   int
	held    map[K]int
	waiting []*waiter[K] // in the order in which they came
}

// A waiter is a piece of work that waits for a place.
type waiter[K comparable] struct {
	kind     K
	admitted chan struct{} // closed once it has one
}

// Acquire waits for a place for work of a kind, or for the end of ctx. Release gives
// the place back; it may be called several times.
func (s *Fair[K]) Acquire(ctx context.Context, kind K) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return func() {}, err
	}
	w := &waiter[K]{kind, make(chan struct{})}
	s.mu.Lock()
	s.waiting = append(s.waiting, w)
	s.admit()
	s.mu.Unlock()
	select {
	case <-w.admitted:
		return sync.OnceFunc(func() { s.leave(w) }), nil
	case <-ctx.Done():
		s.leave(w)
		return nil, ctx.Err()
	}
}

// leave frees the place of w, or ends its waiting.
func (s *Fair[K]) leave(w *waiter[K]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, w); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	} else {
		s.taken--
		s.held[w.kind]--
	}
	s.admit()
}

// admit gives places to those who wait and may have one. The caller holds s.mu.
func (s *Fair[K]) admit() {
	if s.taken >= s.Places {
		return
	}
	if s.held == nil {
		s.held = make(map[K]int)
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(w *waiter[K]) bool {
		if s.Places-s.taken <= s.leaves(w.kind) {
			return false
		}
		s.taken++
		s.held[w.kind]++
		close(w.admitted)
		return true
	})
}

// leaves returns how many free places a kind leaves to others.
func (s *Fair[K]) leaves(kind K) (n int) {
	var other K
	if kind == other || s.held[kind] == 0 {
		return 0
	}
	for _, other = range s.Kinds {
		if s.held[other] == 0 {
			n++
		}
	}
	return min(n, s.Places/2)
}
