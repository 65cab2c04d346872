package ctxio_test

import (
	"context"
	"testing"

	"github.com/citekit/citekit/internal/ctxio"
)

func TestUntil(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	limited, limit := context.WithCancel(ctx)
	before, _ := ctxio.Until(ctx, limited)
	after, opened := ctxio.Until(ctx, limited)
	opened()
	limit()
	<-before.Done()
	if after.Err() != nil {
		t.Error("what was opened before the limit cannot be read after it")
	}
	end()
	<-after.Done()
}
