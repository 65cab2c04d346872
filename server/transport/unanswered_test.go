package transport_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

// beginSSE begins a session of HTTP+SSE, and returns its stream and where messages
// go.
func beginSSE(c mcptest.Client) (stream *bufio.Scanner, endpoint string) {
	c.T.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c.T.Cleanup(cancel)
	answer, err := c.Request(ctx, "GET", "/sse", "")
	if err != nil {
		c.T.Fatal(err)
	}
	c.T.Cleanup(func() { answer.Body.Close() })
	stream = bufio.NewScanner(answer.Body)
	endpoint = nextData(c.T, stream)
	if status, _, body := c.Send("POST", endpoint, fmt.Sprintf(mcptest.InitializeMessage, "2024-11-05")); status != 202 {
		c.T.Fatalf("initialize: %d %s", status, body)
	}
	nextData(c.T, stream)
	c.Send("POST", endpoint, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return stream, endpoint
}

// nextData returns the data of the next event of a stream.
func nextData(t testing.TB, stream *bufio.Scanner) string {
	t.Helper()
	for stream.Scan() {
		if data, ok := strings.CutPrefix(stream.Text(), "data: "); ok {
			return data
		}
	}
	t.Fatalf("the stream ended: %v", stream.Err())
	return ""
}

// waitingCall is a call with an id, of a node, and with more in its parameters.
const waitingCall = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"resolve","arguments":{"resource_id":"slow","node_id":"%s"}%s}}`

// TestHTTPSSEUnanswered makes calls over HTTP+SSE until there is no room for more,
// by their number and by what they were asked with, and once they are answered
// there is.
func TestHTTPSSEUnanswered(t *testing.T) {
	sharedtest.NotShort(t)
	for name, test := range map[string]struct{ most, padding int }{
		"number": {most: 100},
		"bytes":  {most: 3, padding: 3 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			slow := mcptest.NewSlowResolver()
			s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.NewLibrary(t, slow, map[string]string{"slow": mcptest.SlowMap}), nil), &transport.HandlerOptions{SSE: true}, nil)
			stream, endpoint := beginSSE(s.As())
			post := func(id int) (int, string) {
				status, _, body := s.As().Send("POST", endpoint, fmt.Sprintf(waitingCall, id, "short", strings.Repeat(" ", test.padding)))
				return status, body
			}
			for i := range test.most {
				if status, body := post(i); status != 202 {
					t.Fatalf("call %d: %d %s", i, status, body)
				}
			}
			if status, body := post(test.most); status != 503 || !strings.Contains(body, "not answered") {
				t.Errorf("one more: %d %s", status, body)
			}
			if status, _, _ := beginAnother(s.As(), t); status != 202 {
				t.Errorf("another session: %d", status)
			}
			slow.Released <- struct{}{} // the calls are of the same evidence, which is made once
			for range test.most {
				if got := nextData(t, stream); !strings.Contains(got, `"result":`) {
					t.Error(got)
				}
			}
			for status := 0; status != 202; { // the last answer is written before it counts
				status, _ = post(1000)
			}
		})
	}
}

// TestHTTPSSEStops stops a server while a call over HTTP+SSE runs: its answer is
// written before the stream ends, and a stream without calls ends too.
func TestHTTPSSEStops(t *testing.T) {
	slow := mcptest.NewSlowResolver()
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.NewLibrary(t, slow, map[string]string{"slow": mcptest.SlowMap}), nil), &transport.HandlerOptions{SSE: true}, &transport.ServeOptions{Grace: mcptest.Patience})
	stream, endpoint := beginSSE(s.As())
	beginSSE(s.As())
	if status, _, body := s.As().Send("POST", endpoint, fmt.Sprintf(waitingCall, 7, "short", "")); status != 202 {
		t.Fatalf("%d %s", status, body)
	}
	<-slow.Started
	s.Stop()
	slow.Released <- struct{}{}
	if got := nextData(t, stream); !strings.Contains(got, `"id":7`) || !strings.Contains(got, `"result":`) {
		t.Error(got)
	}
	for stream.Scan() {
	}
	if err := s.Ended(); err != nil {
		t.Error(err)
	}
}

// beginAnother makes a call in a session of its own.
func beginAnother(c mcptest.Client, t *testing.T) (int, http.Header, string) {
	t.Helper()
	_, endpoint := beginSSE(c)
	return c.Send("POST", endpoint, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
}

// TestHTTPSSEIDInUse makes a call with the id of one that is not answered, and with
// the id of one that is.
func TestHTTPSSEIDInUse(t *testing.T) {
	for _, id := range []string{`7`, `"7 < 8"`} {
		t.Run(id, func(t *testing.T) {
			slow := mcptest.NewSlowResolver()
			s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.NewLibrary(t, slow, map[string]string{"slow": mcptest.SlowMap}), nil), &transport.HandlerOptions{SSE: true}, nil)
			stream, endpoint := beginSSE(s.As())
			call := strings.Replace(fmt.Sprintf(waitingCall, 0, "short", ""), `"id":0`, `"id":`+id, 1)
			list := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/list"}`, id)
			if status, _, body := s.As().Send("POST", endpoint, call); status != 202 {
				t.Fatalf("%d %s", status, body)
			}
			for range 200 { // a refused call owes no answer
				if status, _, body := s.As().Send("POST", endpoint, list); status != 400 || !strings.Contains(body, "in use by a call in flight") || !strings.Contains(body, "-32600") {
					t.Fatalf("again: %d %s", status, body)
				}
			}
			slow.Released <- struct{}{}
			for range 3 {
				if got := nextData(t, stream); !strings.Contains(got, `"result":`) {
					t.Error(got)
				}
				if status, _, body := s.As().Send("POST", endpoint, list); status != 202 {
					t.Fatalf("once it is answered: %d %s", status, body)
				}
			}
			nextData(t, stream)
		})
	}
}

// TestHTTPSSEUsers sends messages to the session of another user.
func TestHTTPSSEUsers(t *testing.T) {
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), &transport.HandlerOptions{SSE: true, Authenticate: authenticate}, nil)
	alice := s.As("Authorization", "Bearer alice")
	stream, endpoint := beginSSE(alice)
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	if status, _, body := s.As("Authorization", "Bearer bob").Send("POST", endpoint, list); status != 404 {
		t.Errorf("another user: %d %s", status, body)
	}
	if status, _, body := alice.Send("POST", endpoint, strings.Replace(list, "2,", "3,", 1)); status != 202 {
		t.Errorf("its user: %d %s", status, body)
	}
	if got := nextData(t, stream); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":3,"result":`) {
		t.Errorf("%.200s", got)
	}
}

// TestHTTPAbandonedCall leaves a long call of a session before it is answered: no
// other long one is taken until it is cancelled.
func TestHTTPAbandonedCall(t *testing.T) {
	sharedtest.NotShort(t)
	slow := mcptest.NewSlowResolver()
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.NewLibrary(t, slow, map[string]string{"slow": mcptest.SlowMap}), nil), &transport.HandlerOptions{MaxBodyBytes: 16 << 20}, nil)
	session := s.As().Initialize("2025-11-25")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if answer, err := session.Request(ctx, "POST", "/mcp", fmt.Sprintf(waitingCall, 7, "wait", strings.Repeat(" ", 9<<20))); err == nil {
			answer.Body.Close()
		}
	}()
	<-slow.Started
	cancel()
	<-ended
	long := `{"jsonrpc":"2.0","id":8,"method":"ping"}` + strings.Repeat(" ", 20_000)
	for status := 0; status != 503; { // the server learns later that the client is gone
		var body string
		if status, _, body = session.Send("POST", "/mcp", long); status != 200 && status != 503 {
			t.Fatalf("%d %s", status, body)
		}
	}
	if status, _, body := s.As().Initialize("2025-11-25").Send("POST", "/mcp", long); status != 200 {
		t.Errorf("another session: %d %s", status, body)
	}
	if status, _, body := session.Send("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`); status != 202 {
		t.Errorf("cancel: %d %s", status, body)
	}
	for status := 0; status != 200; {
		status, _, _ = session.Send("POST", "/mcp", long)
	}
}
