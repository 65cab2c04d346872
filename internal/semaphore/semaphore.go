// Package semaphore waits for a place in a channel that holds a token for each
// place that is taken. (golang.org/x/sync/semaphore is not used: the root
// imports the standard library only.)
package semaphore

import "context"

// Acquire waits for a place and takes it; the caller receives from places to
// give it back. A caller whose context has ended gets no place, also where one
// is free: a select alone would choose by chance.
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
