// Package mcptest has libraries, servers and clients that tests of the protocol share.
package mcptest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/server/transport"
	"github.com/citekit/citekit/workspace"
)

const Poem = "one\ntwo\nthree\nfour\nfive\n"

const PoemMap = `{
  "resource_id": "poem", "type": "text", "title": "A poem", "source_path": "poem.txt",
  "nodes": [
    {"id": "first", "title": "First half", "type": "stanza", "location": {"modality": "text", "lines": [1, 2]},
     "summary": "Counting \"up\"", "rhyme": "none",
     "children": [
       {"id": "first.a", "type": "line", "location": {"modality": "text", "lines": [1, 1]}},
       {"id": "first.b", "type": "line", "location": {"modality": "text", "lines": [2, 2]}}]},
    {"id": "second", "type": "stanza", "location": {"modality": "text", "lines": [3, 5]}, "children": []},
    {"id": "beyond", "type": "stanza", "location": {"modality": "text", "lines": [4, 9]}},
    {"id": "broken", "type": "stanza", "location": {"modality": "text", "lines": [5, 2]}}
  ],
  "metadata": {"source_size": 24}, "created_at": "2025-02-16T14:32:10Z"
}`

// SlowMap has audio, which SlowResolver resolves.
const SlowMap = `{
  "resource_id": "slow", "type": "audio", "title": "", "source_path": "poem.txt", "nodes": [
    {"id": "wait", "type": "x", "location": {"modality": "audio", "start": 1, "end": 2}},
    {"id": "short", "type": "x", "location": {"modality": "audio", "start": 1, "end": 3}},
    {"id": "panic", "type": "x", "location": {"modality": "audio", "start": 6, "end": 7}},
    {"id": "secret", "type": "x", "location": {"modality": "audio", "start": 8, "end": 9}}]}`

// A SlowResolver fails, panics, or waits until it is cancelled or, for "short",
// released, as the location says.
type SlowResolver struct {
	Started   chan struct{} // gets a value when a wait begins
	Cancelled chan struct{} // gets a value when a wait is cancelled
	Released  chan struct{} // a value ends a short wait
}

func NewSlowResolver() SlowResolver {
	return SlowResolver{make(chan struct{}, 100), make(chan struct{}, 100), make(chan struct{}, 100)}
}

func (r SlowResolver) Resolve(ctx context.Context, _ *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	switch req.Location.Time.Start {
	case 6:
		panic("the resolver gave up")
	case 8:
		return nil, errors.New("open /etc/secret: strange")
	}
	r.Started <- struct{}{}
	if req.Location.Time.End == 3 {
		select {
		case <-ctx.Done():
		case <-r.Released:
			return &citekit.Content{Body: io.NopCloser(strings.NewReader("done")), Size: 4, MediaType: "audio/wav", Ext: ".wav"}, nil
		}
	}
	<-ctx.Done()
	r.Cancelled <- struct{}{}
	return nil, ctx.Err()
}

// NewLibrary returns a library over maps given as JSON, by id, with the source
// poem.txt.
func NewLibrary(t testing.TB, slow citekit.Resolver, maps map[string]string) *citekit.Library {
	t.Helper()
	ws := workspace.NewMemory(nil)
	ws.AddSource("poem.txt", []byte(Poem))
	for id, data := range maps {
		if err := ws.WriteMap(t.Context(), id, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	lib := citekit.New(ws, citekit.Resolvers{
		citekit.Text: &text.Resolver{}, citekit.Virtual: modality.Virtual{}, citekit.Audio: slow,
	}, nil)
	t.Cleanup(func() { lib.Close() })
	return lib
}

func StandardLibrary(t testing.TB) *citekit.Library {
	return NewLibrary(t, NewSlowResolver(), map[string]string{"poem": PoemMap, "slow": SlowMap})
}

// Connect returns a session of the SDK's client with a server over lib, in
// memory.
func Connect(t testing.TB, server *mcp.Server, opts *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	theirs, ours := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), ours, nil); err != nil {
		t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts)
	session, err := client.Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// CallTool calls a tool and returns the text of the result.
func CallTool(t testing.TB, session *mcp.ClientSession, name string, arguments any) (string, *mcp.CallToolResult) {
	t.Helper()
	result, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(result.Content) != 1 {
		t.Fatalf("%s: %d content blocks; want 1", name, len(result.Content))
	}
	return result.Content[0].(*mcp.TextContent).Text, result
}

// A Wire is the client's side of a server that runs over a StreamTransport.
type Wire struct {
	t     testing.TB
	In    *io.PipeWriter
	lines chan string
	done  chan error
}

// Serve runs a server over a stream until the test ends.
func Serve(t testing.TB, server *mcp.Server, transport transport.StreamTransport) *Wire {
	t.Helper()
	return ServeContext(t, t.Context(), server, transport)
}

func ServeContext(t testing.TB, ctx context.Context, server *mcp.Server, transport transport.StreamTransport) *Wire {
	t.Helper()
	inReader, inWriter := io.Pipe()
	outReader, outWriter := io.Pipe()
	w := &Wire{t: t, In: inWriter, lines: make(chan string, 100), done: make(chan error, 1)}
	transport.Reader, transport.Writer = inReader, outWriter
	go func() {
		w.done <- transport.Serve(ctx, server)
		outWriter.Close()
	}()
	go func() {
		defer close(w.lines)
		r := bufio.NewReader(outReader)
		for {
			l, err := r.ReadString('\n')
			if err != nil {
				return
			}
			w.lines <- strings.TrimSuffix(l, "\n")
		}
	}()
	t.Cleanup(func() {
		inWriter.Close()
		outReader.Close()
	})
	return w
}

const Initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// Ping is a message, and Pong its answer.
const (
	Ping = `{"jsonrpc":"2.0","id":"still there","method":"ping"}`
	Pong = `{"jsonrpc":"2.0","id":"still there","result":{}}`
)

// Start does the handshake.
func (w *Wire) Start() *Wire {
	w.t.Helper()
	w.Send(Initialize)
	if got := w.Next(); !strings.Contains(got, `"serverInfo"`) {
		w.t.Fatalf("initialize: %s", got)
	}
	w.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return w
}

func (w *Wire) Send(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.In, line+"\n"); err != nil {
		w.t.Fatal(err)
	}
}

// Call sends a tools/call request.
func (w *Wire) Call(id int, tool, arguments string) {
	w.t.Helper()
	w.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments))
}

// Patience is how long a test waits for what must come, on any machine.
const Patience = 3 * time.Minute

// Next returns the next line that the server wrote, or "" if it has ended.
func (w *Wire) Next() string {
	w.t.Helper()
	select {
	case l := <-w.lines:
		return l
	case <-time.After(Patience):
		w.t.Fatal("the server does not answer")
		return ""
	}
}

// Ended returns what Serve returned.
func (w *Wire) Ended() error {
	w.t.Helper()
	select {
	case err := <-w.done:
		return err
	case <-time.After(Patience):
		w.t.Fatal("the server does not end")
		return nil
	}
}

// BigMap returns a map with sections of ten nodes each, n nodes in all.
func BigMap(id string, n int) string {
	type node struct {
		ID       string         `json:"id"`
		Title    string         `json:"title"`
		Type     string         `json:"type"`
		Location map[string]any `json:"location"`
		Summary  string         `json:"summary"`
		Children []*node        `json:"children"`
	}
	var nodes []*node
	for i := range n {
		newNode := &node{
			ID: fmt.Sprintf("s%d", i/10), Title: fmt.Sprintf("Section %d", i), Type: "section",
			Location: map[string]any{"modality": "text", "lines": []int{i%5 + 1, i%5 + 1}},
			Summary:  strings.Repeat("what this part is about ", 8), Children: []*node{},
		}
		if i%10 == 0 {
			nodes = append(nodes, newNode)
			continue
		}
		newNode.ID += fmt.Sprintf(".n%d", i)
		last := nodes[len(nodes)-1]
		last.Children = append(last.Children, newNode)
	}
	data, _ := json.Marshal(map[string]any{
		"resource_id": id, "type": "text", "title": "Big", "source_path": "poem.txt", "nodes": nodes,
		"metadata": map[string]any{}, "created_at": "2025-02-16T14:32:10Z",
	})
	return string(data)
}

// OddMap has fields that are not what they should be.
const OddMap = `{
  "resource_id": "odd", "type": "text", "title": null, "source_path": "poem.txt", "next_cursor": 5, "created_at": "yesterday",
  "nodes": [
    {"id": "a", "type": "x", "location": {"modality": "text", "lines": ["one", {}]}, "child_count": "many", "parent_id": [1]},
    {"id": "b", "type": "x", "location": 17},
    {"id": "c", "type": "x"}
  ]
}`

// NewDirectory returns a directory with the resources of the tests.
func NewDirectory(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"poem.txt":                 Poem,
		".resource_maps/poem.json": PoemMap,
		".resource_maps/slow.json": SlowMap,
		".resource_maps/odd.json":  OddMap,
	}
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// callMeta is what "_meta" has of the call, which is another at each one.
var callMeta = lazyregexp.New(`("requestId":)"[A-Z2-7]{26}"|("timing":)\{[^}]*\}`)

// WithoutCallMeta returns an answer with the same id and times in all of them.
func WithoutCallMeta(answer string) string {
	return callMeta.ReplaceAllString(answer, `$1$2"-"`)
}
