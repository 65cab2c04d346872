package transport_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

// A server that was told to stop answers until it has drained, on connections that end
// with the answer.
func TestServeDrains(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	handler := mcpadapter.NewHandler(mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), nil)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- handler.Serve(ctx, listener, &transport.ServeOptions{Drain: mcptest.Patience}) }()
	client := &http.Client{Transport: new(http.Transport)}
	defer client.CloseIdleConnections()
	call := func() (closes bool) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+listener.Addr().String()+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if body, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v", answer.Status, body, err)
		}
		return answer.Close
	}
	if call() {
		t.Error("a connection ends with an answer before the server was told to stop")
	}
	stop()
	for n := 0; !call(); n++ { // the first may be answered before it knows
		if n > 1000 {
			t.Fatal("connections last although the server was told to stop")
		}
	}
	if !call() {
		t.Error("a new connection lasts")
	}
	listener.Close() // else it goes on for minutes
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Serve: %v; want net.ErrClosed", err)
	}
}
