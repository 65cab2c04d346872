// Package semaphore limits how many callers do something at the same time.
// Places are a channel that holds a token for each taken place. Waiting ends
// with a context. (golang.org/x/sync/semaphore is not used: the root imports
// the standard library only.)
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
