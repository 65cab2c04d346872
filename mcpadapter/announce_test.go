package mcpadapter_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

// An announcingResolver says what goes on before it resolves.
type announcingResolver struct{ mcptest.SlowResolver }

func (r announcingResolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	mcpcall.Announce(ctx, "warming\x1b up")
	mcpcall.Announce(ctx, "still")
	return r.SlowResolver.Resolve(ctx, src, req)
}

// TestAnnounce checks that what a resolver announces reaches the client of the
// call, with progress that rises.
func TestAnnounce(t *testing.T) {
	mcpcall.Announce(t.Context(), "to nobody")
	slow := mcptest.NewSlowResolver()
	slow.Released <- struct{}{}
	lib := mcptest.NewLibrary(t, announcingResolver{slow}, map[string]string{"slow": mcptest.SlowMap})
	w := mcptest.Serve(t, mcpadapter.NewServer(lib, &mcpadapter.Options{Heartbeat: time.Hour}), transport.StreamTransport{}).Start()
	w.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"p"},"name":"resolve","arguments":{"resource_id":"slow","node_id":"short"}}}`)
	var said []string
	last := -1.0
	for len(said) < 4 {
		var message struct {
			Params struct {
				Progress float64
				Message  string
			}
		}
		if err := json.Unmarshal([]byte(w.Next()), &message); err != nil {
			t.Fatal(err)
		}
		p := message.Params
		if p.Progress <= last || p.Message == "" {
			t.Fatalf("after progress %v: %+v", last, p)
		}
		last = p.Progress
		said = append(said, p.Message)
	}
	if got := strings.Join(said, "|"); got != `resolving|warming\u001B up|still|done` {
		t.Errorf("heard %q", got)
	}
}
