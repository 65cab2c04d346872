package mcpadapter_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
)

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
	session := mcptest.Connect(f, mcpadapter.NewServer(mcptest.StandardLibrary(f), nil), nil)
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
	lib := mcptest.StandardLibrary(f)
	f.Fuzz(func(t *testing.T, uri string) {
		server := mcpadapter.NewServer(lib, nil)
		request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": map[string]any{"uri": uri}})
		if err != nil {
			t.Skip()
		}
		var out bytes.Buffer
		if err := mcpadapter.ServeStdio(t.Context(), server, strings.NewReader(mcptest.Initialize+"\n"+string(request)+"\n"+mcptest.Ping), &out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), mcptest.Pong) || strings.Count(out.String(), "\n") != 3 {
			t.Errorf("the server wrote %q", out.String())
		}
	})
}
