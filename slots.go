package citekit

import (
	"context"
	"sync"

	"github.com/citekit/citekit/internal/semaphore"
)

// A Slots limits how many pieces of work run at a time. Several libraries, or
// resolvers of several modalities, may share one. Make it with [NewSlots]. It
// is safe for concurrent use.
type Slots struct{ places chan struct{} }

// NewSlots returns a Slots that lets n pieces of work run at a time, or one if
// n is less.
func NewSlots(n int) *Slots { return &Slots{make(chan struct{}, max(n, 1))} }

// Acquire waits for a slot. If ctx is done first, it returns ctx.Err(). The
// caller must call release, which frees the slot; further calls of release do
// nothing. A nil Slots has no limit.
func (s *Slots) Acquire(ctx context.Context) (release func(), err error) {
	if s == nil {
		return func() {}, ctx.Err()
	}
	if err := semaphore.Acquire(ctx, s.places); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { <-s.places }), nil
}
