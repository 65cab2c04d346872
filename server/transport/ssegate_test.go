package transport_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

// A notesGate counts requests that have notifications alone, and refuses them if it
// is told to.
type notesGate struct {
	notes  atomic.Int64
	refuse atomic.Bool
}

// Enter implements [transport.Gate].
func (g *notesGate) Enter(_ context.Context, calls []*transport.Call) (end func(), err error) {
	if len(calls) == 0 {
		g.notes.Add(1)
		if g.refuse.Load() {
			return nil, &transport.BusyError{RetryAfter: time.Second, Message: "too many notifications"}
		}
	}
	return func() {}, nil
}

// Ended implements [transport.Gate].
func (g *notesGate) Ended(context.Context, *transport.Call) {}

// TestHTTPSSENotifications has notifications over HTTP+SSE pass the gate.
func TestHTTPSSENotifications(t *testing.T) {
	g := new(notesGate)
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), &transport.HandlerOptions{SSE: true, Gate: g}, nil)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.SSEClientTransport{Endpoint: "http://" + s.Address + "/sse"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	progress := &mcp.ProgressNotificationParams{ProgressToken: "x"}
	if err := session.NotifyProgress(t.Context(), progress); err != nil {
		t.Fatal(err)
	}
	if n := g.notes.Load(); n != 2 { // that it is initialized, and the progress
		t.Errorf("%d notifications passed the gate, want 2", n)
	}
	g.refuse.Store(true)
	if err := session.NotifyProgress(t.Context(), progress); err == nil {
		t.Error("a notification that the gate refuses was taken")
	}
}
