package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/server"
	"github.com/citekit/citekit/server/transport"
)

// soon is how long an answer may take on a quiet machine while another caller takes
// all that it can get. Only the nightly run measures it.
const soon = 500 * time.Millisecond

// alone returns a client that shares no connection with others.
func (c client) alone() client {
	transport := &http.Transport{DisableKeepAlives: true}
	c.http = &http.Client{Transport: transport}
	return c
}

// stillServed fails the test unless a caller gets what it asks for, and probes too.
func (s *runningServer) stillServed(t *testing.T, key string) {
	t.Helper()
	begun := time.Now()
	took := func(what string) {
		t.Helper()
		if d := time.Since(begun); sharedtest.Long() && d > soon {
			t.Errorf("%s took %v", what, d)
		}
		begun = time.Now()
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if status, _, body := s.as("").alone().send("GET", path, ""); status != 200 {
			t.Errorf("%s: %d %s", path, status, body)
		}
		took(path)
	}
	session := s.as(key).alone().session()
	took("a session")
	if text, failed := session.tool("listResources", map[string]any{}); failed {
		t.Errorf("listResources: %s", text)
	}
	took("listResources")
	link := session.evidenceLink("text://common#lines=2-3")
	took("resolve")
	if status, _, body := s.as("").alone().send("GET", link, ""); status != 200 || !strings.Contains(body, "of the harvest") {
		t.Errorf("a link: %d %s", status, body)
	}
	took("a link")
	// Longer than bodies that are not counted.
	long := map[string]any{"task": "harvest", "anchor": strings.Repeat("x", 40_000)}
	status, _, body := session.send("POST", "/mcp", message("ping", map[string]any{"_meta": long}))
	if status != 200 {
		t.Errorf("a call of 40 KB: %d %s", status, body)
	}
	took("a call of 40 KB")
}

// listen opens a stream of changes, and returns the status once it has begun. The
// stream is open until the test ends.
func (c client) listen(workspace string) int {
	c.t.Helper()
	header := c.header.Clone()
	header.Set("X-Mcp-Workspace", workspace)
	header.Set("Mcp-Protocol-Version", "2026-07-28")
	header.Set("Mcp-Method", "subscriptions/listen")
	ctx, cancel := context.WithCancel(context.Background())
	c.t.Cleanup(cancel)
	answer, err := client{c.runningServer, header, c.http}.do(ctx, "POST", "/mcp", message("subscriptions/listen", map[string]any{
		"notifications": map[string]any{"toolsListChanged": true, "resourcesListChanged": true},
		"_meta":         modernMeta,
	}))
	if err != nil {
		c.t.Fatalf("a stream: %v", err)
	}
	c.t.Cleanup(func() { answer.Body.Close() })
	if _, err := answer.Body.Read(make([]byte, 1)); err != nil {
		c.t.Fatalf("a stream: %s, %v", answer.Status, err)
	}
	return answer.StatusCode
}

// modernMeta is what calls of the protocol without sessions carry.
var modernMeta = map[string]any{
	"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": map[string]any{},
	"io.modelcontextprotocol/clientInfo": map[string]any{"name": "test", "version": "1"},
}

// TestStreamsOfOneKey has keys open as many streams as they get, in each of their
// workspaces. All others go on.
func TestStreamsOfOneKey(t *testing.T) {
	_, _, workspaces, known := twoPlaces(t)
	attackers := []string{bothKey}
	for i := range 2 {
		key := fmt.Sprintf("token-of-attacker-%d", i)
		known.grants[key] = &access.Grant{ID: "k-" + key, Workspaces: []string{"red", "blue"}}
		attackers = append(attackers, key)
	}
	const connections = 40
	s := startWith(t, workspaces, &server.Options{Authenticator: known, Limits: server.Limits{Rate: -1}}, &transport.ServeOptions{MaxConnections: connections})
	for n, key := range attackers {
		c, open := s.as(key).alone(), 0
		for i := range connections + 20 {
			if c.listen([]string{"red", "blue"}[i%2]) == 200 {
				open++
			}
		}
		if open < 2 || open > connections/4 {
			t.Errorf("%d streams of key %d", open, n+1)
		}
		s.stillServed(t, redKey)
	}
}

// TestSessionsOfOneKey: sessions and streams are counted by key, whatever workspaces
// it names.
func TestSessionsOfOneKey(t *testing.T) {
	_, _, workspaces, known := twoPlaces(t)
	s := start(t, workspaces, &server.Options{Authenticator: known, Handler: transport.HandlerOptions{MaxSessions: 2}})
	first := s.as(bothKey, "X-Mcp-Workspace", "red").session()
	for _, workspace := range []string{"blue", "red"} {
		s.as(bothKey, "X-Mcp-Workspace", workspace).session()
	}
	if status, _, body := first.send("POST", "/mcp", message("ping", nil)); status != 404 {
		t.Errorf("the first of three sessions of a key: %d %s", status, body)
	}
	s.stillServed(t, redKey)
}

// TestSilentConnections: those of one address are in nobody's way, nor in that of
// probes.
func TestSilentConnections(t *testing.T) {
	_, _, workspaces, known := twoPlaces(t)
	s := startWith(t, workspaces, &server.Options{Authenticator: known}, &transport.ServeOptions{MaxConnections: 8})
	for i := range 60 {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if i%2 == 0 {
			_, _ = io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+redKey+"\r\nContent-Length: 1000\r\n\r\n{")
		}
	}
	s.stillServed(t, blueKey)
}

// TestProbesInTurn: whoever asks one thing after another, each on a connection of its
// own, is never told that there are too many.
func TestProbesInTurn(t *testing.T) {
	_, _, workspaces, known := twoPlaces(t)
	s := startWith(t, workspaces, &server.Options{Authenticator: known}, &transport.ServeOptions{MaxConnections: 1})
	for i := range 200 {
		if status, _, body := s.as("").alone().send("GET", "/healthz", ""); status != 200 {
			t.Fatalf("probe %d: %d %s", i+1, status, body)
		}
	}
}

// stall sends all of a body of length bytes but the last one, and returns the
// connection.
func (s *runningServer) stall(t *testing.T, key, workspace string, length int) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nX-MCP-Workspace: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", s.address, key, workspace, length)
	// The server may refuse the rest.
	_, _ = conn.Write([]byte(strings.Repeat(" ", length-1)))
	return conn
}

// TestBodiesOfOneKey has keys hold all the memory that they get by bodies that stall,
// in each of their workspaces. The calls of another are answered.
func TestBodiesOfOneKey(t *testing.T) {
	_, _, workspaces, known := twoPlaces(t)
	known.grants["token-of-another"] = &access.Grant{ID: "k-another", Workspaces: []string{"red", "blue"}}
	s := start(t, workspaces, &server.Options{Authenticator: known, Limits: server.Limits{Rate: -1}})
	for _, key := range []string{bothKey, "token-of-another"} {
		for i := range 8 {
			s.stall(t, key, []string{"red", "blue"}[i%2], 4<<20)
		}
		s.stillServed(t, redKey)
	}
	// A long body has room as well, once it comes and the others do not.
	session := s.as(redKey).alone().session()
	status, _, body := session.send("POST", "/mcp", message("ping", map[string]any{"_meta": map[string]any{"long": strings.Repeat("x", 4<<20-500)}}))
	if status != 200 {
		t.Errorf("a call of 4 MiB: %d %s", status, body)
	}
}
