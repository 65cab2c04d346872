package ctxio

import "context"

// Until returns a context for opening something that is read later: it ends with ctx and,
// until opened is called, with limited too.
func Until(ctx, limited context.Context) (opening context.Context, opened func()) {
	opening, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(limited, cancel)
	return opening, func() { stop() }
}
