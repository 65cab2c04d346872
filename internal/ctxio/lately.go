package ctxio

import "context"

type latelyKey struct{}

// Lately returns a context in which a store far away may answer by what it was when it was
// last asked, and [Exactly] one in which it may not any more.
func Lately(ctx context.Context) context.Context { return context.WithValue(ctx, latelyKey{}, true) }

// Exactly is the opposite of [Lately].
func Exactly(ctx context.Context) context.Context { return context.WithValue(ctx, latelyKey{}, false) }

// IsLately reports whether a context is one of [Lately].
func IsLately(ctx context.Context) bool {
	is, _ := ctx.Value(latelyKey{}).(bool)
	return is
}
