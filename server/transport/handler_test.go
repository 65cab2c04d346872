package transport_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

// listResources lists by the version without sessions.
func listResources(s *mcptest.HTTPServer) {
	s.T.Helper()
	status, _, body := s.Modern("tools/call", "listResources").Send("POST", "/mcp",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"listResources","arguments":{},`+mcptest.ModernMeta+`}}`)
	if status != 200 || !strings.Contains(body, `poem`) {
		s.T.Errorf("listResources: %d %s", status, body)
	}
}

func TestHTTPVersions(t *testing.T) {
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), nil, nil)
	listResources(s)
	for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		session := s.As().Initialize(version)
		status, _, body := session.Send("POST", "/mcp", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"listResources","arguments":{}}}`)
		if status != 200 || !strings.Contains(body, "poem") {
			t.Errorf("%s: %d %s", version, status, body)
		}
		if status, _, _ := session.Send("DELETE", "/mcp", ""); status != 204 {
			t.Errorf("%s: DELETE: %d", version, status)
		}
		if status := session.Ping(); status != 404 {
			t.Errorf("%s: ping of a session that ended: %d", version, status)
		}
	}
	for _, version := range []string{"zzzz", "2099-01-01", "2026-07-29", "1999-01-01", "", " ", "2025-06-18, 2025-06-18"} {
		status, header, body := s.As("Mcp-Protocol-Version", version).Send("POST", "/mcp", `{"jsonrpc":"2.0","id":"a","method":"ping"}`)
		var answer struct {
			ID    any
			Error struct {
				Code    int
				Message string
				Data    struct{ Supported []string }
			}
		}
		if err := json.Unmarshal([]byte(body), &answer); err != nil || status != 400 || header.Get("Content-Type") != "application/json" || answer.ID != "a" ||
			answer.Error.Code != -32022 || !strings.Contains(answer.Error.Message, "2026-07-28, 2025-11-25") || len(answer.Error.Data.Supported) != 5 {
			t.Errorf("version %q: %d %s", version, status, body)
		}
		if status, _, body := s.As("Mcp-Protocol-Version", version).Send("GET", "/mcp", ""); status != 400 || !strings.Contains(body, "2025-06-18") {
			t.Errorf("GET of version %q: %d %s", version, status, body)
		}
	}
	if status, _, _ := s.As().Send("POST", "/other", mcptest.Ping); status != 404 {
		t.Errorf("another path: %d", status)
	}
}

// The client of the SDK agrees on a version by itself.
func TestHTTPClient(t *testing.T) {
	for _, stateless := range []bool{false, true} {
		s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), &transport.HandlerOptions{Stateless: stateless}, nil)
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
			&mcp.StreamableClientTransport{Endpoint: "http://" + s.Address + "/mcp"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := mcptest.CallTool(t, session, "getNode", map[string]any{"resource_id": "poem", "node_id": "first"}); !strings.Contains(got, "First half") {
			t.Error(got)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The client of the SDK whose session was begun at another server learns that it is gone,
// and begins anew; with the latest version it notices nothing.
func TestHTTPClientMoves(t *testing.T) {
	lib := mcptest.StandardLibrary(t)
	one := mcptest.ServeHTTP(t, mcpadapter.NewServer(lib, nil), nil, nil)
	other := mcptest.ServeHTTP(t, mcpadapter.NewServer(lib, nil), nil, nil)
	for _, version := range []string{"2025-06-18", ""} {
		to := new(proxy)
		to.address.Store(&one.Address)
		connect := func() *mcp.ClientSession {
			session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
				Endpoint: "http://" + one.Address + "/mcp", HTTPClient: &http.Client{Transport: to}, DisableStandaloneSSE: true,
			}, &mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { session.Close() })
			return session
		}
		session := connect()
		to.address.Store(&other.Address)
		_, err := session.ListTools(t.Context(), nil)
		if old := version != ""; old != (err != nil && strings.Contains(err.Error(), mcp.ErrSessionMissing.Error())) || !old && err != nil {
			t.Errorf("version %q: %v", version, err)
		}
		if _, err := connect().ListTools(t.Context(), nil); err != nil {
			t.Error(err)
		}
	}
}

// A proxy sends all requests to one address.
type proxy struct{ address atomic.Pointer[string] }

func (p *proxy) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host, r.Host = *p.address.Load(), *p.address.Load()
	return http.DefaultTransport.RoundTrip(r)
}

func TestHTTPStateless(t *testing.T) {
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), &transport.HandlerOptions{Stateless: true}, nil)
	listResources(s)
	for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26"} {
		old := s.As("Mcp-Protocol-Version", version)
		status, header, body := old.Send("POST", "/mcp", fmt.Sprintf(mcptest.InitializeMessage, version))
		if status != 200 || header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: %d %v %s", version, status, header, body)
		}
		if status := old.Ping(); status != 200 {
			t.Errorf("%s: ping: %d", version, status)
		}
		if status, _, _ := old.Send("GET", "/mcp", ""); status != 405 {
			t.Errorf("%s: GET: %d", version, status)
		}
	}
}

// TestHTTPBadBodies sends invalid messages, and then a ping.
func TestHTTPBadBodies(t *testing.T) {
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), &transport.HandlerOptions{MaxBodyBytes: 100_000}, nil)
	session := s.As().Initialize("2025-06-18")
	deep := strings.Repeat("[", 50_000)
	bodies := map[string]string{
		"empty": "", "text": "hello", "zero": "\x00", "cut off": `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"na`,
		"deep": deep, "deep and closed": `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + deep[:5000] + strings.Repeat("]", 5000) + "}",
		"number": "42", "null": "null", "other": `{"id":3}`, "version": `{"jsonrpc":"1.0","id":3,"method":"ping"}`,
		"batch": "[" + mcptest.Ping + "]", "empty batch": "[]", "not UTF-8": "\xff\xfe{}",
		"method": `{"jsonrpc":"2.0","id":3,"method":"nothing/such"}`,
	}
	for name, body := range bodies {
		for kind, c := range map[string]mcptest.Client{"session": session, "none": s.As(), "modern": s.Modern("ping", "")} {
			if status, _, got := c.Send("POST", "/mcp", body); status < 400 && !(kind == "none" && name == "batch" || kind == "session" && name == "method") || status >= 500 {
				t.Errorf("%s, %s: %d %s", name, kind, status, got)
			}
		}
	}
	large := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":"` + strings.Repeat("x", 100_000) + `"}}}`
	if status, header, body := session.Send("POST", "/mcp", large); status != 413 || header.Get("Connection") == "keep-alive" {
		t.Errorf("a long body: %d %s", status, body)
	}
	if status, _, _ := s.As("Content-Type", "text/plain").Send("POST", "/mcp", mcptest.Ping); status != 415 {
		t.Errorf("text/plain: %d", status)
	}
	for _, method := range []string{"PUT", "PATCH", "OPTIONS", "TRACE", "NONSENSE"} {
		if status, _, _ := s.As().Send(method, "/mcp", ""); status != 405 {
			t.Errorf("%s: %d", method, status)
		}
	}
	if status := session.Ping(); status != 200 {
		t.Errorf("ping: %d", status)
	}
	listResources(s)
}

// A body of unknown length is cut at the limit too.
func TestHTTPEndlessBody(t *testing.T) {
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), nil, nil)
	conn := dial(s)
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n", s.Address)
	go func() {
		chunk := fmt.Sprintf("%x\r\n%s\r\n", 1<<16, strings.Repeat("x", 1<<16))
		for {
			if _, err := io.WriteString(conn, chunk); err != nil {
				return
			}
		}
	}()
	if answer := readAnswer(t, conn); answer.StatusCode != 413 {
		t.Error(answer.Status)
	}
	listResources(s)
}

// dial opens a connection, which is closed when the test ends.
func dial(s *mcptest.HTTPServer) net.Conn {
	s.T.Helper()
	conn, err := net.Dial("tcp", s.Address)
	if err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(mcptest.Patience)); err != nil {
		s.T.Fatal(err)
	}
	return conn
}

func readAnswer(t testing.TB, conn net.Conn) *http.Response {
	t.Helper()
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// Headers and bodies that stop coming end their connections; streams go on for
// longer than a body may take.
func TestHTTPDeadlines(t *testing.T) {
	sharedtest.NotShort(t)
	t.Parallel()
	const limit = 100 * time.Millisecond
	server := mcpadapter.NewServer(mcptest.StandardLibrary(t), nil)
	s := mcptest.ServeHTTP(t, server, &transport.HandlerOptions{BodyTimeout: limit}, &transport.ServeOptions{HeaderTimeout: mcptest.Patience, IdleTimeout: mcptest.Patience})
	hasty := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), nil, &transport.ServeOptions{HeaderTimeout: limit})
	session := s.As().Initialize("2025-06-18")
	stream, err := session.Request(t.Context(), "GET", "/mcp", "")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()

	started := time.Now()
	headers, body, refused := dial(hasty), dial(s), dial(s)
	fmt.Fprint(headers, "POST /mcp HTTP/1.1\r\nHost: 127")
	fmt.Fprintf(body, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", s.Address)
	fmt.Fprint(refused, "POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	if data, err := io.ReadAll(headers); err != nil || strings.HasPrefix(string(data), "HTTP/1.1 2") {
		t.Errorf("headers: %q, %v", data, err)
	}
	for conn, want := range map[net.Conn]int{body: 408, refused: 403} {
		data, err := io.ReadAll(conn)
		if err != nil || !strings.HasPrefix(string(data), fmt.Sprintf("HTTP/1.1 %d", want)) {
			t.Errorf("a stalled body: %q, %v", data, err)
		}
	}
	if spent := time.Since(started); spent < limit {
		t.Errorf("all ended after %v", spent)
	}
	// The stream has outlived the deadlines.
	mcp.AddTool(server, &mcp.Tool{Name: "late", Description: "late"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return nil, nil, nil
	})
	if status := session.Ping(); status != 200 {
		t.Errorf("ping: %d", status)
	}
	lines := bufio.NewReader(stream.Body)
	if line, err := lines.ReadString('\n'); err != nil || line != ": ok\n" {
		t.Errorf("%q, %v", line, err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := lines.Peek(2 << 10)
		ended <- err
	}()
	select {
	case err := <-ended:
		t.Errorf("the stream ended: %v", err)
	case <-time.After(3 * limit): // as long as a deadline that were not cleared could take
	}
}

// The older transport has the same guards and caps, and answers come although
// the server stops.
// headed sends headers of its own with every request.
type headed http.Header

func (h headed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	maps.Copy(r.Header, http.Header(h))
	return http.DefaultTransport.RoundTrip(r)
}

// TestHTTPSSEHeaders holds that transport, whose messages the SDK tells nothing
// of, to the same as the newer one: no paths, and headers that narrow.
func TestHTTPSSEHeaders(t *testing.T) {
	lib := mcptest.StandardLibrary(t)
	links := transport.NewEvidenceLinks(lib, nil)
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(lib, &mcpadapter.Options{Links: links}), &transport.HandlerOptions{SSE: true, Links: links}, nil)
	connect := func(header http.Header) *mcp.ClientSession {
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
			&mcp.SSEClientTransport{Endpoint: "http://" + s.Address + "/sse", HTTPClient: &http.Client{Transport: headed(header)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { session.Close() })
		return session
	}
	poems := map[string]any{"address": "text://poem#lines=1-2"}
	got, _ := mcptest.CallTool(t, connect(nil), "resolve", poems)
	if !strings.Contains(got, `"output_path":null`) || !strings.Contains(got, `"evidence_url":"http://`+s.Address+"/evidence/") {
		t.Error(got)
	}
	few := connect(http.Header{"X-Mcp-Tools": {"getNode"}})
	tools, err := few.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 1 || tools.Tools[0].Name != "getNode" {
		t.Errorf("%+v, %v", tools, err)
	}
	if _, err := few.CallTool(t.Context(), &mcp.CallToolParams{Name: "resolve", Arguments: poems}); err == nil {
		t.Error("a tool that was left out was called")
	}
	got, _ = mcptest.CallTool(t, connect(http.Header{"X-Mcp-Readonly": {"true"}}), "resolve", poems)
	if strings.Contains(got, "evidence_url") || !strings.Contains(got, `"output_path":null`) {
		t.Error(got)
	}
}

func TestHTTPSSE(t *testing.T) {
	slow := mcptest.NewSlowResolver()
	lib := mcptest.NewLibrary(t, slow, map[string]string{"poem": mcptest.PoemMap, "slow": mcptest.SlowMap})
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(lib, nil), &transport.HandlerOptions{SSE: true, MaxSessions: 2}, nil)
	connect := func() *mcp.ClientSession {
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
			&mcp.SSEClientTransport{Endpoint: "http://" + s.Address + "/sse"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { session.Close() })
		return session
	}
	session := connect()
	if got, _ := mcptest.CallTool(t, session, "listResources", nil); !strings.Contains(got, "poem") {
		t.Error(got)
	}
	if status, _, _ := s.As("Origin", "http://evil.example").Send("GET", "/sse", ""); status != 403 {
		t.Errorf("a foreign page: %d", status)
	}
	// With a call that runs, a session stays while others make room.
	called := make(chan string, 1)
	go func() {
		result, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: "resolve", Arguments: map[string]any{"resource_id": "slow", "node_id": "short"}})
		called <- fmt.Sprint(result != nil && !result.IsError, err)
	}()
	<-slow.Started
	second := connect()
	third := connect()
	if err := second.Wait(); err != nil {
		t.Log(err) // it ended, in whatever way the client says so
	}
	if got, _ := mcptest.CallTool(t, third, "listResources", nil); !strings.Contains(got, "poem") {
		t.Error(got)
	}
	slow.Released <- struct{}{}
	if got := <-called; got != "true <nil>" {
		t.Error(got)
	}
	without := mcptest.ServeHTTP(t, mcpadapter.NewServer(lib, nil), nil, nil)
	if status, _, _ := without.As().Send("GET", "/sse", ""); status != 404 {
		t.Errorf("/sse without the option: %d", status)
	}
}
