package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

// wholeStructure asks for all of a map.
var wholeStructure = &mcp.CallToolParams{Name: "getStructure", Arguments: map[string]any{"resource_id": "big", "full": true}}

// TestHTTPLongAnswers compares long answers over HTTP, which go past the SDK's
// encoder, with those that the SDK encodes.
func TestHTTPLongAnswers(t *testing.T) {
	server := mcpadapter.NewServer(mcptest.NewLibrary(t, mcptest.NewSlowResolver(), map[string]string{"big": mcptest.BigMap("big", 500)}), nil)
	s := mcptest.ServeHTTP(t, server, &transport.HandlerOptions{SSE: true}, nil)
	stateless := mcptest.ServeHTTP(t, server, &transport.HandlerOptions{Stateless: true}, nil)
	plain := mcptest.Connect(t, server, nil)
	resource := &mcp.ReadResourceParams{URI: "citekit://maps/big"}
	wantTool, err := plain.CallTool(t.Context(), wholeStructure)
	if err != nil {
		t.Fatal(err)
	}
	wantResource, err := plain.ReadResource(t.Context(), resource)
	if err != nil || len(wantResource.Contents[0].Text) < 125_000 {
		t.Fatalf("%v, %d bytes", err, len(wantResource.Contents[0].Text))
	}
	for name, transport := range map[string]mcp.Transport{
		"sessions":    &mcp.StreamableClientTransport{Endpoint: "http://" + s.Address + "/mcp"},
		"no sessions": &mcp.StreamableClientTransport{Endpoint: "http://" + stateless.Address + "/mcp"},
		"SSE":         &mcp.SSEClientTransport{Endpoint: "http://" + s.Address + "/sse"},
	} {
		t.Run(name, func(t *testing.T) {
			session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			rounds := 1
			if sharedtest.Long() {
				rounds = 3
			}
			for range rounds {
				tool, err := session.CallTool(t.Context(), wholeStructure)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(jsonOf(t, wantTool, wantTool.StructuredContent, wantTool.Content), jsonOf(t, tool, tool.StructuredContent, tool.Content)); diff != "" {
					t.Errorf("getStructure (-want +got):\n%.1000s", diff)
				}
				read, err := session.ReadResource(t.Context(), resource)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(jsonOf(t, wantResource, wantResource.Contents), jsonOf(t, read, read.Contents)); diff != "" {
					t.Errorf("resources/read (-want +got):\n%.1000s", diff)
				}
			}
		})
	}
}

// jsonOf returns parts of a result as JSON.
func jsonOf(t *testing.T, result mcp.Result, parts ...any) string {
	t.Helper()
	if meta := result.GetMeta(); meta["requestId"] == nil || meta["timing"] == nil {
		t.Errorf("_meta is %v", meta)
	}
	data, err := json.Marshal(parts)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestHTTPUnreadAnswers has more long answers that nobody reads than there is
// memory for: the first are dropped, and who reads gets all.
func TestHTTPUnreadAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.NewLibrary(t, mcptest.NewSlowResolver(), map[string]string{"big": mcptest.BigMap("big", 10_000)}), nil), nil, nil)
	memory := 48 << 20
	if !sharedtest.Long() {
		memory = 8 << 20
		s.Handler.SetAnswerMemory(int64(memory))
	}
	message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"getStructure","arguments":{"resource_id":"big","full":true},` + mcptest.ModernMeta + `}}`
	ask := func() net.Conn {
		conn, err := net.Dial("tcp", s.Address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		if err := conn.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
			"Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: getStructure\r\nContent-Length: %d\r\n\r\n%s", s.Address, len(message), message)
		if _, err := conn.Read(make([]byte, 1)); err != nil { // the answer is being written
			t.Fatal(err)
		}
		return conn
	}
	status, _, want := s.Modern("tools/call", "getStructure").Send("POST", "/mcp", message)
	if status != 200 || !strings.Contains(want, `"resultType":"complete"`) || !strings.Contains(want, `"timing":`) {
		t.Fatalf("%d %.300s", status, want)
	}
	first := ask()
	for range memory/(len(want)/3) + 2 { // an answer is held once, and sent twice, once escaped
		ask()
	}
	rest, err := io.ReadAll(first)
	if len(rest) > len(want)*9/10 || bytes.HasSuffix(rest, []byte("0\r\n\r\n")) {
		t.Errorf("the first was written to its end: %d bytes of %d, %v", len(rest), len(want), err)
	}
	if status, _, got := s.Modern("tools/call", "getStructure").Send("POST", "/mcp", message); status != 200 || len(got) < len(want)-100 || !strings.HasSuffix(got, "\n\n") {
		t.Errorf("one that reads: %d, %d bytes of %d", status, len(got), len(want))
	}
}

// TestHTTPLongAnswerToLongID has calls whose ids are longer than short answers.
func TestHTTPLongAnswerToLongID(t *testing.T) {
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.NewLibrary(t, mcptest.NewSlowResolver(), map[string]string{"big": mcptest.BigMap("big", 2000)}), nil), nil, nil)
	id := strings.Repeat("a", 20_000)
	_, _, body := s.As().Initialize("2025-11-25").Send("POST", "/mcp",
		`{"jsonrpc":"2.0","id":"`+id+`","method":"tools/call","params":{"name":"getStructure","arguments":{"resource_id":"big","full":true}}}`)
	if len(body) < 500_000 || !strings.Contains(body, `"id":"`+id+`"`) || !strings.Contains(body, `"structuredContent":{"resource_id":"big"`) {
		t.Errorf("%d bytes that end with %s", len(body), body[max(0, len(body)-100):])
	}
}

// TestHTTPCallerEnds ends the context of callers while they read a long answer or a
// stream: they get nothing more of it.
func TestHTTPCallerEnds(t *testing.T) {
	lib := mcptest.NewLibrary(t, mcptest.NewSlowResolver(), map[string]string{"big": mcptest.BigMap("big", 10_000)})
	authenticated := make(chan context.CancelFunc, 1)
	ended := make(chan struct{})
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(lib, nil), &transport.HandlerOptions{SSE: true, Authenticate: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "" {
				next.ServeHTTP(w, r)
				return
			}
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			authenticated <- cancel
			next.ServeHTTP(w, r.WithContext(ctx))
			ended <- struct{}{}
		})
	}}, nil)
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"getStructure","arguments":{"resource_id":"big","full":true},` + mcptest.ModernMeta + `}}`
	listen := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true},` + mcptest.ModernMeta + `}}`
	session := s.As().Initialize("2025-11-25").Header.Get("Mcp-Session-Id")
	for name, request := range map[string]string{
		"answer": fmt.Sprintf("POST /mcp HTTP/1.1\r\nMcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: getStructure\r\nContent-Length: %d\r\n", len(call)),
		"listen": fmt.Sprintf("POST /mcp HTTP/1.1\r\nMcp-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\nContent-Length: %d\r\n", len(listen)),
		"stream": "GET /mcp HTTP/1.1\r\nMcp-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: " + session + "\r\n",
		"SSE":    "GET /sse HTTP/1.1\r\n",
	} {
		conn := dial(s)
		if err := conn.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
			t.Fatal(err)
		}
		body := map[string]string{"answer": call, "listen": listen}[name]
		fmt.Fprintf(conn, "%sHost: %s\r\nAuthorization: Bearer me\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\r\n%s", request, s.Address, body)
		if _, err := conn.Read(make([]byte, 1)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		(<-authenticated)()
		<-ended
		rest, err := io.ReadAll(conn)
		if errors.Is(err, os.ErrDeadlineExceeded) || bytes.HasSuffix(rest, []byte("0\r\n\r\n")) {
			t.Errorf("%s: %d bytes that look whole, %v", name, len(rest), err)
		}
	}
	s.As().Initialize("2025-11-25")
}
