package watch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/mcpcall"
)

// TestSubscriptionsOfOneCaller: the sessions of one caller together cannot take all the
// memory for subscriptions.
func TestSubscriptionsOfOneCaller(t *testing.T) {
	w := New(nil, func(string) string { return "" }, -1, nil)
	w.running = true // nothing looks
	const limit = 1 << 20
	w.memory = mcpcall.NewShares(limit, 1)
	uri := func(i int) string { return fmt.Sprintf("x://%d/%s", i, strings.Repeat("x", 10_000)) }
	follow := func(holder string) (n int, err error) {
		client := new(mcp.ServerSession)
		ctx := mcpcall.WithHolder(t.Context(), holder)
		for ; n < 10 && err == nil; n++ {
			err = w.Subscribe(ctx, client, uri(n))
		}
		return n, err
	}
	for range 10 {
		_, _ = follow("greedy")
	}
	if _, err := follow("greedy"); err == nil || !strings.Contains(err.Error(), "your sessions follow too many") || w.memory.Taken() > limit*6/10 {
		t.Errorf("one caller has %d of %d bytes: %v", w.memory.Taken(), limit, err)
	}
	if n, err := follow("calm"); err != nil {
		t.Errorf("another, after %d: %v", n, err)
	}
	for session, f := range w.follows {
		for i := range 10 {
			w.Unsubscribe(session, uri(i))
			w.Unsubscribe(session, uri(i))
		}
		if len(f.uris) != 0 || f.bytes != 0 {
			t.Errorf("left: %d, %d bytes", len(f.uris), f.bytes)
		}
	}
	if w.memory.Taken() != 0 || len(w.follows) != 0 {
		t.Errorf("left: %d bytes of %d sessions", w.memory.Taken(), len(w.follows))
	}
}
