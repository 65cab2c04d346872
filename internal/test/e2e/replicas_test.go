package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// replicaRounds is how often each client does everything.
func replicaRounds() int {
	if os.Getenv("CITEKIT_LONG") != "" {
		return 1000
	}
	return 40
}

// TestReplicas has two processes over one directory answer by turns, as behind a
// load balancer without affinity, and a client of each version of the protocol do
// all that there is to do.
func TestReplicas(t *testing.T) {
	base := t.TempDir()
	writeFile(t, filepath.Join(base, "guide.md"), []byte(installGuide))
	binary := scratchBinary(t)
	output(t, binary, "ingest", filepath.Join(base, "guide.md"), "--dir", base)
	proxy := newRoundRobin(t,
		serveURL(t, []string{binary, "serve", "--ingest", "--stateless", "--dir", base, "--transport", "http", "--port", "0"}),
		serveURL(t, []string{binary, "serve", "--ingest", "--stateless", "--dir", base, "--transport", "http", "--port", "0"}))
	t.Run("clients", func(t *testing.T) {
		for _, version := range []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"} {
			t.Run(version, func(t *testing.T) {
				t.Parallel()
				c := &replicaClient{t: t, base: base, url: proxy.url, version: version, name: "notes-" + version}
				for n := range replicaRounds() {
					c.round(n)
				}
			})
		}
	})
	for i := range proxy.answered {
		n := proxy.answered[i].Load()
		t.Logf("server %d answered %d requests", i, n)
		if n < int64(replicaRounds()*4*4) {
			t.Errorf("server %d answered %d requests only", i, n)
		}
	}
}

// A roundRobin sends each request to the next of two servers.
type roundRobin struct {
	url      string
	next     atomic.Int64
	answered [2]atomic.Int64
}

func newRoundRobin(t *testing.T, servers ...string) *roundRobin {
	t.Helper()
	p := new(roundRobin)
	var targets []*url.URL
	for _, server := range servers {
		target, err := url.Parse(server)
		if err != nil {
			t.Fatal(err)
		}
		targets = append(targets, &url.URL{Scheme: target.Scheme, Host: target.Host})
	}
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			i := int(p.next.Add(1)) % len(targets)
			p.answered[i].Add(1)
			r.SetURL(targets[i])
			r.Out.Host = r.In.Host // which links begin with
		},
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Else the body of the request is closed when the answer begins, and
		// the proxy, which may not have read its end yet, breaks the answer off.
		if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	p.url = front.URL
	return p
}

// A replicaClient is a client of one version of the protocol.
type replicaClient struct {
	t             *testing.T
	base, url     string
	version, name string
	calls         int
}

func (c *replicaClient) modern() bool { return c.version >= "2026" }

// request calls a method and returns the result. An error of the protocol ends
// the test.
func (c *replicaClient) request(method, name string, params map[string]any) json.RawMessage {
	c.t.Helper()
	c.calls++
	message := map[string]any{"jsonrpc": "2.0", "id": c.calls, "method": method}
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if method != "initialize" {
		header.Set("Mcp-Protocol-Version", c.version)
	}
	if c.modern() {
		header.Set("Mcp-Method", method)
		header.Set("Mcp-Name", name)
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    c.version,
			"io.modelcontextprotocol/clientInfo":         map[string]string{"name": "replicas", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		}
	}
	message["params"] = params
	if strings.HasPrefix(method, "notifications/") {
		delete(message, "id")
	}
	body, err := json.Marshal(message)
	if err != nil {
		c.t.Fatal(err)
	}
	status, data := c.send("POST", c.url+"/mcp", header, body)
	if message["id"] == nil {
		if status != http.StatusAccepted {
			c.t.Fatalf("%s: %d %s", method, status, data)
		}
		return nil
	}
	var answer struct {
		ID            int
		Result, Error json.RawMessage
	}
	if err := json.Unmarshal(lastEvent(data), &answer); err != nil || status != http.StatusOK || answer.ID != c.calls || answer.Error != nil {
		c.t.Fatalf("%s %s: %d %s", method, name, status, data)
	}
	return answer.Result
}

// send sends a request and returns the status and the body of the answer.
func (c *replicaClient) send(method, url string, header http.Header, body []byte) (int, []byte) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 3*time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header = header
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Fatalf("%s %s: after %q: %v", method, body, data, err)
	}
	return answer.StatusCode, data
}

// lastEvent returns the data of the last of a stream of events, or a body that is
// none as it is.
func lastEvent(body []byte) []byte {
	if i := bytes.LastIndex(body, []byte("data: ")); i >= 0 && bytes.HasPrefix(body, []byte("event:")) {
		body, _, _ = bytes.Cut(body[i+len("data: "):], []byte("\n"))
	}
	return body
}

// tool calls a tool, whose answer must not be an error, and decodes it into v.
func (c *replicaClient) tool(name string, arguments map[string]any, v any) {
	c.t.Helper()
	var result struct {
		IsError bool
		Content []struct{ Text string }
	}
	data := c.request("tools/call", name, map[string]any{"name": name, "arguments": arguments})
	if err := json.Unmarshal(data, &result); err != nil || result.IsError || len(result.Content) == 0 {
		c.t.Fatalf("%s %v: %s", name, arguments, data)
	}
	if err := json.Unmarshal([]byte(result.Content[0].Text), v); err != nil {
		c.t.Fatalf("%s %v: %v in %s", name, arguments, err, data)
	}
}

// round does everything once, with a source that is new.
func (c *replicaClient) round(n int) {
	c.t.Helper()
	if !c.modern() {
		c.request("initialize", "", map[string]any{"protocolVersion": c.version, "capabilities": map[string]any{}, "clientInfo": map[string]string{"name": "replicas", "version": "1"}})
		c.request("notifications/initialized", "", map[string]any{})
	}
	word := fmt.Sprintf("sighting%d", n)
	second := "A " + word + " of the heron, noted by " + c.name + ".\n"
	writeFile(c.t, filepath.Join(c.base, c.name+".md"), []byte("# Heron\n"+second+"It flew east.\n"))
	var job struct {
		JobID  string `json:"job_id"`
		Status string
		Counts map[string]int
	}
	c.tool("ingest", map[string]any{"paths": c.name + ".md"}, &job)
	for range 2 { // of both servers
		c.tool("ingestStatus", map[string]any{"job_id": job.JobID}, &job)
		if job.Status != "done" || job.Counts["mapped"] != 1 {
			c.t.Fatalf("round %d: ingest: %+v", n, job)
		}
	}
	var list struct{ Resources []string }
	if c.tool("listResources", map[string]any{}, &list); !slices.Contains(list.Resources, c.name) {
		c.t.Fatalf("round %d: resources: %+v", n, list)
	}
	var structure, nodes json.RawMessage
	if c.tool("getStructure", map[string]any{"resource_id": c.name}, &structure); !strings.Contains(string(structure), "Heron") {
		c.t.Fatalf("round %d: structure: %s", n, structure)
	}
	if c.tool("search", map[string]any{"query": word + " " + c.name}, &nodes); !strings.Contains(string(nodes), c.name) || !strings.Contains(string(nodes), word+" ") {
		c.t.Fatalf("round %d: hits: %s", n, nodes)
	}
	address := "text://" + c.name + "#lines=2-2"
	if c.tool("getContents", map[string]any{"ids": []string{address}}, &nodes); !strings.Contains(string(nodes), word+" of the heron") {
		c.t.Fatalf("round %d: contents: %s", n, nodes)
	}
	var evidence struct {
		URL string `json:"evidence_url"`
	}
	c.tool("resolve", map[string]any{"address": address}, &evidence)
	if status, data := c.send("GET", evidence.URL, http.Header{}, nil); status != http.StatusOK || string(data) != second {
		c.t.Fatalf("round %d: evidence at %s: %d %q", n, evidence.URL, status, data)
	}
}
