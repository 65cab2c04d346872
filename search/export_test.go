package search

import (
	"context"
	"math"
	"time"

	"github.com/citekit/citekit/search/internal/index"
)

// WithIndex returns options of a Searcher over an index.
func WithIndex(in index.Index) *Options { return &Options{index: in} }

// SetLimits lowers the limits of a resource until the function that it returns is
// called.
func SetLimits(base int64, held int) (reset func()) {
	oldBase, oldHeld := baseWork, heldBytes
	baseWork, heldBytes = base, held
	return func() { baseWork, heldBytes = oldBase, oldHeld }
}

// Work returns the work of making the entries of a resource, without a limit.
func Work(ctx context.Context, s *Searcher, id string) (int64, error) {
	m, err := s.lib.Map(ctx, id)
	if err != nil {
		return 0, err
	}
	work := &meter{most: math.MaxInt64}
	err = makeEntries(ctx, s.layers, m, work, func(index.Entry) bool { return true })
	return work.spent, err
}

// PutOff has what could not be read tried again in a day.
func PutOff(s *Searcher) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, f := range s.failed {
		f.until = time.Now().Add(24 * time.Hour)
		s.failed[id] = f
	}
}

// LookAtSources waits for a look at whether sources have changed.
func LookAtSources(s *Searcher) error {
	c := s.startCheck(time.Now())
	<-c.done
	return c.err
}

// Excerpts returns the ranges of the excerpts of a text.
func Excerpts(text string) [][2]int { return excerpts(text) }
