package transport_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

// A listener that others could reach needs authentication.
func TestServeOpenListener(t *testing.T) {
	listener, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	handler := mcpadapter.NewHandler(mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), nil)
	err = handler.Serve(t.Context(), listener, nil)
	if !errors.Is(err, transport.ErrOpenListener) || !strings.Contains(err.Error(), "HandlerOptions.Authenticate") {
		t.Error(err)
	}
	if _, err := listener.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is open: %v", err)
	}
}

const slowCall = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"resolve","arguments":{"resource_id":"slow","node_id":"%s"}}}`

// A server that stops finishes what runs, ends streams at once, and cancels what
// does not end.
func TestServeStops(t *testing.T) {
	for _, test := range []struct {
		node, want string
		grace      time.Duration
	}{
		{"short", "output_path", mcptest.Patience},
		{"wait", "Error", 50 * time.Millisecond},
	} {
		slow := mcptest.NewSlowResolver()
		server := mcpadapter.NewServer(mcptest.NewLibrary(t, slow, map[string]string{"slow": mcptest.SlowMap}), nil)
		s := mcptest.ServeHTTP(t, server, nil, &transport.ServeOptions{Grace: test.grace})
		session := s.As().Initialize("2025-06-18")
		stream, err := session.Request(t.Context(), "GET", "/mcp", "")
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Body.Close()
		called := make(chan string, 1)
		go func() {
			_, _, body := session.Send("POST", "/mcp", fmt.Sprintf(slowCall, test.node))
			called <- body
		}()
		<-slow.Started
		s.Stop()
		if _, err := io.ReadAll(stream.Body); err != nil {
			t.Errorf("%s: the stream: %v", test.node, err)
		}
		if test.node == "wait" {
			<-slow.Cancelled
		} else {
			slow.Released <- struct{}{}
		}
		if body := <-called; !strings.Contains(body, test.want) {
			t.Errorf("%s: %s", test.node, body)
		}
		if err := s.Ended(); err != nil {
			t.Errorf("%s: %v", test.node, err)
		}
		if _, err := net.Dial("tcp", s.Address); err == nil {
			t.Errorf("%s: the server still listens", test.node)
		}
	}
}

func long() bool { return os.Getenv("CITEKIT_LONG") != "" }

// many returns how many attackers a test has.
func many() int {
	if long() {
		return 10_000
	}
	if testing.Short() {
		return 300
	}
	return 2000
}

// Half-open connections are in nobody's way.
func TestHTTPHalfOpen(t *testing.T) {
	const limit = 200
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), nil, &transport.ServeOptions{MaxConnections: limit})
	session := s.As().Initialize("2025-06-18")
	for i := range many() {
		conn, err := net.Dial("tcp", s.Address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		switch i % 3 {
		case 0:
			fmt.Fprint(conn, "POST /mcp HTTP/1.1\r\nHost: ")
		case 1:
			fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Length: 1000\r\n\r\n{", s.Address)
		}
		if i%100 == 0 {
			if status := session.Ping(); status != 200 {
				t.Fatalf("ping after %d connections: %d", i, status)
			}
		}
	}
	listResources(s)
	checkMemory(t)
}

// Who had an answer keeps the connection while others open some and send nothing,
// and connections that are kept shut nobody out.
func TestHTTPKeptConnections(t *testing.T) {
	const limit = 4
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), nil, &transport.ServeOptions{MaxConnections: limit})
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + mcptest.ModernMeta + `}}`
	ask := func(conn net.Conn) error {
		fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
			"Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\nContent-Length: %d\r\n\r\n%s", s.Address, len(list), list)
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return err
		}
		if body, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != 200 || !strings.Contains(string(body), "getNode") {
			return fmt.Errorf("%s %s, %v", answer.Status, body, err)
		}
		return nil
	}
	kept := dial(s)
	if err := ask(kept); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		var silent []net.Conn
		for range 3 * limit {
			silent = append(silent, dial(s))
		}
		for i, conn := range silent[:2*limit] {
			if _, err := io.ReadAll(conn); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatalf("silent connection %d: %v", i, err)
			}
		}
		if err := ask(kept); err != nil {
			t.Fatalf("the connection that was kept: %v", err)
		}
	}
	for i := range 3 * limit {
		for deadline := time.Now().Add(mcptest.Patience); ; { // the answer before may not be over yet
			err := ask(dial(s))
			if err == nil {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("connection %d: %v", i, err)
			}
		}
	}
}

// checkMemory checks the memory of the process, which also depends on the machine
// and on the tests before: only in the nightly run.
func checkMemory(t *testing.T) {
	t.Helper()
	if !sharedtest.Long() {
		return
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if memory.Sys > 512<<20 {
		t.Errorf("%d MiB of memory", memory.Sys>>20)
	}
}

// Abandoned sessions make room, and each authenticated caller has a room of its own.
func TestHTTPAbandonedSessions(t *testing.T) {
	const limit = 20
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), &transport.HandlerOptions{MaxSessions: limit, Authenticate: byName}, nil)
	other := s.As("Authorization", "Bearer ann").Initialize("2025-06-18")
	before := runtime.NumGoroutine()
	first := s.As().Initialize("2025-06-18")
	last := first
	for range many() {
		last = s.As().Initialize("2025-06-18")
	}
	if first.Ping() != 404 || last.Ping() != 200 || other.Ping() != 200 {
		t.Errorf("first %d, last %d, other %d", first.Ping(), last.Ping(), other.Ping())
	}
	stolen := mcptest.Client{HTTPServer: s, Header: last.Header.Clone()}
	stolen.Header.Set("Mcp-Session-Id", other.Header.Get("Mcp-Session-Id"))
	if status := stolen.Ping(); status != 404 {
		t.Errorf("the session of another: %d", status)
	}
	http.DefaultClient.CloseIdleConnections()
	// Sessions that made room end in the background.
	for deadline := time.Now().Add(mcptest.Patience); runtime.NumGoroutine() > before+limit*10; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
	checkMemory(t)
}

// byName authenticates callers that have a key, whose name that is.
func byName(next http.Handler) http.Handler {
	known := auth.RequireBearerToken(func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: token}, nil
	}, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			known.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// A session with a call never makes room; it ends when it was idle.
func TestHTTPSessionRoom(t *testing.T) {
	sharedtest.NotShort(t)
	t.Parallel()
	slow := mcptest.NewSlowResolver()
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.NewLibrary(t, slow, map[string]string{"poem": mcptest.PoemMap, "slow": mcptest.SlowMap}), nil),
		&transport.HandlerOptions{MaxSessions: 1, SessionTimeout: time.Second}, nil)
	session, called := s.As(), make(chan string, 1)
	for isCalled := false; !isCalled; {
		session = s.As().Initialize("2025-06-18")
		go func() {
			_, _, body := session.Send("POST", "/mcp", fmt.Sprintf(slowCall, "short"))
			called <- body
		}()
		select {
		case <-slow.Started:
			isCalled = true
		case <-called: // the session was idle for too long, on a machine that is busy
		}
	}
	for range 3 {
		status, header, body := s.As().Send("POST", "/mcp", fmt.Sprintf(mcptest.InitializeMessage, "2025-06-18"))
		if status != 429 || header.Get("Retry-After") == "" || header.Get("Mcp-Session-Id") != "" || !strings.HasPrefix(body, "too many sessions") {
			t.Errorf("%d %v %s", status, header, body)
		}
	}
	listResources(s) // needs no session
	slow.Released <- struct{}{}
	if body := <-called; !strings.Contains(body, "output_path") {
		t.Error(body)
	}
	for deadline := time.Now().Add(mcptest.Patience); session.Ping() != 404; time.Sleep(1500 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the session does not end")
		}
	}
}

// The files of TLS are read again when they change; broken ones change nothing.
func TestServeTLS(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write := func(serial int64) {
		cert, key := newCertificate(t, serial)
		for name, data := range map[string][]byte{certFile: cert, keyFile: key} {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(1)
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), nil, &transport.ServeOptions{CertFile: certFile, KeyFile: keyFile})
	serial := func() int64 {
		conn, err := tls.Dial("tcp", s.Address, &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if answer := readAnswer(t, conn); answer.StatusCode != 400 {
			t.Error(answer.Status)
		}
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	if got := serial(); got != 1 {
		t.Errorf("certificate %d", got)
	}
	write(1000)
	if got := serial(); got != 1000 {
		t.Errorf("certificate %d; want the new one", got)
	}
	if err := os.WriteFile(certFile, []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := serial(); got != 1000 {
		t.Errorf("certificate %d; want that before", got)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Handler.Serve(t.Context(), listener, &transport.ServeOptions{CertFile: certFile, KeyFile: keyFile}); err == nil {
		t.Error("serves with a broken certificate")
	}
}

func newCertificate(t *testing.T, serial int64) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	privateDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: privateDER})
}

// BenchmarkHTTP compares getNode with a tool of the SDK that does nothing.
func BenchmarkHTTP(b *testing.B) {
	noop := mcp.NewServer(&mcp.Implementation{Name: "noop", Version: "1"}, nil)
	mcp.AddTool(noop, &mcp.Tool{Name: "noop"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, struct{ OK bool }, error) {
		return nil, struct{ OK bool }{true}, nil
	})
	plain := http.NewServeMux()
	get := func(*http.Request) *mcp.Server { return noop }
	plain.Handle("/mcp", mcp.NewStreamableHTTPHandler(get, nil))
	lib := mcptest.NewLibrary(b, mcptest.NewSlowResolver(), map[string]string{"big": mcptest.BigMap("big", 10_000)})
	for _, bench := range []struct {
		name, tool string
		arguments  map[string]any
		handler    http.Handler
	}{
		{"noop", "noop", map[string]any{}, plain},
		{"getNode", "getNode", map[string]any{"resource_id": "big", "node_id": "s777.n7777"}, mcpadapter.NewHandler(mcpadapter.NewServer(lib, nil), nil)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			server := &http.Server{Handler: bench.handler}
			go server.Serve(listener)
			defer server.Close()
			address := listener.Addr().String()
			c := (&mcptest.HTTPServer{T: b, Address: address}).As().Initialize("2025-11-25")
			arguments := fmt.Sprintf(`{"resource_id":%q,"node_id":%q}`, bench.arguments["resource_id"], bench.arguments["node_id"])
			if bench.tool == "noop" {
				arguments = "{}"
			}
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, bench.tool, arguments)
			for b.Loop() {
				if status, _, answer := c.Send("POST", "/mcp", body); status != 200 || strings.Contains(answer, `"isError":true`) {
					b.Fatal(status, answer)
				}
			}
		})
	}
}
