package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// crowd is how many attackers of a kind there are.
func crowd() int {
	if os.Getenv("CITEKIT_LONG") != "" {
		return 10_000
	}
	return 1500
}

// TestHTTPCrowd has a server with its own limits meet callers that hold on to
// what they can: connections, bodies, answers, sessions and streams, all at once.
// It must answer another caller all the time, with a bounded memory.
func TestHTTPCrowd(t *testing.T) {
	base := t.TempDir()
	nodes := make([]map[string]any, 10_000)
	for i := range nodes {
		nodes[i] = map[string]any{"id": fmt.Sprintf("n%d", i), "type": "section", "title": strings.Repeat("Of the tides and of the bell. ", 8),
			"location": map[string]any{"modality": "text", "lines": []int{i + 1, i + 1}}}
	}
	large, err := json.Marshal(map[string]any{"resource_id": "large", "type": "text", "source_path": "large.txt", "nodes": nodes})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(base, "large.txt"), []byte(strings.Repeat("A line.\n", len(nodes))))
	writeFile(t, filepath.Join(base, ".resource_maps", "large.json"), large)
	server, process := serveProcess(t, []string{scratchBinary(t), "serve", "--ingest", "--dir", base, "--transport", "http", "--port", "0", "--sse"})
	c := &httpCrowd{t: t, url: strings.TrimSuffix(server, "/mcp")}
	c.check("at first")
	for _, attack := range []struct {
		name  string
		count int
		once  func(i int)
	}{
		{"half-open connections", crowd(), c.halfOpen},
		{"stalled bodies", 200, c.stalledBody},
		{"answers that nobody reads", 300, c.unreadAnswer},
		{"abandoned sessions", crowd(), c.abandonedSession},
		{"open streams", 500, c.openStream},
	} {
		for i := range attack.count {
			attack.once(i)
			if i%100 == 99 {
				c.check(attack.name)
			}
		}
		t.Logf("after %d %s: %d MB, slowest call %v", attack.count, attack.name, peakMemory(process.Pid)>>20, c.slowest.Round(time.Millisecond))
	}
	if peak := peakMemory(process.Pid); peak > mostMemory && sharedtest.Long() {
		t.Errorf("the server took %d MB", peak>>20)
	}
}

// A httpCrowd is many callers of one server.
type httpCrowd struct {
	t       *testing.T
	url     string
	slowest time.Duration
}

// dial returns a connection that stays open until the test ends.
func (c *httpCrowd) dial() net.Conn {
	c.t.Helper()
	server, err := url.Parse(c.url)
	if err != nil {
		c.t.Fatal(err)
	}
	conn, err := net.Dial("tcp", server.Host)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { conn.Close() })
	return conn
}

const crowdHeader = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n%s\r\n"

func (c *httpCrowd) halfOpen(i int) {
	conn := c.dial()
	if i%2 == 0 {
		fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: 127")
	}
}

// stalledBody sends all but the end of a long body.
func (c *httpCrowd) stalledBody(int) {
	conn := c.dial()
	const size = 4 << 20
	fmt.Fprintf(conn, crowdHeader, size, "")
	conn.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)) // the server may not take it
	_, _ = io.WriteString(conn, strings.Repeat(" ", size-1))
}

// unreadAnswer asks for megabytes and reads none.
func (c *httpCrowd) unreadAnswer(i int) {
	conn := c.dial()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"getStructure","arguments":{"resource_id":"large","full":true},%s}}`, crowdMeta)
	fmt.Fprintf(conn, crowdHeader+"%s", len(body), "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: getStructure\r\n", body)
}

const (
	crowdMeta       = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"crowd","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	crowdInitialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"crowd","version":"1"}}}`
)

// post sends a message and returns the status, the headers and the body.
func (c *httpCrowd) post(body string, header ...string) (int, http.Header, string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "POST", c.url+"/mcp", strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, string(data)
}

func (c *httpCrowd) abandonedSession(int) {
	if status, _, body := c.post(crowdInitialize); status != http.StatusOK {
		c.t.Errorf("initialize: %d %s", status, body)
	}
}

// openStream opens a stream of events, of one transport or the other.
func (c *httpCrowd) openStream(i int) {
	conn := c.dial()
	if i%2 == 0 {
		fmt.Fprint(conn, "GET /sse HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n")
		return
	}
	_, header, _ := c.post(crowdInitialize)
	fmt.Fprintf(conn, "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nMcp-Protocol-Version: 2025-06-18\r\nMcp-Session-Id: %s\r\n\r\n", header.Get("Mcp-Session-Id"))
}

// check calls a tool as somebody who behaves.
func (c *httpCrowd) check(when string) {
	c.t.Helper()
	start := time.Now()
	status, _, body := c.post(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"getNode","arguments":{"resource_id":"large","node_id":"n7"},`+crowdMeta+`}}`,
		"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "getNode")
	took := time.Since(start)
	c.slowest = max(c.slowest, took)
	if status != http.StatusOK || !strings.Contains(body, `"n7"`) || took > hanging {
		c.t.Fatalf("%s: after %v: %d %.300s", when, took, status, body)
	}
}
