package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

// A gate is a client that reads nothing after the first message until it is
// opened.
type gate struct {
	open  chan struct{}
	first sync.Once

	mu  sync.Mutex
	out bytes.Buffer
}

func (g *gate) Write(p []byte) (int, error) {
	wait := true
	g.first.Do(func() { wait = false })
	if wait {
		<-g.open
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.out.Write(p)
}

// answers returns the ids that were answered, each with its line.
func (g *gate) answers(t *testing.T) map[int]string {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	byID := make(map[int]string)
	for l := range strings.Lines(g.out.String()) {
		if strings.TrimSpace(l) == mcptest.Pong {
			continue
		}
		var message struct{ ID int }
		if err := json.Unmarshal([]byte(l), &message); err != nil {
			t.Fatalf("%v in %.200s", err, l)
		}
		if byID[message.ID] != "" {
			t.Errorf("%d is answered twice", message.ID)
		}
		byID[message.ID] = l
	}
	return byID
}

// A flood is a server whose client sends calls and reads nothing.
type flood struct {
	gate
	in      *io.PipeWriter
	ended   chan error
	started atomic.Int32 // calls that the server has begun
	pinged  chan struct{}
}

func newFlood(t *testing.T) *flood {
	t.Helper()
	lib := mcptest.NewLibrary(t, nil, map[string]string{"big": mcptest.BigMap("big", 200)})
	f := &flood{gate: gate{open: make(chan struct{})}, ended: make(chan error, 1), pinged: make(chan struct{}, 1)}
	server := mcpadapter.NewServer(lib, nil)
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			switch method {
			case "tools/call":
				f.started.Add(1)
			case "ping":
				f.pinged <- struct{}{}
			}
			return next(ctx, method, req)
		}
	})
	var in io.Reader
	in, f.in = io.Pipe()
	go func() {
		f.ended <- (&transport.StreamTransport{Tools: mcpadapter.Tools(), Reader: in, Writer: f, Grace: 1 << 40}).Serve(t.Context(), server)
	}()
	t.Cleanup(func() { f.in.Close() })
	f.send(t, mcptest.Initialize, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return f
}

func (f *flood) send(t *testing.T, lines ...string) {
	t.Helper()
	if _, err := io.WriteString(f.in, strings.Join(lines, "\n")+"\n"); err != nil {
		t.Fatal(err)
	}
}

func structureCall(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"getStructure","arguments":{"resource_id":"big"}}}`, id)
}

// TestClientReadsLate sends many calls with long answers before it reads any:
// few are begun, one is cancelled while it waits, and all others are answered
// although the input ends.
func TestClientReadsLate(t *testing.T) {
	const calls = 50
	f := newFlood(t)
	for id := range calls {
		f.send(t, structureCall(id+1))
	}
	f.send(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":50}}`, structureCall(calls+1), mcptest.Ping)
	f.in.Close()
	<-f.pinged // so all before it has been read
	if started := f.started.Load(); started > 2 {
		t.Errorf("%d calls were begun", started)
	}
	close(f.open)
	if err := <-f.ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
	answers := f.answers(t)
	for id := range calls + 2 {
		if id == 50 {
			continue
		}
		if want := `"result"`; !strings.Contains(answers[id], want) {
			t.Errorf("call %d: %.100q", id, answers[id])
		}
	}
	if answers[50] != "" || len(answers) != calls+1 || f.started.Load() != calls {
		t.Errorf("%d answers, %d calls begun; the cancelled call: %.100q", len(answers), f.started.Load(), answers[50])
	}
}

// TestQueuePassesOthers has calls of other tools overtake those that wait.
func TestQueuePassesOthers(t *testing.T) {
	slow := mcptest.NewSlowResolver()
	lib := mcptest.NewLibrary(t, slow, map[string]string{"slow": mcptest.SlowMap})
	w := mcptest.Serve(t, mcpadapter.NewServer(lib, nil), transport.StreamTransport{}).Start()
	for id := range 8 {
		w.Call(id+1, "resolve", `{"resource_id":"slow","node_id":"wait"}`)
	}
	w.Call(9, "getStructure", `{"resource_id":"slow"}`)
	if got := w.Next(); !strings.Contains(got, `"id":9,`) {
		t.Errorf("got %s", got)
	}
}

// TestManyBytesInFlight sends long calls while one does not end.
func TestManyBytesInFlight(t *testing.T) {
	slow := mcptest.NewSlowResolver()
	lib := mcptest.NewLibrary(t, slow, map[string]string{"slow": mcptest.SlowMap})
	w := mcptest.Serve(t, mcpadapter.NewServer(lib, nil), transport.StreamTransport{Tools: mcpadapter.Tools(), MaxMessage: 4 << 10}).Start()
	padding := strings.Repeat(" ", 3<<10)
	for id := range 22 {
		w.Call(id+1, "resolve", `{"resource_id":"slow",`+padding+`"node_id":"wait"}`)
	}
	if got := w.Next(); !strings.Contains(got, `"error":{"code":-32000,"message":"busy; 20 calls are in flight",`) {
		t.Errorf("got %.300s", got)
	}
}

// TestLongIDs sends ids that no map should have.
func TestLongIDs(t *testing.T) {
	session := mcptest.Connect(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), nil)
	long := strings.Repeat("x", 16<<10+1)
	for _, call := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"getNode", map[string]any{"resource_id": "poem", "node_id": long}},
		{"resolve", map[string]any{"resource_id": "poem", "node_id": long}},
		{"getStructure", map[string]any{"resource_id": long}},
		{"getStructure", map[string]any{"resource_id": "poem", "node_id": long}},
	} {
		text, result := mcptest.CallTool(t, session, call.tool, call.arguments)
		if !result.IsError || result.Meta["code"] != "INVALID_INPUT" || !strings.Contains(text, "has 16385 bytes; at most 16384") || len(text) > 300 {
			t.Errorf("%s: %.300s", call.tool, text)
		}
	}
	text, _ := mcptest.CallTool(t, session, "getNode", map[string]any{"resource_id": "poem", "node_id": long[1:]})
	if !strings.Contains(text, "not found") || len(text) > 3000 {
		t.Errorf("an id of 16 KiB: %.300s", text)
	}
}

// TestCancelledCallsMakeRoom fills all places for calls, and cancels those who
// have one and those who wait for one.
func TestCancelledCallsMakeRoom(t *testing.T) {
	const calls = 100
	slow := mcptest.NewSlowResolver()
	lib := mcptest.NewLibrary(t, slow, map[string]string{"slow": mcptest.SlowMap, "poem": mcptest.PoemMap})
	w := mcptest.Serve(t, mcpadapter.NewServer(lib, nil), transport.StreamTransport{}).Start()
	for round := range 2 {
		first := 1 + round*(calls+1) // an id may be taken until its call has ended, which nothing tells
		for id := range calls {
			w.Call(first+id, "resolve", `{"resource_id":"slow","node_id":"wait"}`)
		}
		<-slow.Started
		for id := range calls {
			w.Send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, first+id))
		}
		w.Call(first+calls, "resolve", `{"resource_id":"poem","node_id":"first"}`)
		if got := w.Next(); !strings.Contains(got, fmt.Sprintf(`"id":%d,`, first+calls)) || strings.Contains(got, `"isError":true`) {
			t.Errorf("got %.300s", got)
		}
	}
}
