package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

// TestBadLines sends lines that are not messages, and then a ping.
func TestBadLines(t *testing.T) {
	rejected := func(id string, code int, message string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q,"data":{"details":%[3]q}}}`, id, code, message)
	}
	deep := func(n int) string { return strings.Repeat(`[`, n) + strings.Repeat(`]`, n) }
	const notJSON = "the message is not valid JSON on one line"
	const notRPC = "not a JSON-RPC 2.0 request, notification or response"
	const neither = "a request has a method, and an answer either result or error"
	const badID = "an id is a string, or a whole number up to 2^53"
	const halfID = "the id has half a surrogate pair, or bytes that are not UTF-8, so it cannot come back unchanged; send an id of whole characters"
	tests := []struct{ name, line, want string }{
		{"empty", "", ""},
		{"spaces", " \t\r", ""},
		{"text", "hello", rejected("null", -32700, notJSON)},
		{"zero bytes", "\x00\x00", rejected("null", -32700, notJSON)},
		{"not UTF-8 around JSON", "\xff\xfe{}", rejected("null", -32700, notJSON)},
		{"cut off", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"na`, rejected("7", -32700, notJSON)},
		{"cut off before the id", `{"jsonrpc":"2.0","method":"tools/call","params":{"id":7`, rejected("null", -32700, notJSON)},
		{"two on one line", mcptest.Ping + mcptest.Ping, rejected(`"still there"`, -32700, notJSON)},
		{"deep", `{"jsonrpc":"2.0","id":"a\nb","method":"ping","params":` + deep(1000) + `}`,
			rejected(`"a\nb"`, -32700, "JSON nested more than 1000 deep")},
		{"deep, id last", `{"method":"ping","params":` + deep(5000) + `,"jsonrpc":"2.0","id":8}`,
			rejected("8", -32700, "JSON nested more than 1000 deep")},
		{"very deep and cut off", strings.Repeat(`{"a":`, 50_000), rejected("null", -32700, "JSON nested more than 1000 deep")},
		{"brackets in a string are not deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\"` + strings.Repeat("[", 2000) + `"}}`,
			`{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"batch", "[" + mcptest.Ping + "]", rejected("null", -32600, "batches are not supported; send one message a line")},
		{"number", "42", rejected("null", -32600, "a message is a JSON object")},
		{"other object", `{"id":3}`, rejected("3", -32600, notRPC)},
		{"no method", `{"jsonrpc":"2.0","id":3}`, rejected("3", -32600, neither)},
		{"no method, but parameters", `{"jsonrpc":"2.0","id":"three","params":{}}`, rejected(`"three"`, -32600, neither)},
		{"no method and no id", `{"jsonrpc":"2.0"}`, rejected("null", -32600, notRPC)},
		{"method in another case", `{"jsonrpc":"2.0","id":3,"Method":"ping"}`, rejected("3", -32600, neither)},
		{"empty method", `{"jsonrpc":"2.0","id":3,"method":""}`, rejected("3", -32600, neither)},
		{"method is null", `{"jsonrpc":"2.0","id":3,"method":null}`, rejected("3", -32600, neither)},
		{"answer without result or error", `{"jsonrpc":"2.0","id":3,"error":null}`, rejected("3", -32600, neither)},
		{"id is null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, rejected("null", -32600, badID)},
		{"id of a notification is null", `{"jsonrpc":"2.0","id":null,"method":"notifications/nothing"}`, ""},
		{"unasked error", `{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"no"}}`, ""},
		{"version", `{"jsonrpc":"1.0","id":3,"method":"ping"}`, rejected("3", -32600, notRPC)},
		{"method is a number", `{"jsonrpc":"2.0","id":3,"method":5}`, rejected("3", -32600, notRPC)},
		{"id is an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, rejected("null", -32600, notRPC)},
		{"id is a fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, rejected("null", -32600, badID)},
		{"id is rounded", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, rejected("null", -32600, badID)},
		{"id is half a pair", `{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`, rejected("null", -32600, halfID)},
		{"id is the other half", `{"jsonrpc":"2.0","method":"ping","id":"a\uDC00"}`, rejected("null", -32600, halfID)},
		{"id is halves in disorder", `{"jsonrpc":"2.0","id":"\udc00\ud800","method":"ping"}`, rejected("null", -32600, halfID)},
		{"id is half a pair before an escape", `{"jsonrpc":"2.0","id":"\ud83d\n","method":"ping"}`, rejected("null", -32600, halfID)},
		{"id is not UTF-8", `{"jsonrpc":"2.0","id":"` + "\xff" + `","method":"ping"}`, rejected("null", -32600, halfID)},
		{"id is a pair", `{"jsonrpc":"2.0","id":"\ud83d\ude00","method":"ping"}`, `{"jsonrpc":"2.0","id":"😀","result":{}}`},
		{"id is U+FFFD", `{"jsonrpc":"2.0","id":"\ufffd\\ud800","method":"ping"}`, `{"jsonrpc":"2.0","id":"�\\ud800","result":{}}`},
		{"id is in another case", `{"jsonrpc":"2.0","ID":5,"id":4,"method":"ping"}`, `{"jsonrpc":"2.0","id":4,"result":{}}`},
		{"largest id", `{"jsonrpc":"2.0","id":9007199254740992,"method":"ping"}`, `{"jsonrpc":"2.0","id":9007199254740992,"result":{}}`},
		{"unasked answer", `{"jsonrpc":"2.0","id":3,"result":{}}`, ""},
		{"unknown notification", `{"jsonrpc":"2.0","method":"notifications/nothing"}`, ""},
		{"cancels nothing", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`, ""},
		{"cancels an object", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`, ""},
		{"cancels without parameters", `{"jsonrpc":"2.0","method":"notifications/cancelled"}`, ""},
		{"null parameters", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":null}`,
			rejected("3", -32602, `handling 'tools/call': invalid request: missing required "params"`)},
		{"no parameters", `{"jsonrpc":"2.0","id":3,"method":"resources/read"}`, rejected("3", -32602, `invalid request: missing required "params"`)},
		{"initialize with a number", `{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":5}}`,
			rejected("3", -32602, "the params of initialize cannot be read; they are an object with protocolVersion, capabilities and clientInfo")},
		{"too long", `{"jsonrpc":"2.0","id":6,"method":"ping","params":{"x":"` + strings.Repeat("x", 300_000) + `"}}`,
			rejected("6", -32600, "a message of more than 262144 bytes")},
		{"carriage return", `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\r", `{"jsonrpc":"2.0","id":1,"result":{}}`},
	}
	// Twice over: before the handshake and after.
	for _, started := range []bool{false, true} {
		server := mcpadapter.NewServer(mcptest.StandardLibrary(t), nil)
		w := mcptest.Serve(t, server, transport.StreamTransport{Tools: mcpadapter.Tools(), MaxMessage: 256 << 10})
		if started {
			w.Start()
		}
		for _, test := range tests {
			w.Send(test.line)
			if test.want != "" {
				if got := w.Next(); got != test.want && (started || !strings.HasSuffix(test.name, " parameters")) {
					t.Errorf("%s:\n got %.300s\nwant %s", test.name, got, test.want)
				}
			}
			w.Send(mcptest.Ping)
			if got := w.Next(); got != mcptest.Pong {
				t.Fatalf("%s: then ping: %s", test.name, got)
			}
		}
	}
}

func TestLongestLine(t *testing.T) {
	message := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, end := range []string{"\n", "\r\n"} {
		server := mcpadapter.NewServer(mcptest.StandardLibrary(t), nil)
		w := mcptest.Serve(t, server, transport.StreamTransport{Tools: mcpadapter.Tools(), MaxMessage: len(message) + len(end) - 1})
		w.Send(message + strings.TrimSuffix(end, "\n"))
		if got := w.Next(); !strings.Contains(got, "result") {
			t.Errorf("a message as long as the limit: %s", got)
		}
		w.Send(message + "   ")
		if got := w.Next(); !strings.Contains(got, "a message of more than") {
			t.Errorf("a message over the limit: %s", got)
		}
	}
}

// TestEndOfInput ends the input with a call in flight: a call that takes
// little time is answered, one that does not end is cancelled.
func TestEndOfInput(t *testing.T) {
	slow := mcptest.NewSlowResolver()
	lib := mcptest.NewLibrary(t, slow, map[string]string{"slow": mcptest.SlowMap})

	w := mcptest.Serve(t, mcpadapter.NewServer(lib, nil), transport.StreamTransport{}).Start()
	w.Call(1, "resolve", `{"resource_id":"slow","node_id":"short"}`)
	<-slow.Started
	w.In.Close()
	slow.Released <- struct{}{}
	if got := w.Next(); !strings.Contains(got, `"output_path":"memory`) {
		t.Errorf("the call in flight: %s", got)
	}
	if err := w.Ended(); err != nil {
		t.Errorf("Serve: %v", err)
	}

	w = mcptest.Serve(t, mcpadapter.NewServer(lib, nil), transport.StreamTransport{Tools: mcpadapter.Tools(), Grace: 50 * time.Millisecond}).Start()
	w.Call(1, "resolve", `{"resource_id":"slow","node_id":"wait"}`)
	<-slow.Started
	w.In.Close()
	<-slow.Cancelled
	if err := w.Ended(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// TestLastLineWithoutEnd has a request that ends with the input, not with a
// line feed.
func TestLastLineWithoutEnd(t *testing.T) {
	var out bytes.Buffer
	server := mcpadapter.NewServer(mcptest.StandardLibrary(t), nil)
	if err := mcpadapter.ServeStdio(t.Context(), server, strings.NewReader(mcptest.Ping), &out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != mcptest.Pong+"\n" {
		t.Errorf("got %q", got)
	}
}

func TestServeStopsWithContext(t *testing.T) {
	slow := mcptest.NewSlowResolver()
	lib := mcptest.NewLibrary(t, slow, map[string]string{"slow": mcptest.SlowMap})
	ctx, cancel := context.WithCancel(t.Context())
	w := mcptest.ServeContext(t, ctx, mcpadapter.NewServer(lib, nil), transport.StreamTransport{}).Start()
	w.Call(1, "resolve", `{"resource_id":"slow","node_id":"wait"}`)
	<-slow.Started
	cancel()
	<-slow.Cancelled
	if err := w.Ended(); !errors.Is(err, context.Canceled) {
		t.Errorf("Serve: %v", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestClientStopsReading(t *testing.T) {
	in, client := io.Pipe()
	defer client.Close()
	go io.WriteString(client, mcptest.Ping+"\n")
	err := mcpadapter.ServeStdio(t.Context(), mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), in, brokenWriter{})
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Serve: %v", err)
	}
}

// TestCancelled cancels a call: its context ends, it is not answered, and its
// id can be used again.
func TestCancelled(t *testing.T) {
	slow := mcptest.NewSlowResolver()
	lib := mcptest.NewLibrary(t, slow, map[string]string{"slow": mcptest.SlowMap})
	w := mcptest.Serve(t, mcpadapter.NewServer(lib, nil), transport.StreamTransport{}).Start()
	w.Call(7, "resolve", `{"resource_id":"slow","node_id":"wait"}`)
	<-slow.Started
	w.Call(7, "listResources", `{}`)
	if got := w.Next(); !strings.Contains(got, `"id":null`) || !strings.Contains(got, "id 7 is in use") {
		t.Errorf("a second call under the id: %s", got)
	}
	w.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	<-slow.Cancelled
	w.Send(mcptest.Ping)
	if got := w.Next(); got != mcptest.Pong {
		t.Errorf("after a cancelled call: %s", got)
	}
	for range 1000 { // until the call has noticed
		w.Call(7, "listResources", `{}`)
		if got := w.Next(); strings.Contains(got, `"resources":["slow"]`) {
			return
		} else if !strings.Contains(got, "id 7 is in use") {
			t.Fatalf("the id used again: %s", got)
		}
	}
	t.Error("the id cannot be used again")
}

// TestEscapedIDs has ids that are written with escapes: each is answered, and
// none is taken for another.
func TestEscapedIDs(t *testing.T) {
	w := mcptest.Serve(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), transport.StreamTransport{}).Start()
	for written, id := range map[string]string{`"\u0061"`: `"a"`, `"req\/1"`: `"req/1"`, `"\u00e9"`: `"é"`, `"0"`: `"0"`, `0`: `0`} {
		w.Send(`{"jsonrpc":"2.0","id":` + written + `,"method":"ping"}`)
		if got := w.Next(); !strings.Contains(got, `"id":`+id+`,`) || !strings.Contains(got, `"result"`) {
			t.Errorf("id %s: %s", written, got)
		}
	}
	w.In.Close()
	if err := w.Ended(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// TestCancelledByAnotherKey sends notifications that name a call under a key
// that only looks like the right one: the call is answered.
func TestCancelledByAnotherKey(t *testing.T) {
	slow := mcptest.NewSlowResolver()
	lib := mcptest.NewLibrary(t, slow, map[string]string{"slow": mcptest.SlowMap})
	w := mcptest.Serve(t, mcpadapter.NewServer(lib, nil), transport.StreamTransport{}).Start()
	w.Call(40, "resolve", `{"resource_id":"slow","node_id":"short"}`)
	<-slow.Started
	for _, params := range []string{`{"requestid":40}`, `{"requestId":99,"RequestId":40}`, `{"requestId":40,"requestId":99}`} {
		w.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":` + params + `}`)
	}
	w.Send(mcptest.Ping)
	if got := w.Next(); got != mcptest.Pong {
		t.Errorf("ping: %s", got)
	}
	slow.Released <- struct{}{}
	if got := w.Next(); !strings.Contains(got, `"id":40`) || !strings.Contains(got, "output_path") {
		t.Errorf("the call: %s", got)
	}
}

func TestBusy(t *testing.T) {
	slow := mcptest.NewSlowResolver()
	lib := mcptest.NewLibrary(t, slow, map[string]string{"slow": mcptest.SlowMap})
	w := mcptest.Serve(t, mcpadapter.NewServer(lib, nil), transport.StreamTransport{Tools: mcpadapter.Tools(), MaxCalls: 2}).Start()
	w.Call(1, "resolve", `{"resource_id":"slow","node_id":"wait"}`)
	w.Call(2, "resolve", `{"resource_id":"slow","node_id":"wait"}`)
	w.Call(3, "listResources", `{}`)
	if got, want := w.Next(), `{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"busy; 2 calls are in flight","data":{"details":"busy; 2 calls are in flight"}}}`; got != want {
		t.Errorf("got %s", got)
	}
	w.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	w.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
}

func TestProgress(t *testing.T) {
	slow := mcptest.NewSlowResolver()
	lib := mcptest.NewLibrary(t, slow, map[string]string{"slow": mcptest.SlowMap})
	server := mcpadapter.NewServer(lib, &mcpadapter.Options{Heartbeat: time.Millisecond})
	w := mcptest.Serve(t, server, transport.StreamTransport{}).Start()
	w.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"p"},"name":"resolve","arguments":{"resource_id":"slow","node_id":"short"}}}`)
	last, beats := -1.0, 0
	for {
		l := w.Next()
		var message struct {
			Method string
			ID     int
			Params struct {
				ProgressToken string
				Progress      float64
				Message       string
			}
		}
		if err := json.Unmarshal([]byte(l), &message); err != nil {
			t.Fatal(err)
		}
		if message.ID == 1 {
			break
		}
		p := message.Params
		if message.Method != "notifications/progress" || p.ProgressToken != "p" || p.Progress <= last || p.Message == "" {
			t.Errorf("after progress %v: %s", last, l)
		}
		last = p.Progress
		if beats++; beats == 3 { // the start and two heartbeats
			slow.Released <- struct{}{}
		}
	}
	if beats < 4 { // those and the end
		t.Errorf("%d notifications", beats)
	}
}

// TestLogIsOneLine has hostile ids in the log.
func TestLogIsOneLine(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	w := mcptest.Serve(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), &mcpadapter.Options{Logger: logger}), transport.StreamTransport{}).Start()
	w.Call(1, "getNode", `{"resource_id":"poem","node_id":"x\nlevel=ERROR \u001b]8;;\u202e\u2028"}`)
	w.Next()
	w.In.Close()
	if err := w.Ended(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(log.String(), "\n")
	var calls []string
	for _, l := range lines {
		if strings.Contains(l, "tool call") {
			calls = append(calls, l)
		}
		if l != "" && !strings.HasPrefix(l, "time=") || strings.ContainsAny(l, "\x1b\u202e\u2028") {
			t.Errorf("log line %q", l)
		}
	}
	if len(calls) != 1 || !strings.Contains(calls[0], "code=NOT_FOUND") {
		t.Errorf("log of the call: %q", calls)
	}
}

// TestOtherFeatures adds features to the server that panic and leak.
func TestOtherFeatures(t *testing.T) {
	server := mcpadapter.NewServer(mcptest.StandardLibrary(t), nil)
	secret := errors.New("open /home/user/secret: no such device")
	type none struct{}
	mcp.AddTool(server, &mcp.Tool{Name: "panics"}, func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
		panic("oops")
	})
	server.AddResource(&mcp.Resource{URI: "x:leaks", Name: "leaks"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return nil, secret
	})
	server.AddResource(&mcp.Resource{URI: "x:panics", Name: "panics"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		panic(secret)
	})
	server.AddResource(&mcp.Resource{URI: "x:missing", Name: "missing"}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return nil, mcp.ResourceNotFoundError("x:\u0007\"")
	})
	w := mcptest.Serve(t, server, transport.StreamTransport{}).Start()
	for _, test := range []struct{ request, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"panics","arguments":{}}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"_meta":{"code":"INTERNAL","hint":"The server's log has more. Calling again may help.","requestId":"-","timing":"-"},"content":[{"type":"text","text":"Error: internal error\nCode: INTERNAL\nHint: The server's log has more. Calling again may help."}],"isError":true}}`},
		{`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"x:leaks"}}`,
			`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"internal error","data":{"code":"INTERNAL","details":"internal error. The server's log has more. Calling again may help.","requestId":"-"}}}`},
		{`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"x:panics"}}`,
			`{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"internal error","data":{"details":"internal error","requestId":"-"}}}`},
		{`{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"x:missing"}}`,
			`{"jsonrpc":"2.0","id":4,"error":{"code":-32002,"message":"Resource not found","data":{"code":"NOT_FOUND","details":"Resource not found","requestId":"-","uri":"x:missing"}}}`},
	} {
		w.Send(test.request)
		if got := mcptest.WithoutCallMeta(w.Next()); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.request, got, test.want)
		}
	}
}
