package mcpadapter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/reanchor"
)

// A movedError is the error of a stale address, with the new place of the cited
// content.
type movedError struct {
	error
	now *reanchor.Result
}

func (e movedError) Unwrap() error { return e.error }

// An unplacedError is the error of a stale address whose new place was not found
// in time.
type unplacedError struct{ error }

func (e unplacedError) Unwrap() error { return e.error }

// unplaced says so in an answer.
const unplaced = "there was no time to find where it is now; call again"

// sayWhereNow adds the new place to err, if err is about an address that pins an
// old version of its source, and the cited part is found in the current version.
// The work is bounded by the lengths of texts that package reanchor compares; the
// time, as that of a call, is for storage that hangs.
func (a *adapter) sayWhereNow(ctx context.Context, err error) error {
	var failed *citekit.ResolveError
	if !errors.As(err, &failed) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	return a.withNewPlace(ctx, err, failed.Address)
}

func (a *adapter) withNewPlace(ctx context.Context, err error, stale citekit.Address) error {
	if a.opts.Reanchorer == nil || stale.Version == "" || !errors.Is(err, citekit.ErrStale) {
		return err
	}
	now, findErr := a.opts.Reanchorer.Find(ctx, reanchor.Request{Address: stale})
	if findErr != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return unplacedError{err}
	}
	if findErr != nil || now.How == reanchor.Unchanged || now.Address.Resource == "" {
		return err
	}
	return movedError{err, now}
}

// sayWhereItemsAre adds the new places to the errors of the items, and returns
// the answer. It leaves the places out if the answer would have too many tokens.
func (a *adapter) sayWhereItemsAre(ctx context.Context, read *contents.Contents, most int) ([]byte, error) {
	before := make([]error, len(read.Items))
	for i, item := range read.Items {
		if item.Err != nil {
			before[i] = item.Err
			item.Err = readable{a.advise(ctx, a.withNewPlace(ctx, item.Err, item.Address))}
		}
	}
	read.Late = read.Late || ctx.Err() != nil
	data, err := read.MarshalJSON()
	if err != nil || plain.CountTokens(string(data)) <= cmp.Or(most, contents.DefaultTokens) {
		return data, err
	}
	for i, item := range read.Items {
		if item.Err != nil {
			item.Err = readable{before[i]}
		}
	}
	return read.MarshalJSON()
}

// confidence is rounded to two decimals.
func (e movedError) confidence() float64 { return math.Round(e.now.Confidence*100) / 100 }

func (e movedError) sentence() string {
	if !e.now.How.Moves() {
		return fmt.Sprintf("something similar is now at %s (confidence %.2f)", e.now.Address, e.confidence())
	}
	return fmt.Sprintf("it is now at %s (%s, confidence %.2f)", e.now.Address, e.now.How, e.confidence())
}

// place is the new place in the metadata of the answer.
func (e movedError) place() map[string]any {
	return map[string]any{"address": e.now.Address.String(), "how": string(e.now.How), "confidence": e.confidence()}
}

func (e movedError) hint() string {
	if !e.now.How.Moves() {
		return "The cited part has changed: read the new address, and cite it only if it still says the same."
	}
	return "The cited part is word for word at the new address: cite that."
}
