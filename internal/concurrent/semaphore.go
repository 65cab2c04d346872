// Package concurrent is what callers share who work at the same time: one computation
// for those who want the same result ([Group]), parsed sources ([Cache]), places for a
// number of them ([Acquire], [Keyed]), and panics that end one call only ([Call]).
package concurrent

import "context"

// Acquire waits for a place and takes it; the caller receives from places to
// give it back. A caller whose context is done gets no place, even if one is
// free: a select alone would choose at random.
func Acquire(ctx context.Context, places chan struct{}) error {
	select {
	case places <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		<-places
		return err
	}
	return nil
}
