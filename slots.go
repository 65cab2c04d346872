package citekit

import (
	"context"
	"sync"

	"github.com/citekit/citekit/internal/semaphore"
)

// slots bound how many extractions of each modality run at a time, so that
// those of one never wait for those of another.
type slots struct {
	most int // of each modality, at least 1

	mu    sync.Mutex
	taken map[Modality]chan struct{} // holds a token for each that runs
}

// take waits for a slot. It may be released several times.
func (s *slots) take(ctx context.Context, modality Modality) (release func(), err error) {
	taken := s.of(modality)
	if err := semaphore.Acquire(ctx, taken); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { <-taken }), nil
}

func (s *slots) of(modality Modality) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.taken[modality]
	if taken == nil {
		if s.taken == nil {
			s.taken = map[Modality]chan struct{}{}
		}
		taken = make(chan struct{}, s.most)
		s.taken[modality] = taken
	}
	return taken
}
