package transport_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

// TestHTTPErrors sends what is wrong to each version of the protocol: each is
// answered with the code of JSON-RPC for it, under its id where that is known, and
// the server goes on.
func TestHTTPErrors(t *testing.T) {
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), &transport.HandlerOptions{MaxBodyBytes: 1 << 20}, nil)
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	call := func(id, method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, params)
	}
	for _, era := range []struct {
		name   string
		as     func(method, name string) mcptest.Client
		meta   string // of parameters
		modern bool
	}{
		{"2025-03-26", nil, "", false},
		{"2025-06-18", nil, "", false},
		{"2025-11-25", nil, "", false},
		{"2026-07-28", func(method, name string) mcptest.Client { return s.Modern(method, name) }, mcptest.ModernMeta, true},
	} {
		t.Run(era.name, func(t *testing.T) {
			if era.as == nil {
				session := s.As().Initialize(era.name)
				era.as = func(string, string) mcptest.Client { return session }
			}
			with := func(params string) string { return strings.Trim(params+","+era.meta, ",") }
			unknown := 200
			if era.modern {
				unknown = 404 // as that version has it
			}
			failed := 200
			if era.modern {
				failed = 400
			}
			for _, test := range []struct {
				what, method, name, body string
				status, code             int
				id                       string
			}{
				{"empty", "ping", "", "", 400, -32700, "null"},
				{"text", "ping", "", "hello", 400, -32700, "null"},
				{"cut off", "tools/call", "x", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"na`, 400, -32700, "7"},
				{"zero bytes", "ping", "", "\x00\x00", 400, -32700, "null"},
				{"two", "ping", "", mcptest.Ping + mcptest.Ping, 400, -32700, `"still there"`},
				{"deep", "ping", "", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + deep + `}}`, 400, -32700, "1"},
				{"number", "ping", "", "42", 400, -32600, "null"},
				{"empty batch", "ping", "", " [] ", 400, -32600, "null"},
				{"batch of numbers", "ping", "", "[1,2]", 400, -32600, "null"},
				{"other object", "ping", "", `{"id":3}`, 400, -32600, "3"},
				{"no method", "ping", "", `{"jsonrpc":"2.0","id":3}`, 400, -32600, "3"},
				{"no method, but parameters", "ping", "", `{"jsonrpc":"2.0","id":"three","params":{}}`, 400, -32600, `"three"`},
				{"method is null", "ping", "", `{"jsonrpc":"2.0","id":3,"method":null}`, 400, -32600, "3"},
				{"id is null", "ping", "", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, 400, -32600, "null"},
				{"version", "ping", "", `{"jsonrpc":"1.0","id":3,"method":"ping"}`, 400, -32600, "3"},
				{"method is a number", "ping", "", `{"jsonrpc":"2.0","id":3,"method":5}`, 400, -32600, "3"},
				{"id is an object", "ping", "", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, 400, -32600, "null"},
				{"id is a fraction", "ping", "", call("1.5", "ping", ""), 400, -32600, "null"},
				{"id is rounded", "ping", "", call("9007199254740993", "ping", ""), 400, -32600, "null"},
				{"call without id", "tools/call", "listResources", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"listResources"}}`, 400, -32600, "null"},
				{"initialize with a number", "initialize", "", call("3", "initialize", `"protocolVersion":5`), 400, -32602, "3"},
				{"initialize without parameters", "initialize", "", `{"jsonrpc":"2.0","id":3,"method":"initialize"}`, 400, -32602, "3"},
				{"unknown method", "nothing/such", "", call("3", "nothing/such", with("")), unknown, -32601, "3"},
				{"parameters are a number", "tools/call", "x", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":5}`, failed, -32602, "3"},
				{"no parameters", "tools/call", "x", `{"jsonrpc":"2.0","id":3,"method":"tools/call"}`, 200, -32602, "3"},
				{"unknown tool", "tools/call", "nothing", call("3", "tools/call", with(`"name":"nothing","arguments":{}`)), failed, -32602, "3"},
				{"unknown prompt", "prompts/get", "nothing", call(`"a\nb"`, "prompts/get", with(`"name":"nothing"`)), failed, -32602, `"a\nb"`},
				{"URI that is a number", "resources/read", "x", call("3", "resources/read", with(`"uri":5`)), failed, 0, "3"},
			} {
				status, header, body := era.as(test.method, test.name).Send("POST", "/mcp", test.body)
				var answer struct {
					ID    json.RawMessage
					Error struct {
						Code    int
						Message string
					}
				}
				if _, event, ok := strings.Cut(body, "data: "); ok {
					body = event
				}
				if err := json.Unmarshal([]byte(body), &answer); err != nil {
					t.Errorf("%s: %d %s %.300s", test.what, status, header.Get("Content-Type"), body)
					continue
				}
				if status != test.status || test.code != 0 && answer.Error.Code != test.code || answer.Error.Code == 0 || string(answer.ID) != test.id || answer.Error.Message == "" {
					t.Errorf("%s: %d %.300s; want %d, code %d, id %s", test.what, status, body, test.status, test.code, test.id)
				}
			}
			listResources(s)
		})
	}
}

// TestHTTPBatches sends batches, which only one version of the protocol has.
func TestHTTPBatches(t *testing.T) {
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), nil, nil)
	batch := `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"listResources"}}]`
	for version, want := range map[string]int{"2025-03-26": 200, "2025-06-18": 400, "2025-11-25": 400} {
		status, _, body := s.As().Initialize(version).Send("POST", "/mcp", batch)
		if status != want || want == 200 && (!strings.Contains(body, `"id":1,"result":{}`) || !strings.Contains(body, "poem")) ||
			want == 400 && !strings.Contains(body, "batches are only in version 2025-03-26") {
			t.Errorf("%s: %d %q", version, status, body)
		}
	}
	ping := `,{"jsonrpc":"2.0","id":%d,"method":"ping"}`
	long := ""
	for i := range 101 {
		long += fmt.Sprintf(ping, i)
	}
	status, _, body := s.As().Initialize("2025-03-26").Send("POST", "/mcp", "["+long[1:]+"]")
	if status != 400 || !strings.Contains(body, "the batch has 101 messages; send at most 100 at a time") {
		t.Errorf("a long batch: %d %.300s", status, body)
	}
}

// TestHTTPNoSession calls without a session that is needed, and with one that is
// not there.
func TestHTTPNoSession(t *testing.T) {
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), nil, nil)
	const list = `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`
	for _, c := range []mcptest.Client{s.As(), s.As("Mcp-Protocol-Version", "2025-06-18")} {
		for _, body := range []string{list, "[" + list + "]"} {
			if c.Header.Get("Mcp-Protocol-Version") != "" && body != list {
				continue
			}
			status, _, got := c.Send("POST", "/mcp", body)
			if status != 400 || !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"no session; call initialize first`) {
				t.Errorf("%d %s", status, got)
			}
		}
	}
	status, _, got := s.As("Mcp-Session-Id", "nothing", "Mcp-Protocol-Version", "2025-06-18").Send("POST", "/mcp", list)
	if status != 404 || !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":3,"error":{"code":-32001`) {
		t.Errorf("another session: %d %s", status, got)
	}
	stateless := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), &transport.HandlerOptions{Stateless: true}, nil)
	if status, _, got := stateless.As("Mcp-Protocol-Version", "2025-06-18").Send("POST", "/mcp", list); status != 200 || !strings.Contains(got, "getNode") {
		t.Errorf("a server without sessions: %d %.200s", status, got)
	}
}

// FuzzHTTPBody sends bodies of every kind: each answer that is an error is one of
// JSON-RPC, with a code.
func FuzzHTTPBody(f *testing.F) {
	for _, body := range []string{
		mcptest.Ping, "[" + mcptest.Ping + "]", "[" + mcptest.Ping + `,{"jsonrpc":"2.0","id":2,"method":"tools/list"}]`, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":"\u00e9","method":"nothing/such","params":{}}`, `{"jsonrpc":"2.0","id":3,"method":"tools/call"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `{"jsonrpc":"2.0","id":3,"result":{}}`, "[[[", `{"id":`, "\xff",
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
	} {
		for version := range uint8(4) {
			f.Add(body, version)
		}
	}
	handler := mcpadapter.NewHandler(mcpadapter.NewServer(mcptest.StandardLibrary(f), nil), &transport.HandlerOptions{Stateless: true})
	f.Fuzz(func(t *testing.T, body string, version uint8) {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/mcp", strings.NewReader(body))
		r.Host = "127.0.0.1"
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		if v := []string{"", "2025-03-26", "2025-11-25", "2026-07-28"}[version%4]; v != "" {
			r.Header.Set("Mcp-Protocol-Version", v)
		}
		if strings.Contains(body, "subscriptions/listen") {
			return // it lasts
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		if w.Code != 400 && w.Code != 404 {
			return
		}
		var answer struct {
			ID    json.RawMessage
			Error struct{ Code int }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Error.Code == 0 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}

// TestHTTPSecondInitialize begins a session that there is: the SDK's errors of that
// have no code.
func TestHTTPSecondInitialize(t *testing.T) {
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), nil, nil)
	session := s.As().Initialize("2025-11-25")
	if status, _, body := session.Send("POST", "/mcp", fmt.Sprintf(mcptest.InitializeMessage, "2025-11-25")); status != 200 || !strings.Contains(body, `"error":{"code":-32600,"message":"duplicate \"initialize\" received"`) {
		t.Errorf("%d %s", status, body)
	}
}

// TestHTTPAnyBody has bodies of any length allowed.
func TestHTTPAnyBody(t *testing.T) {
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), &transport.HandlerOptions{MaxBodyBytes: math.MaxInt64}, nil)
	if status, _, body := s.As().Send("POST", "/mcp", mcptest.Ping+strings.Repeat(" ", 100_000)); status != 200 || !strings.Contains(body, `"result":{}`) {
		t.Errorf("%d %s", status, body)
	}
}
