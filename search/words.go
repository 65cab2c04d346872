package search

import (
	"context"

	"github.com/citekit/citekit/search/internal/index"
)

// Words returns the words of a text, each with the number of entries in the
// index that have it, and the total number of entries. It does not
// bring the index up to date.
func (s *Searcher) Words(ctx context.Context, text string) (words []Word, entries int, err error) {
	counter, ok := s.index.(index.Counter)
	if !ok || s.err != nil {
		return nil, 0, s.err
	}
	return counter.Words(ctx, text)
}
