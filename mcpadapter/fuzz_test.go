package mcpadapter_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/citekit/citekit/mcpadapter"
)

// FuzzStream gives a server any bytes after the handshake, and then a ping,
// which must be answered. All that it writes must be messages.
func FuzzStream(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for request := range strings.Lines(string(txtar.Parse(data).Files[0].Data)) {
			f.Add([]byte(request))
		}
	}
	for _, seed := range []string{
		"hello", "[[[[", `{"jsonrpc":"2.0","id":1,"method":"ping"`, "\x00\n\xff\n{}\n[]\n", strings.Repeat("[", 3000),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt"},"argument":{}}}`,
		`{"jsonrpc":"2.0","id":"a","method":"subscriptions/listen","params":{}}`,
	} {
		f.Add([]byte(seed))
	}
	lib := newLibrary(f, nil, map[string]string{"poem": poemMap})
	f.Fuzz(func(t *testing.T, input []byte) {
		server := mcpadapter.NewServer(lib, nil)
		var out, log bytes.Buffer
		stream := mcpadapter.StreamTransport{
			Reader: strings.NewReader(initialize + "\n" + string(input) + "\n" + `{"jsonrpc":"2.0","id":"the last ping","method":"ping"}`),
			Writer: &out, MaxMessage: 64 << 10, Grace: time.Minute, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		}
		if err := stream.Serve(t.Context(), server); err != nil {
			t.Fatalf("Serve: %v", err)
		}
		if strings.Contains(log.String(), "calls in flight") {
			t.Errorf("a call was not answered: %q", out.String())
		}
		answered := false
		for l := range strings.Lines(out.String()) {
			var message struct {
				Version string `json:"jsonrpc"`
			}
			if err := json.Unmarshal([]byte(l), &message); err != nil || message.Version != "2.0" {
				t.Errorf("the server wrote %q", l)
			}
			answered = answered || l == `{"jsonrpc":"2.0","id":"the last ping","result":{}}`+"\n"
		}
		if !answered {
			t.Errorf("the ping was not answered; the server wrote %q", out.String())
		}
	})
}

// FuzzArguments gives any arguments to each tool.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `[]`, `5`, `{"resource_id":"poem"}`, `{"resource_id":"poem","node_id":"first","virtual":"true"}`,
		`{"resource_id":"poem","depth":1e309,"cursor":""}`, `{"resource_id":"poem","cursor":"eyJyIjoicG9lbSIsIm8iOjJ9"}`,
		`{"resource_id":"\u0000","node_id":"\ud800"}`, `{"resource_id":{"a":[]},"node_id":[[]]}`, `{"a":1,"a":2}`,
		`{"resource_id":"poem","node_id":"second","mode":"copy"}`,
	} {
		f.Add([]byte(seed))
	}
	session := connect(f, mcpadapter.NewServer(standardLibrary(f), nil), nil)
	f.Fuzz(func(t *testing.T, arguments []byte) {
		if !json.Valid(arguments) || bytes.Contains(arguments, []byte(`slow`)) { // its resolver waits
			t.Skip()
		}
		for _, tool := range []string{"listResources", "getStructure", "getNode", "resolve"} {
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
			if err != nil {
				t.Fatalf("%s: %v", tool, err)
			}
			text := result.Content[0].(*mcp.TextContent).Text
			if !result.IsError {
				continue
			}
			if lines := strings.Split(text, "\n"); !strings.HasPrefix(lines[0], "Error: ") || !strings.HasPrefix(lines[1], "Code: ") ||
				lines[1] == "Code: INTERNAL" || len(lines) > 3 || len(text) > 3*2000 || result.StructuredContent != nil {
				t.Errorf("%s: %q", tool, text)
			}
		}
	})
}

// FuzzReadURI reads resources by any URI. There are none.
func FuzzReadURI(f *testing.F) {
	for _, seed := range []string{"", "x", "zzz:///\u0007", "file:///etc/passwd", "\x00", "\u2028\"\\", "citekit://../..", "\xff",
		"citekit://maps/poem", "citekit://map/poem", "citekit://nodes/poem/first.a", "citekit://maps/%ff", "text://poem#lines=1-2", "text://..#lines=1", "virtual://poem#x"} {
		f.Add(seed)
	}
	lib := standardLibrary(f)
	f.Fuzz(func(t *testing.T, uri string) {
		server := mcpadapter.NewServer(lib, nil)
		request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": map[string]any{"uri": uri}})
		if err != nil {
			t.Skip()
		}
		var out bytes.Buffer
		if err := mcpadapter.ServeStdio(t.Context(), server, strings.NewReader(initialize+"\n"+string(request)+"\n"+ping), &out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), pong) || strings.Count(out.String(), "\n") != 3 {
			t.Errorf("the server wrote %q", out.String())
		}
	})
}
