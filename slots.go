package citekit

import (
	"context"
	"slices"
	"sync"
)

// A Slots limits how many pieces of work run at a time. Several libraries, or
// resolvers of several modalities, may share one. Make it with [NewSlots]. It
// is safe for concurrent use.
//
// Extractions of one modality do not take all slots: one that has a slot leaves
// a slot to each of the others that has none, but never more than half of all.
type Slots struct {
	n int

	mu      sync.Mutex
	taken   int
	held    map[Modality]int // "" is all other work
	waiting []*waiter        // in the order in which they came
}

// A waiter is a piece of work that waits for a slot.
type waiter struct {
	modality Modality
	admitted chan struct{} // closed once it has one
}

// extracted are the modalities that a slot is left to.
var extracted = []Modality{Document, Video, Audio, Image, Text}

// NewSlots returns a Slots that lets n pieces of work run at a time, or one if
// n is less.
func NewSlots(n int) *Slots { return &Slots{n: max(n, 1), held: make(map[Modality]int)} }

// Acquire waits for a slot. If ctx is done first, it returns ctx.Err(). The
// caller must call release, which frees the slot; further calls of release do
// nothing. A nil Slots has no limit.
func (s *Slots) Acquire(ctx context.Context) (release func(), err error) { return s.acquire(ctx, "") }

// acquire is Acquire for an extraction of a modality.
func (s *Slots) acquire(ctx context.Context, m Modality) (release func(), err error) {
	if err := ctx.Err(); s == nil || err != nil {
		return func() {}, err
	}
	w := &waiter{m, make(chan struct{})}
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

// leave frees the slot of w, or ends its waiting.
func (s *Slots) leave(w *waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, w); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	} else {
		s.taken--
		s.held[w.modality]--
	}
	s.admit()
}

// admit gives slots to those who wait and may have one. The caller holds s.mu.
func (s *Slots) admit() {
	if s.taken >= s.n {
		return
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(w *waiter) bool {
		if s.n-s.taken <= s.leaves(w.modality) {
			return false
		}
		s.taken++
		s.held[w.modality]++
		close(w.admitted)
		return true
	})
}

// leaves returns how many free slots m leaves to other modalities.
func (s *Slots) leaves(m Modality) (n int) {
	if m == "" || s.held[m] == 0 {
		return 0
	}
	for _, other := range extracted {
		if s.held[other] == 0 {
			n++
		}
	}
	return min(n, s.n/2)
}
