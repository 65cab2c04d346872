package search

import (
	"context"

	"github.com/citekit/citekit/search/internal/index"
)

// feedbackPassages is how many of the best passages supply the words that
// expand a query.
const feedbackPassages = 10

// An expansion is an index that searches for additional words: those most
// typical of the best hits for the query.
type expansion struct {
	index.Index
	reader   *reader
	feedback []index.Feedback
	ready    bool
}

// Search implements [index.Index]. If the index is not an [index.Expander], it
// searches for the query unchanged.
func (x *expansion) Search(ctx context.Context, q index.Query) (*index.Result, error) {
	expander, ok := x.Index.(index.Expander)
	if !ok {
		return x.Index.Search(ctx, q)
	}
	if !x.ready {
		if err := x.read(ctx, q); err != nil {
			return nil, err
		}
	}
	return expander.Expand(ctx, q, x.feedback)
}

// read reads the passages that expand the query. It skips passages that have
// changed since they were indexed.
func (x *expansion) read(ctx context.Context, q index.Query) error {
	q.TopK, q.Explain = feedbackPassages, false
	best, err := x.Index.Search(ctx, q)
	if err != nil {
		return err
	}
	for i := range best.Hits {
		h := &best.Hits[i]
		text, err := x.reader.text(ctx, h)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			x.feedback = append(x.feedback, index.Feedback{Text: text, Language: h.Language, Weight: h.Score})
		}
	}
	x.ready = true
	return nil
}
