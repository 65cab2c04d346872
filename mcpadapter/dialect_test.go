package mcpadapter_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

// echoSchema has each keyword that dialects use.
const echoSchema = `{
  "type": "object",
  "required": ["q"],
  "properties": {
    "q": {"type": "string", "minLength": 1},
    "mode": {"type": "string", "enum": ["auto", "graph"], "default": "auto"},
    "topK": {"type": "integer", "minimum": 1, "maximum": 50, "default": 20},
    "filters": {"$ref": "#/definitions/filters"},
    "include": {"type": "object", "properties": {"document": {"type": "boolean", "default": true}}},
    "ids": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}},
    "subject": {"type": "object", "oneOf": [
      {"type": "object", "required": ["kind", "text"], "properties": {"kind": {"const": "text"}, "text": {"type": "string"}}},
      {"type": "object", "required": ["kind", "id"], "properties": {"kind": {"const": "chunk"}, "id": {"type": "string"}}}
    ]}
  },
  "definitions": {"filters": {"type": "object", "properties": {"after": {"type": "string", "format": "date-time"}}}}
}`

// echo is a dialect whose tools return their arguments.
func echo(name string) mcpadapter.Dialect {
	return mcpadapter.Dialect{
		Name: name,
		Tools: []mcpadapter.DialectTool{{
			Name: "search", Description: "Echo.", Input: json.RawMessage(echoSchema), Toolset: mcpadapter.ToolsetSearch,
			Call: func(ctx context.Context, arguments json.RawMessage) (mcpadapter.DialectResult, error) {
				switch q := string(arguments); {
				case strings.Contains(q, "panic"):
					panic(q)
				case strings.Contains(q, "missing"):
					return mcpadapter.DialectResult{}, &citekit.NotFoundError{Kind: "resource", ID: "gone"}
				case strings.Contains(q, "broken"):
					return mcpadapter.DialectResult{}, errors.New("a path of the server")
				case strings.Contains(q, "hang"):
					<-ctx.Done()
					return mcpadapter.DialectResult{}, ctx.Err()
				}
				return mcpadapter.DialectResult{Data: arguments}, nil
			},
		}, {
			Name: "store", Description: "Write.", Input: json.RawMessage(`{"type":"object","properties":{}}`), Toolset: mcpadapter.ToolsetWrite,
			Call: func(context.Context, json.RawMessage) (mcpadapter.DialectResult, error) {
				return mcpadapter.DialectResult{Data: json.RawMessage(`{}`)}, nil
			},
		}},
		Resources: []mcpadapter.DialectResource{{
			Template: mcp.ResourceTemplate{URITemplate: "echo://things/{id}", Name: "thing"},
			Tools:    []string{"search"},
			Count:    func(context.Context) (int, error) { return 7, nil },
			Read: func(_ context.Context, uri string) ([]*mcp.ResourceContents, error) {
				id := strings.TrimPrefix(uri, "echo://things/")
				if id == "none" {
					return nil, &citekit.NotFoundError{Kind: "thing", ID: id}
				}
				return []*mcp.ResourceContents{{MIMEType: "application/json", Text: fmt.Sprintf(`{"id":%q}`, id)}}, nil
			},
		}},
		Prompts: []mcpadapter.DialectPrompt{{
			Prompt: mcp.Prompt{Name: "ask", Arguments: []*mcp.PromptArgument{{Name: "what", Required: true}}},
			Tools:  []string{"search"},
			Get: func(_ context.Context, values map[string]string) (*mcp.GetPromptResult, error) {
				return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: values["what"]}}}}, nil
			},
		}},
		Instructions: "Call search.",
	}
}

// echoing returns a session with a server that has dialects.
func echoing(t *testing.T, opts *mcpadapter.Options) *mcp.ClientSession {
	t.Helper()
	if err := opts.Check(); err != nil {
		t.Fatal(err)
	}
	return mcptest.Connect(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), opts), nil)
}

// TestDialectNames checks which names tools have beside those of other dialects, and that
// everything of this package is left out unless its dialect is given.
func TestDialectNames(t *testing.T) {
	native := mcpadapter.Dialect{Name: mcpadapter.Native}
	node := echo("other")
	node.Tools[0].Name = "getNode"
	for _, test := range []struct {
		dialects     []mcpadapter.Dialect
		readOnly     bool
		tools        string
		instructions string
	}{
		{[]mcpadapter.Dialect{echo("echo")}, false, "search store", "Call search."},
		{[]mcpadapter.Dialect{echo("echo")}, true, "search", "Call search."},
		{[]mcpadapter.Dialect{echo("echo"), echo("more")}, false, "more_search more_store search store", "Call search."},
		{[]mcpadapter.Dialect{native, node}, true, "getNode getStructure info listResources other_getNode resolve", "getNode shows"},
		{[]mcpadapter.Dialect{node, native}, true, "citekit_getNode getNode getStructure info listResources resolve", "The tool getNode of citekit is called citekit_getNode here."},
	} {
		session := echoing(t, &mcpadapter.Options{Dialects: test.dialects, ReadOnly: test.readOnly})
		if got := strings.Join(namesOf(t, session), " "); got != test.tools {
			t.Errorf("tools %s; want %s", got, test.tools)
		}
		if got := session.InitializeResult().Instructions; !strings.Contains(got, test.instructions) {
			t.Errorf("instructions %q; want %q", got, test.instructions)
		}
	}
	session := echoing(t, &mcpadapter.Options{Dialects: []mcpadapter.Dialect{node, native}})
	if text, _ := mcptest.CallTool(t, session, "citekit_getNode", map[string]any{"resource_id": "poem", "node_id": "first"}); !strings.Contains(text, `"id":"first"`) {
		t.Errorf("citekit_getNode: %s", text)
	}
	session = echoing(t, &mcpadapter.Options{Dialects: []mcpadapter.Dialect{echo("echo")}})
	if list, err := session.ListPrompts(t.Context(), nil); err != nil || len(list.Prompts) != 1 || list.Prompts[0].Name != "ask" {
		t.Errorf("prompts of another dialect: %+v, %v", list, err)
	}
	if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "citekit://maps/poem"}); err == nil {
		t.Error("a map is read though only another dialect is served")
	}
	if list, err := session.ListPrompts(t.Context(), nil); err != nil || len(list.Prompts) != 1 || list.Prompts[0].Name != "ask" {
		t.Errorf("prompts %+v, %v", list, err)
	}
	_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "serch"})
	if err == nil || !strings.Contains(err.Error(), `did you mean "search"?`) {
		t.Errorf("error of an unknown tool: %v", err)
	}
}

// TestDialectFaults checks that a dialect that cannot be served is reported.
func TestDialectFaults(t *testing.T) {
	for want, change := range map[string]func(*mcpadapter.Dialect){
		"has no name":                 func(d *mcpadapter.Dialect) { d.Name = "" },
		"unknown toolset 'x'":         func(d *mcpadapter.Dialect) { d.Tools[0].Toolset = "x" },
		`unknown field "pattern"`:     func(d *mcpadapter.Dialect) { d.Tools[0].Input = json.RawMessage(`{"type":"object","pattern":"x"}`) },
		"that of arguments is object": func(d *mcpadapter.Dialect) { d.Tools[0].Input = json.RawMessage(`{"type":"array"}`) },
		"'#/definitions/b' is none": func(d *mcpadapter.Dialect) {
			d.Tools[0].Input = json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"#/definitions/b"}}}`)
		},
		"a: type 'null' cannot be check": func(d *mcpadapter.Dialect) {
			d.Tools[0].Input = json.RawMessage(`{"type":"object","properties":{"a":{"type":"null"}}}`)
		},
	} {
		d := echo("echo")
		change(&d)
		opts := &mcpadapter.Options{Dialects: []mcpadapter.Dialect{d}}
		if err := opts.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want %s", err, want)
		}
		mcpadapter.NewServer(mcptest.StandardLibrary(t), opts) // does not panic
	}
}

// TestDialectArguments checks what arguments become before a call, and what is said of
// wrong ones.
func TestDialectArguments(t *testing.T) {
	session := echoing(t, &mcpadapter.Options{Dialects: []mcpadapter.Dialect{echo("echo")}})
	const usual = `"mode":"auto","topK":20}`
	for arguments, want := range map[string]string{
		`{"q":"a"}`:                                            `{"q":"a",` + usual,
		`{"q":7,"topK":"12","mode":null}`:                      `{"q":"7","topK":12,"mode":"auto"}`,
		`{"q":"a","topK":3e0}`:                                 `{"q":"a","topK":3,"mode":"auto"}`,
		`{"q":"a","topK":3.0,"include":{}}`:                    `{"q":"a","topK":3,"include":{"document":true},"mode":"auto"}`,
		`{"q":"a","include":"{\"document\":\"False\"}"}`:       `{"q":"a","include":{"document":false},` + usual,
		`{"q":"a","ids":{"id":"x"}}`:                           `{"q":"a","ids":[{"id":"x"}],` + usual,
		`{"q":"a","subject":{"kind":"chunk","id":"x"}}`:        `{"q":"a","subject":{"kind":"chunk","id":"x"},` + usual,
		`{"q":"a","filters":{"after":"2025-10-27T00:00:00Z"}}`: `{"q":"a","filters":{"after":"2025-10-27T00:00:00Z"},` + usual,
		`{}`:                         "argument 'q' is missing; this tool takes q, mode (optional), topK (optional), filters (optional), include (optional), ids (optional), subject (optional)",
		`{"q":null}`:                 "argument 'q' is missing",
		`{"q":""}`:                   "argument 'q' has 0 characters; it must have at least 1",
		`{"q":true}`:                 "argument 'q' is 'true'; it must be a string",
		`{"q":["a"]}`:                "argument 'q' is an array; it must be a string",
		`{"q":"a","top_k":5}`:        "unknown argument 'top_k': that is 'topK' here, a whole number",
		`{"q":"a","documents":true}`: "unknown argument 'documents'; give it as include.document",
		`{"q":"a","topK":0}`:         "argument 'topK' is '0'; it must be at least 1 and at most 50",
		`{"q":"a","topK":51}`:        "it must be at least 1 and at most 50",
		`{"q":"a","topK":1.5}`:       "argument 'topK' is '1.5'; it must be a whole number",
		`{"q":"a","topK":"x"}`:       "argument 'topK' is 'x'; it must be a whole number",
		`{"q":"a","topK":1e999}`:     "argument 'topK' is '1e999'; it must be",
		`{"q":"a","mode":"fast"}`:    "argument 'mode' is 'fast'; it must be one of auto, graph",
		`{"q":"a","filters":7}`:      "argument 'filters' is '7'; it must be an object",
		`{"q":"a","filters":{"after":"yesterday"}}`:  "argument 'filters.after' is 'yesterday'; it must be a time such as",
		`{"q":"a","filters":{"befor":"x"}}`:          "unknown argument 'filters.befor'; filters takes after (optional)",
		`{"q":"a","include":{"document":"perhaps"}}`: "argument 'include.document' is 'perhaps'; it must be true or false",
		`{"q":"a","ids":[]}`:                         "argument 'ids' has 0 values; it must have 1 to 2",
		`{"q":"a","ids":[{"id":"x"},{}]}`:            "argument 'ids[1].id' is missing; ids[1] takes id",
		`{"q":"a","ids":[null]}`:                     "argument 'ids[0]' is 'null'; it must be an object",
		`{"q":"a","subject":{"kind":"chunk"}}`:       "argument 'subject.id' is missing",
		`{"q":"a","subject":{"kind":"page"}}`:        `argument 'subject' must be an object with kind "text" or kind "chunk"`,
		`{"q":"a","q":"b"}`:                          "argument 'q' is given twice",
	} {
		text, result := mcptest.CallTool(t, session, "search", json.RawMessage(arguments))
		if bad := want[0] != '{'; bad != result.IsError || bad && (!strings.Contains(text, want) || !strings.Contains(text, "Code: INVALID_INPUT")) || !bad && text != want {
			t.Errorf("%s: %s; want %s", arguments, text, want)
		}
	}
}

// TestDialectCalls checks that calls are protected as those of this package are: by time,
// against panics, and against details of the server and hidden characters in results.
func TestDialectCalls(t *testing.T) {
	own := echo("own")
	own.Failed = func(_ context.Context, f mcpadapter.Failure) mcpadapter.DialectResult {
		data, _ := json.Marshal(map[string]any{"error": map[string]any{"code": f.Code, "message": f.Message, "limit": f.Limit.Milliseconds()}})
		return mcpadapter.DialectResult{Data: data}
	}
	session := echoing(t, &mcpadapter.Options{
		Dialects: []mcpadapter.Dialect{echo("echo"), own},
		Timeouts: map[string]time.Duration{"search": time.Millisecond, "own_search": 2 * time.Millisecond},
	})
	for _, test := range []struct{ tool, q, want, code string }{
		{"search", "panic", "Error: internal error\nCode: INTERNAL", "INTERNAL"},
		{"search", "broken", "Error: internal error\nCode: INTERNAL", "INTERNAL"},
		{"search", "missing", "Error: Resource 'gone' not found.\nCode: NOT_FOUND", "NOT_FOUND"},
		{"search", "hang", "Error: search took too long\nCode: TIMEOUT", "TIMEOUT"},
		{"own_search", "panic", `{"error":{"code":"INTERNAL","limit":0,"message":"internal error"}}`, "INTERNAL"},
		{"own_search", "hang", `{"error":{"code":"TIMEOUT","limit":2,"message":"search took too long"}}`, "TIMEOUT"},
		{"search", "a\u202eb", `{"escaped":"1 character that cannot be seen is written as its code, as in \\u202E; quote it so","q":"a\\u202Eb","mode":"auto","topK":20}`, ""},
	} {
		text, result := mcptest.CallTool(t, session, test.tool, map[string]any{"q": test.q})
		code, _ := result.Meta["code"].(string)
		if text != test.want || code != test.code || result.IsError != (code != "") || result.Meta["requestId"] == nil {
			t.Errorf("%s %q: %s, %v; want %s", test.tool, test.q, text, result.Meta, test.want)
		}
		if structured, _ := json.Marshal(result.StructuredContent); text[0] == '{' && len(structured) < 10 {
			t.Errorf("%s %q: structured content %s", test.tool, test.q, structured)
		}
	}
}

// TestDialectResources checks what clients find of the resources and prompts of a
// dialect.
func TestDialectResources(t *testing.T) {
	d := echo("echo")
	d.List = func(_ context.Context, cursor string) (page []*mcp.Resource, next string, err error) {
		if cursor == "" {
			next = "2"
		}
		return []*mcp.Resource{{URI: "echo://things/" + cursor + "x", Name: "x"}}, next, nil
	}
	session := echoing(t, &mcpadapter.Options{Dialects: []mcpadapter.Dialect{{Name: mcpadapter.Native}, d}})
	var listed []string
	for one, err := range session.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, one.URI)
	}
	if got := strings.Join(listed, " "); got != "citekit://maps/poem citekit://maps/slow echo://things/x echo://things/2x" {
		t.Errorf("listed %s", got)
	}
	templates, err := session.ListResourceTemplates(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(templates.ResourceTemplates, func(r *mcp.ResourceTemplate) bool { return r.Name == "thing" }); i < 0 || templates.ResourceTemplates[i].Meta["count"] != 7.0 {
		t.Errorf("templates %+v", templates.ResourceTemplates)
	}
	read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "echo://things/a%2Fb#c"})
	if err != nil || read.Contents[0].Text != `{"id":"a%2Fb#c"}` || read.Contents[0].URI != "echo://things/a%2Fb#c" {
		t.Errorf("read %+v, %v", read, err)
	}
	_, err = session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "echo://things/none"})
	if coded := new(jsonrpc.Error); !errors.As(err, &coded) || !strings.Contains(string(coded.Data), "NOT_FOUND") {
		t.Errorf("missing: %v", err)
	}
	got, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "ask", Arguments: map[string]string{"what": "why"}})
	if err != nil || got.Messages[0].Content.(*mcp.TextContent).Text != "why" {
		t.Errorf("prompt %+v, %v", got, err)
	}
	if _, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "ask"}); err == nil || !strings.Contains(err.Error(), "argument 'what' is missing; the prompt ask takes 'what'") {
		t.Errorf("prompt without its argument: %v", err)
	}
}

// TestDialectNarrowed checks that headers and grants leave out tools, resources and prompts of a
// dialect, as they do those of this package, and what package transport is told of calls.
func TestDialectNarrowed(t *testing.T) {
	opts := &mcpadapter.Options{Dialects: []mcpadapter.Dialect{echo("echo")}}
	for _, test := range []struct {
		header []string
		grant  access.Grant
		tools  string
		reads  bool
	}{
		{nil, access.Grant{}, "search store", true},
		{[]string{"X-MCP-Readonly", "true"}, access.Grant{}, "search", true},
		{[]string{"X-MCP-Tools", "store"}, access.Grant{}, "store", true},
		{nil, access.Grant{ReadOnly: true}, "search", true},
		{nil, access.Grant{Tools: []string{"store"}}, "store", false},
		{nil, access.Grant{Toolsets: []string{"search"}}, "search", true},
	} {
		test.grant.Workspaces = []string{"a"}
		s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), opts), &transport.HandlerOptions{
			Tools: mcpadapter.ToolsOf(opts),
			Authenticate: auth.RequireBearerToken(func(context.Context, string, *http.Request) (*auth.TokenInfo, error) {
				info := transport.Identify(&test.grant, "a")
				info.Expiration = time.Now().Add(time.Hour)
				return info, nil
			}, nil),
		}, nil)
		session := s.Connect(roundTrip(func(r *http.Request) (*http.Response, error) {
			r.Header.Set("Authorization", "Bearer x")
			for i := 0; i < len(test.header); i += 2 {
				r.Header.Set(test.header[i], test.header[i+1])
			}
			return http.DefaultTransport.RoundTrip(r)
		}))
		if got := strings.Join(namesOf(t, session), " "); got != test.tools {
			t.Errorf("%v %+v: tools %s; want %s", test.header, test.grant, got, test.tools)
		}
		for _, tool := range []string{"search", "store"} {
			arguments := map[string]any{"q": "a"}
			if tool == "store" {
				arguments = nil
			}
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
			if may := strings.Contains(test.tools, tool); may != (err == nil) || may && result.IsError {
				t.Errorf("%v %+v: %s %+v, %v", test.header, test.grant, tool, result, err)
			}
		}
		if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "echo://things/a"}); (err == nil) != test.reads {
			t.Errorf("%v %+v: read %v", test.header, test.grant, err)
		}
		if _, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "ask", Arguments: map[string]string{"what": "a"}}); (err == nil) != test.reads {
			t.Errorf("%v %+v: prompt %v", test.header, test.grant, err)
		}
	}
	tools := mcpadapter.ToolsOf(opts)
	for name, want := range map[string]transport.ToolCall{
		"search": {Name: "search"}, "store": {Name: "store", Writes: true}, "getNode": {Name: "other"}, "": {},
	} {
		if got := tools.Tool(name, json.RawMessage(`{}`)); got != want {
			t.Errorf("%s: %+v; want %+v", name, got, want)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestDialectStreams checks that a call that tells what it finds has no limit for a client
// that asked to be told, and the usual one for others.
func TestDialectStreams(t *testing.T) {
	d := echo("echo")
	d.Tools[0].Timeout = time.Hour
	d.Tools[0].Doing = "finding"
	d.Tools[0].Streams = func(arguments json.RawMessage) bool { return strings.Contains(string(arguments), "stream") }
	d.Tools[0].Call = func(ctx context.Context, _ json.RawMessage) (mcpadapter.DialectResult, error) {
		_, limited := ctx.Deadline()
		return mcpadapter.DialectResult{Data: json.RawMessage(fmt.Sprintf(`{"limited":%v}`, limited))}, nil
	}
	session := echoing(t, &mcpadapter.Options{Dialects: []mcpadapter.Dialect{d}})
	for _, test := range []struct {
		q        string
		followed bool
		want     string
	}{
		{"a", false, `{"limited":true}`}, {"a", true, `{"limited":true}`},
		{"stream", false, `{"limited":true}`}, {"stream", true, `{"limited":false}`},
	} {
		params := &mcp.CallToolParams{Name: "search", Arguments: map[string]any{"q": test.q}}
		if test.followed {
			params.SetProgressToken("token")
		}
		result, err := session.CallTool(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		if got := result.Content[0].(*mcp.TextContent).Text; got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
}
