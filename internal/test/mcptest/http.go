package mcptest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

// An HTTPServer is a handler that serves on a port of 127.0.0.1.
type HTTPServer struct {
	T       testing.TB
	Handler *transport.Handler
	Address string // host and port
	Stop    context.CancelFunc
	done    chan error
}

// ServeHTTP serves until the test ends or Stop is called.
func ServeHTTP(t testing.TB, server *mcp.Server, opts *transport.HandlerOptions, serving *transport.ServeOptions) *HTTPServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &HTTPServer{T: t, Handler: mcpadapter.NewHandler(server, opts), Address: listener.Addr().String(), Stop: cancel, done: make(chan error, 1)}
	go func() { s.done <- s.Handler.Serve(ctx, listener, serving) }()
	t.Cleanup(func() {
		cancel()
		s.Ended()
	})
	return s
}

// Ended waits for the end of the server and returns what Serve returned.
func (s *HTTPServer) Ended() error {
	s.T.Helper()
	select {
	case err := <-s.done:
		s.done <- err
		return err
	case <-time.After(Patience):
		s.T.Fatal("the server does not stop")
		return nil
	}
}

// A Client is what a test calls a server as: with headers of its own.
type Client struct {
	*HTTPServer
	Header http.Header
}

func (s *HTTPServer) As(headers ...string) Client {
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	for i := 0; i < len(headers); i += 2 {
		header.Set(headers[i], headers[i+1])
	}
	return Client{s, header}
}

// Request sends a request and returns the answer, whose body the caller closes.
func (c Client) Request(ctx context.Context, method, path, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+c.Address+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = c.Header.Clone()
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
	}
	return http.DefaultClient.Do(r)
}

// Send sends a request and returns the status, the headers and all of the body.
func (c Client) Send(method, path, body string) (int, http.Header, string) {
	c.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	answer, err := c.Request(ctx, method, path, body)
	if err != nil {
		c.T.Fatalf("%s %s: %v", method, path, err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		c.T.Fatalf("%s %s: %v", method, path, err)
	}
	return answer.StatusCode, answer.Header, string(data)
}

const InitializeMessage = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"%s","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

// Initialize begins a session of an older version, and returns its client.
func (c Client) Initialize(version string) Client {
	c.T.Helper()
	status, header, body := c.Send("POST", "/mcp", fmt.Sprintf(InitializeMessage, version))
	id := header.Get("Mcp-Session-Id")
	if status != 200 || id == "" || !strings.Contains(body, `"protocolVersion":"`+version+`"`) {
		c.T.Fatalf("initialize %s: %d, session %q, %s", version, status, id, body)
	}
	session := Client{c.HTTPServer, c.Header.Clone()}
	session.Header.Set("Mcp-Session-Id", id)
	session.Header.Set("Mcp-Protocol-Version", version)
	if status, _, body := session.Send("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`); status != 202 {
		c.T.Fatalf("initialized: %d %s", status, body)
	}
	return session
}

func (c Client) Ping() (status int) {
	c.T.Helper()
	status, _, body := c.Send("POST", "/mcp", Ping)
	if status == 200 && !strings.Contains(body, Pong) {
		c.T.Errorf("ping: %s", body)
	}
	return status
}

// Modern returns a client of the version without sessions, that calls a method.
func (s *HTTPServer) Modern(method, name string, more ...string) Client {
	headers := append([]string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method}, more...)
	if name != "" {
		headers = append(headers, "Mcp-Name", name)
	}
	return s.As(headers...)
}

const ModernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// Connect returns a session of the SDK's client, whose requests go by a RoundTripper
// that may be nil.
func (s *HTTPServer) Connect(by http.RoundTripper) *mcp.ClientSession {
	s.T.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(s.T.Context(), &mcp.StreamableClientTransport{
		Endpoint: "http://" + s.Address + "/mcp", HTTPClient: &http.Client{Transport: by}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(func() { session.Close() })
	return session
}
