package mcpadapter_test

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
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mcpadapter"
)

// A httpServer is a handler that serves on a port of 127.0.0.1.
type httpServer struct {
	t       testing.TB
	handler *mcpadapter.Handler
	address string // host and port
	stop    context.CancelFunc
	done    chan error
}

// serveHTTP serves until the test ends or stop is called.
func serveHTTP(t testing.TB, server *mcp.Server, opts *mcpadapter.HandlerOptions, serving *mcpadapter.ServeOptions) *httpServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &httpServer{t: t, handler: mcpadapter.NewHandler(server, opts), address: listener.Addr().String(), stop: cancel, done: make(chan error, 1)}
	go func() { s.done <- s.handler.Serve(ctx, listener, serving) }()
	t.Cleanup(func() {
		cancel()
		s.ended()
	})
	return s
}

// ended waits for the end of the server and returns what Serve returned.
func (s *httpServer) ended() error {
	s.t.Helper()
	select {
	case err := <-s.done:
		s.done <- err
		return err
	case <-time.After(patience):
		s.t.Fatal("the server does not stop")
		return nil
	}
}

// A client is what a test calls a server as: with headers of its own.
type client struct {
	*httpServer
	header http.Header
}

func (s *httpServer) as(headers ...string) client {
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	for i := 0; i < len(headers); i += 2 {
		header.Set(headers[i], headers[i+1])
	}
	return client{s, header}
}

// request sends a request and returns the answer, whose body the caller closes.
func (c client) request(ctx context.Context, method, path, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+c.address+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = c.header.Clone()
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
	}
	return http.DefaultClient.Do(r)
}

// send sends a request and returns the status, the headers and all of the body.
func (c client) send(method, path, body string) (int, http.Header, string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	answer, err := c.request(ctx, method, path, body)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer.StatusCode, answer.Header, string(data)
}

const initializeMessage = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"%s","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

// initialize begins a session of an older version, and returns its client.
func (c client) initialize(version string) client {
	c.t.Helper()
	status, header, body := c.send("POST", "/mcp", fmt.Sprintf(initializeMessage, version))
	id := header.Get("Mcp-Session-Id")
	if status != 200 || id == "" || !strings.Contains(body, `"protocolVersion":"`+version+`"`) {
		c.t.Fatalf("initialize %s: %d, session %q, %s", version, status, id, body)
	}
	session := client{c.httpServer, c.header.Clone()}
	session.header.Set("Mcp-Session-Id", id)
	session.header.Set("Mcp-Protocol-Version", version)
	if status, _, body := session.send("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`); status != 202 {
		c.t.Fatalf("initialized: %d %s", status, body)
	}
	return session
}

func (c client) ping() (status int) {
	c.t.Helper()
	status, _, body := c.send("POST", "/mcp", ping)
	if status == 200 && !strings.Contains(body, pong) {
		c.t.Errorf("ping: %s", body)
	}
	return status
}

// modern returns a client of the version without sessions, that calls a method.
func (s *httpServer) modern(method, name string, more ...string) client {
	headers := append([]string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method}, more...)
	if name != "" {
		headers = append(headers, "Mcp-Name", name)
	}
	return s.as(headers...)
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// listResources lists by the version without sessions.
func (s *httpServer) listResources() {
	s.t.Helper()
	status, _, body := s.modern("tools/call", "listResources").send("POST", "/mcp",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"listResources","arguments":{},`+modernMeta+`}}`)
	if status != 200 || !strings.Contains(body, `poem`) {
		s.t.Errorf("listResources: %d %s", status, body)
	}
}

func TestHTTPVersions(t *testing.T) {
	s := serveHTTP(t, mcpadapter.NewServer(standardLibrary(t), nil), nil, nil)
	s.listResources()
	for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		session := s.as().initialize(version)
		status, _, body := session.send("POST", "/mcp", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"listResources","arguments":{}}}`)
		if status != 200 || !strings.Contains(body, "poem") {
			t.Errorf("%s: %d %s", version, status, body)
		}
		if status, _, _ := session.send("DELETE", "/mcp", ""); status != 204 {
			t.Errorf("%s: DELETE: %d", version, status)
		}
		if status := session.ping(); status != 404 {
			t.Errorf("%s: ping of a session that ended: %d", version, status)
		}
	}
	for _, version := range []string{"zzzz", "2099-01-01", "2026-07-29", "1999-01-01", "", " ", "2025-06-18, 2025-06-18"} {
		status, header, body := s.as("Mcp-Protocol-Version", version).send("POST", "/mcp", `{"jsonrpc":"2.0","id":"a","method":"ping"}`)
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
		if status, _, body := s.as("Mcp-Protocol-Version", version).send("GET", "/mcp", ""); status != 400 || !strings.Contains(body, "2025-06-18") {
			t.Errorf("GET of version %q: %d %s", version, status, body)
		}
	}
	if status, _, _ := s.as().send("POST", "/other", ping); status != 404 {
		t.Errorf("another path: %d", status)
	}
}

// The client of the SDK agrees on a version by itself.
func TestHTTPClient(t *testing.T) {
	for _, stateless := range []bool{false, true} {
		s := serveHTTP(t, mcpadapter.NewServer(standardLibrary(t), nil), &mcpadapter.HandlerOptions{Stateless: stateless}, nil)
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
			&mcp.StreamableClientTransport{Endpoint: "http://" + s.address + "/mcp"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := callTool(t, session, "getNode", map[string]any{"resource_id": "poem", "node_id": "first"}); !strings.Contains(got, "First half") {
			t.Error(got)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestHTTPStateless(t *testing.T) {
	s := serveHTTP(t, mcpadapter.NewServer(standardLibrary(t), nil), &mcpadapter.HandlerOptions{Stateless: true}, nil)
	s.listResources()
	for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26"} {
		old := s.as("Mcp-Protocol-Version", version)
		status, header, body := old.send("POST", "/mcp", fmt.Sprintf(initializeMessage, version))
		if status != 200 || header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: %d %v %s", version, status, header, body)
		}
		if status := old.ping(); status != 200 {
			t.Errorf("%s: ping: %d", version, status)
		}
		if status, _, _ := old.send("GET", "/mcp", ""); status != 405 {
			t.Errorf("%s: GET: %d", version, status)
		}
	}
}

// TestHTTPBadBodies sends invalid messages, and then a ping.
func TestHTTPBadBodies(t *testing.T) {
	s := serveHTTP(t, mcpadapter.NewServer(standardLibrary(t), nil), &mcpadapter.HandlerOptions{MaxBodyBytes: 100_000}, nil)
	session := s.as().initialize("2025-06-18")
	deep := strings.Repeat("[", 50_000)
	bodies := map[string]string{
		"empty": "", "text": "hello", "zero": "\x00", "cut off": `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"na`,
		"deep": deep, "deep and closed": `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + deep[:5000] + strings.Repeat("]", 5000) + "}",
		"number": "42", "null": "null", "other": `{"id":3}`, "version": `{"jsonrpc":"1.0","id":3,"method":"ping"}`,
		"batch": "[" + ping + "]", "empty batch": "[]", "not UTF-8": "\xff\xfe{}",
		"method": `{"jsonrpc":"2.0","id":3,"method":"nothing/such"}`,
	}
	for name, body := range bodies {
		for kind, c := range map[string]client{"session": session, "none": s.as(), "modern": s.modern("ping", "")} {
			if status, _, got := c.send("POST", "/mcp", body); status < 400 && !(kind == "none" && name == "batch" || kind == "session" && name == "method") || status >= 500 {
				t.Errorf("%s, %s: %d %s", name, kind, status, got)
			}
		}
	}
	large := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":"` + strings.Repeat("x", 100_000) + `"}}}`
	if status, header, body := session.send("POST", "/mcp", large); status != 413 || header.Get("Connection") == "keep-alive" {
		t.Errorf("a long body: %d %s", status, body)
	}
	if status, _, _ := s.as("Content-Type", "text/plain").send("POST", "/mcp", ping); status != 415 {
		t.Errorf("text/plain: %d", status)
	}
	for _, method := range []string{"PUT", "PATCH", "OPTIONS", "TRACE", "NONSENSE"} {
		if status, _, _ := s.as().send(method, "/mcp", ""); status != 405 {
			t.Errorf("%s: %d", method, status)
		}
	}
	if status := session.ping(); status != 200 {
		t.Errorf("ping: %d", status)
	}
	s.listResources()
}

// A body of unknown length is cut at the limit too.
func TestHTTPEndlessBody(t *testing.T) {
	s := serveHTTP(t, mcpadapter.NewServer(standardLibrary(t), nil), nil, nil)
	conn := s.dial()
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n", s.address)
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
	s.listResources()
}

// dial opens a connection, which is closed when the test ends.
func (s *httpServer) dial() net.Conn {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		s.t.Fatal(err)
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
	server := mcpadapter.NewServer(standardLibrary(t), nil)
	s := serveHTTP(t, server, &mcpadapter.HandlerOptions{BodyTimeout: limit}, &mcpadapter.ServeOptions{HeaderTimeout: patience, IdleTimeout: patience})
	hasty := serveHTTP(t, mcpadapter.NewServer(standardLibrary(t), nil), nil, &mcpadapter.ServeOptions{HeaderTimeout: limit})
	session := s.as().initialize("2025-06-18")
	stream, err := session.request(t.Context(), "GET", "/mcp", "")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()

	started := time.Now()
	headers, body, refused := hasty.dial(), s.dial(), s.dial()
	fmt.Fprint(headers, "POST /mcp HTTP/1.1\r\nHost: 127")
	fmt.Fprintf(body, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", s.address)
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
	if status := session.ping(); status != 200 {
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
	lib := standardLibrary(t)
	links := mcpadapter.NewEvidenceLinks(lib, nil)
	s := serveHTTP(t, mcpadapter.NewServer(lib, &mcpadapter.Options{Links: links}), &mcpadapter.HandlerOptions{SSE: true, Links: links}, nil)
	connect := func(header http.Header) *mcp.ClientSession {
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
			&mcp.SSEClientTransport{Endpoint: "http://" + s.address + "/sse", HTTPClient: &http.Client{Transport: headed(header)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { session.Close() })
		return session
	}
	poems := map[string]any{"address": "text://poem#lines=1-2"}
	got, _ := callTool(t, connect(nil), "resolve", poems)
	if !strings.Contains(got, `"output_path":null`) || !strings.Contains(got, `"evidence_url":"http://`+s.address+"/evidence/") {
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
	got, _ = callTool(t, connect(http.Header{"X-Mcp-Readonly": {"true"}}), "resolve", poems)
	if strings.Contains(got, "evidence_url") || !strings.Contains(got, `"output_path":null`) {
		t.Error(got)
	}
}

func TestHTTPSSE(t *testing.T) {
	slow := newSlowResolver()
	lib := newLibrary(t, slow, map[string]string{"poem": poemMap, "slow": slowMap})
	s := serveHTTP(t, mcpadapter.NewServer(lib, nil), &mcpadapter.HandlerOptions{SSE: true, MaxSessions: 2}, nil)
	connect := func() *mcp.ClientSession {
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
			&mcp.SSEClientTransport{Endpoint: "http://" + s.address + "/sse"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { session.Close() })
		return session
	}
	session := connect()
	if got, _ := callTool(t, session, "listResources", nil); !strings.Contains(got, "poem") {
		t.Error(got)
	}
	if status, _, _ := s.as("Origin", "http://evil.example").send("GET", "/sse", ""); status != 403 {
		t.Errorf("a foreign page: %d", status)
	}
	// With a call that runs, a session stays while others make room.
	called := make(chan string, 1)
	go func() {
		result, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: "resolve", Arguments: map[string]any{"resource_id": "slow", "node_id": "short"}})
		called <- fmt.Sprint(result != nil && !result.IsError, err)
	}()
	<-slow.started
	second := connect()
	third := connect()
	if err := second.Wait(); err != nil {
		t.Log(err) // it ended, in whatever way the client says so
	}
	if got, _ := callTool(t, third, "listResources", nil); !strings.Contains(got, "poem") {
		t.Error(got)
	}
	slow.released <- struct{}{}
	if got := <-called; got != "true <nil>" {
		t.Error(got)
	}
	without := serveHTTP(t, mcpadapter.NewServer(lib, nil), nil, nil)
	if status, _, _ := without.as().send("GET", "/sse", ""); status != 404 {
		t.Errorf("/sse without the option: %d", status)
	}
}
