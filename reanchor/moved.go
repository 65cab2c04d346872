package reanchor

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/citekit/citekit"
)

// A MovedError is the error of a stale address, with the new place of the cited content.
type MovedError struct {
	Err error
	Now *Result
}

// Error returns the text of the error without the new place.
func (e MovedError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the stale address.
func (e MovedError) Unwrap() error { return e.Err }

// confidence is rounded to two decimals.
func (e MovedError) confidence() float64 { return math.Round(e.Now.Confidence*100) / 100 }

// Sentence says where the content is now.
func (e MovedError) Sentence() string {
	if !e.Now.How.Moves() {
		return fmt.Sprintf("something similar is now at %s (confidence %.2f)", e.Now.Address, e.confidence())
	}
	return fmt.Sprintf("it is now at %s (%s, confidence %.2f)", e.Now.Address, e.Now.How, e.confidence())
}

// Hint says what to do about it.
func (e MovedError) Hint() string {
	if !e.Now.How.Moves() {
		return "The cited part has changed: read the new address, and cite it only if it still says the same."
	}
	return "The cited part is word for word at the new address: cite that."
}

// Place is the new place, for JSON.
func (e MovedError) Place() map[string]any {
	return map[string]any{"address": e.Now.Address.String(), "how": string(e.Now.How), "confidence": e.confidence()}
}

// An UnplacedError is the error of a stale address whose new place was not found in time.
type UnplacedError struct{ Err error }

// Error returns the text of the error of the stale address.
func (e UnplacedError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the stale address.
func (e UnplacedError) Unwrap() error { return e.Err }

// Unplaced says what an [UnplacedError] adds.
const Unplaced = "there was no time to find where it is now; call again"

// WithNewPlace returns err as a [MovedError] if it is about an address that pins an old
// version of its source, and the cited part is found in the current version; as an
// [UnplacedError] if the time of ctx is over before that; else err itself. A nil
// Reanchorer finds nothing. The work is bounded by the lengths of texts that are compared.
func (r *Reanchorer) WithNewPlace(ctx context.Context, err error, stale citekit.Address) error {
	if r == nil || stale.Version == "" || !errors.Is(err, citekit.ErrStale) {
		return err
	}
	now, findErr := r.Find(ctx, Request{Address: stale})
	if findErr != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return UnplacedError{err}
	}
	if findErr != nil || now.How == Unchanged || now.Address.Resource == "" {
		return err
	}
	return MovedError{err, now}
}
