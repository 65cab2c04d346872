package concurrent

import (
	"context"
	"sync"
)

// A Keyed has Places places for each key, so that callers with one key never
// wait for those with another. The zero value is ready to use once Places is
// set. It keeps every key that it was ever asked for.
type Keyed[K comparable] struct {
	Places int // for each key, at least 1; must not change after first use

	mu    sync.Mutex
	taken map[K]chan struct{} // a token for each place that is taken
}

// Acquire waits for a place of a key, or for the end of ctx. Release gives the
// place back; it may be called several times.
func (s *Keyed[K]) Acquire(ctx context.Context, key K) (release func(), err error) {
	places := s.of(key)
	if err := Acquire(ctx, places); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { <-places }), nil
}

func (s *Keyed[K]) of(key K) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	places := s.taken[key]
	if places == nil {
		if s.taken == nil {
			s.taken = make(map[K]chan struct{})
		}
		places = make(chan struct{}, s.Places)
		s.taken[key] = places
	}
	return places
}
