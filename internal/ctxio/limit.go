package ctxio

import (
	"context"
	"errors"
	"sync/atomic"
)

// ErrHashLimit matches the error of a hash that a limit on hashing does not allow.
// Nothing was read then.
var ErrHashLimit = errors.New("too many bytes to hash")

type hashLimitKey struct{}

// WithHashLimit returns a context under which the sources that are hashed have at
// most some bytes in total. One that would exceed them fails with [ErrHashLimit]
// before it is read; smaller ones may follow.
func WithHashLimit(ctx context.Context, bytes int64) context.Context {
	left := new(atomic.Int64)
	left.Store(bytes)
	return context.WithValue(ctx, hashLimitKey{}, left)
}

// Charge takes the size of a source that is about to be hashed from the limit of
// the context, if it has one. [Hash] does this for readers that know their size.
func Charge(ctx context.Context, size int64) error {
	left, ok := ctx.Value(hashLimitKey{}).(*atomic.Int64)
	for ok {
		now := left.Load()
		if size > now {
			return ErrHashLimit
		}
		if left.CompareAndSwap(now, now-size) {
			break
		}
	}
	return nil
}
