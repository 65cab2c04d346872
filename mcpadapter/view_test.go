package mcpadapter_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/server/transport"
	"github.com/citekit/citekit/workspace"
)

const page = "ui://citekit/evidence"

// showing are the options of a client that can show pages.
func showing() *mcp.ClientOptions {
	can := &mcp.ClientCapabilities{}
	can.AddExtension("io.modelcontextprotocol/ui", map[string]any{"mimeTypes": []string{"text/html;profile=mcp-app"}})
	return &mcp.ClientOptions{Capabilities: can}
}

// shelf returns files whose server has all tools that read: the poem, a text with a
// character that cannot be seen, and a picture.
func shelf(t *testing.T, opts *mcpadapter.Options) *corpus.Corpus {
	t.Helper()
	ws := workspace.NewMemory(nil)
	ws.AddSource("poem.txt", []byte(mcptest.Poem))
	ws.AddSource("hidden.txt", []byte("a\u202eb the kite\n"))
	var grey bytes.Buffer
	if err := png.Encode(&grey, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	ws.AddSource("grey.png", grey.Bytes())
	for id, data := range map[string]string{
		"poem":   mcptest.PoemMap,
		"grey":   `{"resource_id": "grey", "type": "image", "title": "Grey", "source_path": "grey.png", "nodes": []}`,
		"hidden": `{"resource_id": "hidden", "type": "text", "title": "Hidden", "source_path": "hidden.txt", "nodes": []}`,
	} {
		if err := ws.WriteMap(t.Context(), id, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	files := corpus.New(citekit.New(ws, modality.All(), nil), &corpus.Options{Server: opts})
	t.Cleanup(func() { files.Close() })
	return files
}

func uiOf(tool *mcp.Tool) string {
	data, _ := json.Marshal(tool.Meta)
	return string(data)
}

// TestPageIsForThoseWhoCan compares what clients get that say that they can show pages with
// what others get: the page, its tool, and which tools name it.
func TestPageIsForThoseWhoCan(t *testing.T) {
	server := shelf(t, nil).Server()
	can := mcptest.Connect(t, server, showing())
	var others []*mcp.ClientSession
	for _, settings := range []map[string]any{nil, {}, {"mimeTypes": []string{"text/html"}}} {
		opts := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
		if settings != nil {
			opts.Capabilities.AddExtension("io.modelcontextprotocol/ui", settings)
		}
		others = append(others, mcptest.Connect(t, server, opts))
	}
	without := shelf(t, nil)
	opts := without.ServerOptions()
	opts.Viewer = nil
	others = append(others, mcptest.Connect(t, mcpadapter.NewServer(without.Library, opts), showing()))

	list, err := can.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const named = `"ui":{"resourceUri":"` + page + `"`
	var plainTools []*mcp.Tool
	tokens := 0
	for _, tool := range list.Tools {
		want := map[string]string{
			"resolve": named + "}", "search": named + "}", "getContents": named + "}", "answer": named + "}", "verify": named + "}",
			"viewEvidence": named + `,"visibility":["app"]}`,
		}[tool.Name]
		if got := uiOf(tool); want == "" && got != "null" || !strings.Contains(got, want) {
			t.Errorf("%s: _meta %s; want %s", tool.Name, got, want)
		}
		if tool.Name == "viewEvidence" {
			if !tool.Annotations.ReadOnlyHint {
				t.Errorf("%s may write", tool.Name)
			}
			continue
		}
		one := *tool
		one.Meta = nil
		plainTools = append(plainTools, &one)
		compact, _ := json.Marshal(&one)
		tokens += plain.CountTokens(string(compact))
	}
	if tokens >= 4000 {
		t.Errorf("the tools that models see have %d tokens", tokens)
	}
	if extensions := can.InitializeResult().Capabilities.Extensions; extensions["io.modelcontextprotocol/ui"] == nil {
		t.Errorf("the server announces %v", extensions)
	}
	read, err := can.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: page})
	if err != nil {
		t.Fatal(err)
	}
	if c := read.Contents[0]; len(read.Contents) != 1 || c.URI != page || c.MIMEType != "text/html;profile=mcp-app" || !strings.HasPrefix(c.Text, "<!doctype html>") {
		t.Errorf("%d contents, %s of %s: %.100s", len(read.Contents), c.MIMEType, c.URI, c.Text)
	}
	for i, other := range others {
		list, err := other.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(list.Tools, plainTools) {
			t.Errorf("client %d gets other tools than one that can show pages", i)
		}
		if extensions := other.InitializeResult().Capabilities.Extensions; len(extensions) > 0 {
			t.Errorf("client %d hears of %v", i, extensions)
		}
		_, missing := other.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: page})
		_, unknown := other.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "ui://citekit/nothing"})
		if missing == nil || unknown == nil || missing.Error() != strings.ReplaceAll(unknown.Error(), "nothing", "evidence") {
			t.Errorf("client %d: reading the page: %v; reading nothing: %v", i, missing, unknown)
		}
		_, hidden := other.CallTool(t.Context(), &mcp.CallToolParams{Name: "viewEvidence", Arguments: map[string]any{"address": "text://poem"}})
		_, unknown = other.CallTool(t.Context(), &mcp.CallToolParams{Name: "nosuchTool", Arguments: map[string]any{"address": "text://poem"}})
		if hidden == nil || unknown == nil || hidden.Error() != strings.ReplaceAll(unknown.Error(), "nosuchTool", "viewEvidence") {
			t.Errorf("client %d: a call: %v; of an unknown tool: %v", i, hidden, unknown)
		}
	}
	resources, err := can.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range resources.Resources {
		if r.URI == page {
			t.Error("the page is listed among what can be cited")
		}
	}
}

// TestPageIsStateless asks as clients of the newest protocol do, which say in each request
// what they can, and as older ones without a session, which do not.
func TestPageIsStateless(t *testing.T) {
	handler := mcpadapter.NewHandler(shelf(t, nil).Server(), &transport.HandlerOptions{Stateless: true})
	newest := http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/list"}}
	for _, test := range []struct {
		header http.Header
		params string
		want   bool
	}{
		{newest, `,"params":{` + capable + `}`, true},
		{newest, `,"params":{` + mcptest.ModernMeta + `}`, false},
		{nil, "", false},
	} {
		got := postRPC(t, handler, test.header, `{"jsonrpc":"2.0","id":1,"method":"tools/list"`+test.params+`}`)
		if !strings.Contains(got, `"name":"getContents"`) || strings.Contains(got, page) != test.want || strings.Contains(got, "viewEvidence") != test.want {
			t.Errorf("%s: %.300s", test.params, got)
		}
	}
}

// TestPageNeedsGetContents checks that options, grants and headers that leave out
// getContents leave out the page and its tool too, and that those that leave it keep them,
// though they do not name the tool.
func TestPageNeedsGetContents(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*mcpadapter.Options)
		grant  *access.Grant
		want   bool
	}{
		{"all", nil, nil, true},
		{"read", func(o *mcpadapter.Options) { o.Toolsets = []string{"read"} }, nil, true},
		{"some", func(o *mcpadapter.Options) { o.Tools = []string{"getContents", "search"} }, nil, true},
		{"search", func(o *mcpadapter.Options) { o.Toolsets = []string{"search"} }, nil, false},
		{"others", func(o *mcpadapter.Options) { o.Tools = []string{"resolve"} }, nil, false},
		{"adjusted", func(o *mcpadapter.Options) {
			o.Adjust = func() mcpadapter.Adjustment { return mcpadapter.Adjustment{Tools: []string{"search", "resolve"}} }
		}, nil, false},
		{"read-only", func(o *mcpadapter.Options) { o.ReadOnly = true }, nil, true},
		{"grant", nil, &access.Grant{Tools: []string{"getContents"}}, true},
		{"other grant", nil, &access.Grant{Tools: []string{"resolve", "search"}}, false},
		{"other dialect", func(o *mcpadapter.Options) {
			o.Dialects = []mcpadapter.Dialect{{Name: "other", Tools: []mcpadapter.DialectTool{{
				Name: "viewEvidence", Toolset: "read", Input: json.RawMessage(`{"type":"object","additionalProperties":true}`),
				Call: func(context.Context, json.RawMessage) (mcpadapter.DialectResult, error) {
					return mcpadapter.DialectResult{Data: json.RawMessage(`{}`)}, nil
				},
			}}}}
		}, nil, false},
	} {
		files := shelf(t, nil)
		opts := files.ServerOptions()
		if test.change != nil {
			test.change(opts)
		}
		h := &transport.HandlerOptions{Stateless: true, Tools: mcpadapter.ToolsOf(opts)}
		if test.grant != nil {
			test.grant.Workspaces = []string{"a"}
			h.Authenticate = auth.RequireBearerToken(func(context.Context, string, *http.Request) (*auth.TokenInfo, error) {
				info := transport.Identify(test.grant, "a")
				info.Expiration = time.Now().Add(time.Hour)
				return info, nil
			}, nil)
		}
		handler := mcpadapter.NewHandler(mcpadapter.NewServer(files.Library, opts), h)
		ask := func(method, name, params string) string {
			header := http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method}, "Authorization": {"Bearer x"}}
			if name != "" {
				header.Set("Mcp-Name", name)
			}
			return postRPC(t, handler, header, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+capable+`}}`)
		}
		named := strings.Contains(ask("tools/list", "", ""), page)
		read := strings.Contains(ask("resources/read", page, `"uri":"`+page+`",`), "text/html;profile=mcp-app")
		called := strings.Contains(ask("tools/call", "viewEvidence", `"name":"viewEvidence","arguments":{"address":"text://poem#lines=1-2"},`), "spans")
		if named != test.want || read != test.want || called != test.want {
			t.Errorf("%s: tools name the page: %t, it is read: %t, its tool is called: %t; want %t", test.name, named, read, called, test.want)
		}
	}
}

// capable is "_meta" of a request whose client can show pages.
const capable = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}}`

// viewed calls the tool of the page.
func viewed(t *testing.T, session *mcp.ClientSession, arguments map[string]any) (string, []mcp.Content) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "viewEvidence", Arguments: arguments})
	if err != nil {
		t.Fatalf("%v: %v", arguments, err)
	}
	return result.Content[0].(*mcp.TextContent).Text, result.Content[1:]
}

// TestViewEvidence asks as the page does: for text with marks, which count the characters
// that are shown, for the next part, for a picture and for the evidence.
func TestViewEvidence(t *testing.T) {
	files := shelf(t, nil)
	session := mcptest.Connect(t, files.Server(), showing())
	for _, test := range []struct {
		arguments map[string]any
		want      string
	}{
		{map[string]any{"address": "text://poem#lines=2-2", "quote": "two"}, `{"address":"text://poem#lines=2-2","text":"two","marks":[[0,3]]}`},
		{map[string]any{"address": "text://poem#lines=2-2", "quote": "two"}, `"quote":{"class":"exact"`},
		{map[string]any{"address": "poem.first", "quote": "three"}, `"class":"elsewhere","address":"text://poem#lines=3-3"`},
		{map[string]any{"address": "poem.txt"}, `"state":"current"`},
		{map[string]any{"address": "text://hidden#lines=1-1", "quote": "the kite"}, `"text":"a\\u202Eb the kite","marks":[[9,17]]`},
		{map[string]any{"address": "text://none#lines=1-1"}, "NOT_FOUND"},
		{map[string]any{"address": "text://poem#lines=1-900"}, "Code: "},
		{map[string]any{"address": "text://poem", "cursor": "x"}, "the cursor: "},
		{map[string]any{"address": "text://poem", "picture": 5000}, "it must be from 128 to 2048"},
		{map[string]any{"address": "text://poem#lines=1-1", "picture": 400}, "Code: UNSUPPORTED"},
		{map[string]any{"address": "../../etc/passwd", "media": true}, "Error: "},
		{map[string]any{"quote": "two"}, "argument 'address' is missing"},
	} {
		if got, _ := viewed(t, session, test.arguments); !strings.Contains(got, test.want) {
			t.Errorf("%v: %s; want %s", test.arguments, got, test.want)
		}
	}
	text, more := viewed(t, session, map[string]any{"address": "text://poem#lines=2-3", "media": true})
	if len(more) != 1 || strings.Contains(text, "output_path") {
		t.Fatalf("%s and %d contents", text, len(more))
	}
	if c := more[0].(*mcp.EmbeddedResource).Resource; c.Text != "two\nthree\n" || c.URI != "text://poem#lines=2-3" {
		t.Errorf("evidence %+v", c)
	}
	reading := files.ServerOptions()
	reading.ReadOnly = true
	only := mcptest.Connect(t, mcpadapter.NewServer(files.Library, reading), showing())
	if text, more := viewed(t, only, map[string]any{"address": "text://poem#lines=4-4", "media": true}); !strings.Contains(text, "may only read") || len(more) > 0 {
		t.Errorf("a caller that may only read gets %s", text)
	}
	picture, more := viewed(t, session, map[string]any{"address": "image://grey", "picture": 128})
	if len(more) != 1 || more[0].(*mcp.ImageContent).MIMEType != "image/png" || !strings.Contains(picture, `"width":40`) {
		t.Errorf("%s and %d contents", picture, len(more))
	}
}

// TestViewEvidenceIsBounded asks for evidence that is too long for a message.
func TestViewEvidenceIsBounded(t *testing.T) {
	ws := workspace.NewMemory(nil)
	ws.AddSource("long.txt", []byte(strings.Repeat(strings.Repeat("x", 99)+"\n", 50_000)))
	if err := ws.WriteMap(t.Context(), "long", []byte(`{"resource_id": "long", "type": "text", "title": "Long", "source_path": "long.txt", "nodes": []}`)); err != nil {
		t.Fatal(err)
	}
	files := corpus.New(citekit.New(ws, modality.All(), nil), nil)
	t.Cleanup(func() { files.Close() })
	session := mcptest.Connect(t, files.Server(), showing())
	if text, more := viewed(t, session, map[string]any{"address": "text://long", "media": true}); !strings.Contains(text, "Code: TOO_LARGE") || len(more) > 0 {
		t.Errorf("%d contents and %.200s", len(more), text)
	}
	text, _ := viewed(t, session, map[string]any{"address": "text://long#lines=20000-20001"})
	var shown struct{ Spans []any }
	if err := json.Unmarshal([]byte(text), &shown); err != nil || len(shown.Spans) == 0 || len(shown.Spans) > 400 || len(text) > 150_000 {
		t.Errorf("%d spans in %d bytes, %v", len(shown.Spans), len(text), err)
	}
}
