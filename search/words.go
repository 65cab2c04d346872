package search

import (
	"context"

	"github.com/citekit/citekit/search/index"
)

// Words returns the words of a text with how many entries of the index have
// each, and how many entries there are; no words if the index is no
// [index.Counter]. The index is asked as it is, without bringing it up to date.
func (s *Searcher) Words(ctx context.Context, text string) (words []index.Word, entries int, err error) {
	counter, ok := s.index.(index.Counter)
	if !ok {
		return nil, 0, nil
	}
	return counter.Words(ctx, text)
}
