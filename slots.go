package citekit

import (
	"context"
	"sync"

	"github.com/citekit/citekit/internal/semaphore"
)

// Slots bound how much of one kind of work runs at a time in all that share
// them: several libraries, or resolvers of several modalities. Make them with
// [NewSlots]. They are safe for concurrent use.
type Slots struct{ places chan struct{} }

// NewSlots returns n slots, or one if n is less.
func NewSlots(n int) *Slots { return &Slots{make(chan struct{}, max(n, 1))} }

// Acquire waits for a slot, or for the end of ctx, whose error it returns.
// Release gives the slot back; it may be called several times. A nil Slots
// has no limit.
func (s *Slots) Acquire(ctx context.Context) (release func(), err error) {
	if s == nil {
		return func() {}, ctx.Err()
	}
	if err := semaphore.Acquire(ctx, s.places); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { <-s.places }), nil
}
