package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/answer"
	"github.com/citekit/citekit/api"
	"github.com/citekit/citekit/cite"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/reanchor"
	"github.com/citekit/citekit/relations"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/server"
	"github.com/citekit/citekit/server/transport"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/verify"
	"github.com/citekit/citekit/workspace"
)

// patience is how long a test waits for what must come, on any machine.
const patience = 3 * time.Minute

// A place is a workspace of a test.
type place struct {
	name string
	dir  string
	lib  *citekit.Library
}

// newPlace returns a workspace with files, that are mapped and in the index, and
// with every tool.
func newPlace(t testing.TB, resolvers citekit.Resolvers, name string, files map[string]string) (*place, server.Workspace) {
	t.Helper()
	p := &place{name: name, dir: t.TempDir()}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(p.dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.lib = openPlace(t, resolvers, p.dir)
	hosted, service := hostBoth(t, p.lib, nil)
	return p, server.Workspace{Name: name, Hosted: hosted, API: service}
}

// openPlace returns a library of the files of a directory, which it maps.
func openPlace(t testing.TB, resolvers citekit.Resolvers, dir string) *citekit.Library {
	t.Helper()
	ws, err := workspace.Open(dir, &workspace.Options{AllowedDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, resolvers, nil)
	t.Cleanup(func() { lib.Close() })
	if _, err := ingest.Run(t.Context(), lib, []string{"."}, nil); err != nil {
		t.Fatal(err)
	}
	return lib
}

// host returns a server of the protocol with every tool.
func host(t testing.TB, lib *citekit.Library) transport.Hosted { return hostLogging(t, lib, nil) }

// hostLogging is as host, with a logger of the protocol's server.
func hostLogging(t testing.TB, lib *citekit.Library, logger *slog.Logger) transport.Hosted {
	t.Helper()
	hosted, _ := hostBoth(t, lib, logger)
	return hosted
}

// hostBoth is as hostLogging, with what answers the JSON interface.
func hostBoth(t testing.TB, lib *citekit.Library, logger *slog.Logger) (transport.Hosted, *api.Service) {
	t.Helper()
	layers, related := textlayer.New(lib, nil), relations.New(lib)
	searcher := search.New(lib, &search.Options{Layers: layers, Relations: related})
	t.Cleanup(func() { searcher.Close() })
	reader := contents.New(lib, &contents.Options{Layers: layers, Relations: related})
	verifier := verify.New(lib, &verify.Options{Layers: layers, Searcher: searcher})
	ingester := mcpadapter.NewIngester(lib, nil)
	t.Cleanup(func() { ingester.Close() })
	links := transport.NewEvidenceLinks(lib, nil)
	opts := &mcpadapter.Options{
		Searcher: searcher, Contents: reader, Briefing: contents.NewBriefer(searcher), Verifier: verifier,
		Answerer:   answer.New(searcher, &answer.Options{Verifier: verifier}),
		Reanchorer: reanchor.New(lib, &reanchor.Options{Layers: layers}),
		Logger:     logger,
		Ingester:   ingester, Links: links, Timeouts: server.Timeouts(), Watch: 20 * time.Millisecond,
	}
	return transport.Hosted{Links: links, Server: mcpadapter.NewServer(lib, opts)}, &api.Service{
		Library: lib, Layers: layers, Relations: related, Searcher: searcher, Reader: reader, Answerer: opts.Answerer, Verifier: verifier,
		Citer: cite.New(lib, &cite.Options{Verifier: verifier, Layers: layers}), Offers: opts.Offers, Timeout: opts.Timeout, Ingester: ingester,
	}
}

// keys is an authenticator of a test: what each token may do.
type keys struct {
	mu     sync.Mutex
	grants map[string]*access.Grant
	err    error // for all, if it is not nil
}

func (k *keys) Authenticate(_ context.Context, token string) (*access.Grant, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err != nil {
		return nil, k.err
	}
	if g := k.grants[token]; g != nil {
		return g, nil
	}
	return nil, access.ErrRefused
}

func (k *keys) Valid(id string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, g := range k.grants {
		if g.ID == id {
			return true
		}
	}
	return false
}

func (k *keys) revoke(token string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.grants, token)
}

func (k *keys) grant(token string, to *access.Grant) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.grants[token] = to
}

func (k *keys) fail(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.err = err
}

// A journal keeps what a server tells of requests.
type journal struct {
	mu     sync.Mutex
	events []server.Event
	log    bytes.Buffer
}

func (j *journal) Observe(_ context.Context, e server.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, e)
}

func (j *journal) Write(data []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.log.Write(data)
}

func (j *journal) text() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.log.String()
}

// await returns the first event that a test looks for.
func (j *journal) await(t testing.TB, what string, is func(server.Event) bool) server.Event {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		j.mu.Lock()
		for _, e := range j.events {
			if is(e) {
				j.mu.Unlock()
				return e
			}
		}
		j.mu.Unlock()
	}
	t.Fatalf("no event: %s", what)
	return server.Event{}
}

// A runningServer is a server on a port of 127.0.0.1.
type runningServer struct {
	t       testing.TB
	server  *server.Server
	address string
	journal *journal
}

// start serves workspaces until the test ends.
func start(t testing.TB, workspaces []server.Workspace, opts *server.Options) *runningServer {
	t.Helper()
	return startWith(t, workspaces, opts, nil)
}

// startWith is start with options of serving.
func startWith(t testing.TB, workspaces []server.Workspace, opts *server.Options, serve *transport.ServeOptions) *runningServer {
	t.Helper()
	r := &runningServer{t: t, journal: new(journal)}
	o := *opts
	if o.Observer == nil {
		o.Observer = r.journal
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.NewJSONHandler(r.journal, nil))
	}
	var err error
	if r.server, err = server.New(workspaces, &o); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.address = listener.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.server.Serve(ctx, listener, serve) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return r
}

// A client calls a server with headers of its own.
type client struct {
	*runningServer
	header http.Header
	http   *http.Client
}

// as returns a client with a token; "" is none.
func (r *runningServer) as(token string, headers ...string) client {
	c := client{r, http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}, http.DefaultClient}
	if token != "" {
		c.header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		c.header.Set(headers[i], headers[i+1])
	}
	return c
}

// do sends a request, whose answer the caller closes.
func (c client) do(ctx context.Context, method, path, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+c.address+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = c.header.Clone()
	return c.http.Do(r)
}

// send returns the status, the headers and the body of an answer.
func (c client) send(method, path, body string) (int, http.Header, string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	answer, err := c.do(ctx, method, path, body)
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

// session begins a session.
func (c client) session() client {
	c.t.Helper()
	return c.sessionWith("{}")
}

// pages are the capabilities of a client that shows pages of MCP Apps.
const pages = `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`

// sessionWith is session for a client with some capabilities.
func (c client) sessionWith(capabilities string) client {
	c.t.Helper()
	status, header, body := c.send("POST", "/mcp", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":`+capabilities+`,"clientInfo":{"name":"test","version":"1"}}}`)
	if status != 200 || header.Get("Mcp-Session-Id") == "" {
		c.t.Fatalf("initialize: %d %s", status, body)
	}
	s := client{c.runningServer, c.header.Clone(), c.http}
	s.header.Set("Mcp-Session-Id", header.Get("Mcp-Session-Id"))
	s.header.Set("Mcp-Protocol-Version", "2025-11-25")
	if status, _, body := s.send("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`); status != 202 {
		c.t.Fatalf("initialized: %d %s", status, body)
	}
	return s
}

// lastID is the id of the newest message. A session may not have two requests of
// one id in flight: the SDK does not answer the second.
var lastID atomic.Int64

// message returns a request of the protocol, with an id of its own.
func message(method string, params any) string {
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": lastID.Add(1), "method": method, "params": params})
	if err != nil {
		panic(err)
	}
	return string(data)
}

func toolCall(name string, arguments any) string {
	return message("tools/call", map[string]any{"name": name, "arguments": arguments})
}

// A reply is what a request of the protocol is answered with.
type reply struct {
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// request calls a method in a session and returns the answer, which must have
// status 200.
func (c client) request(method string, params any) reply {
	c.t.Helper()
	status, _, body := c.send("POST", "/mcp", message(method, params))
	if status != 200 {
		c.t.Fatalf("%s: %d %s", method, status, body)
	}
	return parse(c.t, body)
}

// parse reads the answer of a stream of events, or of JSON.
func parse(t testing.TB, body string) (r reply) {
	t.Helper()
	for line := range strings.Lines(body) {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			data = line
		}
		if strings.HasPrefix(data, "{") && strings.Contains(data, `"id":`) {
			if err := json.Unmarshal([]byte(data), &r); err != nil {
				t.Fatalf("%v: %s", err, data)
			}
		}
	}
	return r
}

// tool calls a tool in a session and returns its text, and whether it failed.
func (c client) tool(name string, arguments any) (text string, failed bool) {
	c.t.Helper()
	r := c.request("tools/call", map[string]any{"name": name, "arguments": arguments})
	var result struct {
		IsError bool
		Content []struct{ Text string }
	}
	if r.Error != nil {
		return string(r.Error), true
	}
	if err := json.Unmarshal(r.Result, &result); err != nil || len(result.Content) == 0 {
		c.t.Fatalf("%s: %v, %s", name, err, r.Result)
	}
	return result.Content[0].Text, result.IsError
}

// The tokens of twoPlaces.
const (
	redKey  = "token-of-red"
	blueKey = "token-of-blue"
	bothKey = "token-of-both"
)

// twoPlaces returns workspaces red and blue, with keys for each and for both.
func twoPlaces(t testing.TB) (red, blue *place, workspaces []server.Workspace, known *keys) {
	t.Helper()
	resolvers := modality.All()
	text := func(word string) string {
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, "%s%d is what line %d says of the harvest.\n", word, i, i+1)
		}
		return b.String()
	}
	red, r := newPlace(t, resolvers, "red", map[string]string{"common.txt": text("crimson"), "rednotes.txt": text("scarlet")})
	blue, b := newPlace(t, resolvers, "blue", map[string]string{"common.txt": text("azure"), "bluenotes.txt": text("cobalt")})
	known = &keys{grants: map[string]*access.Grant{
		redKey:  {ID: "k-red", Workspaces: []string{"red"}},
		blueKey: {ID: "k-blue", Workspaces: []string{"blue"}},
		bothKey: {ID: "k-both", Workspaces: []string{"blue", "red"}},
	}}
	return red, blue, []server.Workspace{r, b}, known
}
