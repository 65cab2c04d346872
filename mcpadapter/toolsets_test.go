package mcpadapter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

// ingestingOptions are those of a server with the tools that need no index.
func ingestingOptions(t testing.TB, change func(*mcpadapter.Options)) *mcp.Server {
	t.Helper()
	lib := mcptest.StandardLibrary(t)
	ingester := mcpadapter.NewIngester(lib, nil)
	t.Cleanup(func() { ingester.Close() })
	opts := &mcpadapter.Options{Ingester: ingester}
	change(opts)
	return mcpadapter.NewServer(lib, opts)
}

func namesOf(t testing.TB, session *mcp.ClientSession) []string {
	t.Helper()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

func TestToolsets(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*mcpadapter.Options)
		want   string
	}{
		{"all", func(*mcpadapter.Options) {}, "getNode getStructure info ingest ingestStatus listResources resolve"},
		{"read", func(o *mcpadapter.Options) { o.Toolsets = []string{"read"} }, "getNode getStructure info listResources resolve"},
		{"write", func(o *mcpadapter.Options) { o.Toolsets = []string{"write"} }, "ingest ingestStatus"},
		{"one", func(o *mcpadapter.Options) { o.Tools = []string{"getNode"} }, "getNode"},
		{"none", func(o *mcpadapter.Options) { o.Tools = []string{} }, ""},
		{"read-only", func(o *mcpadapter.Options) { o.ReadOnly, o.Toolsets = true, []string{"all"} }, "getNode getStructure info listResources resolve"},
		{"read-only write", func(o *mcpadapter.Options) { o.ReadOnly, o.Tools = true, []string{"ingest"} }, ""},
	} {
		session := mcptest.Connect(t, ingestingOptions(t, test.change), nil)
		names := namesOf(t, session)
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("%s: %s; want %s", test.name, got, test.want)
		}
		for _, tool := range mcpadapter.ToolNames() {
			said := strings.Contains(session.InitializeResult().Instructions, tool+" ")
			if said && !slices.Contains(names, tool) {
				t.Errorf("%s: the instructions name %s", test.name, tool)
			}
		}
	}
}

// TestReadOnly checks that every tool of such a server says that it writes
// nothing, and that resolve keeps to that.
func TestReadOnly(t *testing.T) {
	session := mcptest.Connect(t, ingestingOptions(t, func(o *mcpadapter.Options) { o.ReadOnly = true }), nil)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s may write", tool.Name)
		}
	}
	text, _ := mcptest.CallTool(t, session, "resolve", map[string]any{"resource_id": "poem", "node_id": "first", "virtual": false})
	if !strings.Contains(text, `"output_path":null`) || !strings.Contains(text, "text://poem#lines=1-2") || !strings.Contains(text, `"hint":"no file and no link`) {
		t.Error(text)
	}
	text, _ = mcptest.CallTool(t, session, "resolve", map[string]any{"resource_id": "poem", "node_id": "first", "virtual": true})
	if strings.Contains(text, "hint") {
		t.Errorf("a file that was not asked for: %s", text)
	}
}

func TestCheck(t *testing.T) {
	for want, opts := range map[string]mcpadapter.Options{
		"did you mean 'search'":     {Toolsets: []string{"serach"}},
		"did you mean 'getNode'":    {Tools: []string{"getnode"}},
		"needs options":             {Tools: []string{"ingest"}},
		"in toolset read, which is": {Toolsets: []string{"write"}, Tools: []string{"getNode"}},
		"known: read, search, wr":   {Toolsets: []string{"zzzzzzzz"}},
	} {
		if err := opts.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
	if err := (&mcpadapter.Options{Toolsets: mcpadapter.Toolsets(), Tools: []string{"getNode"}, ReadOnly: true}).Check(); err != nil {
		t.Error(err)
	}
}

// TestToolDefinitions holds the definitions of all tools to testdata/tools,
// and each tool to one toolset.
func TestToolDefinitions(t *testing.T) {
	found, err := findingServer(t).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	writing, err := mcptest.Connect(t, ingestingOptions(t, func(o *mcpadapter.Options) { o.Toolsets = []string{"write"} }), nil).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	total, read := 0, 0 // tokens of all that clients get, and of what they show a model
	for _, tool := range append(found.Tools, writing.Tools...) {
		names = append(names, tool.Name)
		compact, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		size := plain.CountTokens(string(compact))
		t.Logf("%s: %d tokens", tool.Name, size)
		total += size
		shown, err := json.Marshal(map[string]any{"name": tool.Name, "description": tool.Description, "input_schema": tool.InputSchema})
		if err != nil {
			t.Fatal(err)
		}
		read += plain.CountTokens(string(shown))
		got, err := json.MarshalIndent(tool, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", "tools", tool.Name+".json")
		if *update {
			if err := os.WriteFile(file, append(got, '\n'), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), string(got)+"\n"); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tool.Name, diff)
		}
	}
	t.Logf("%d tokens; models read %d of them", total, read)
	if total >= 4000 {
		t.Errorf("the definitions take %d tokens, want less than 4,000", total)
	}
	all := mcpadapter.ToolNames()
	slices.Sort(all)
	slices.Sort(names)
	if diff := cmp.Diff(all, names); diff != "" {
		t.Errorf("toolsets (-toolsets +tools):\n%s", diff)
	}
}

// post sends one request to a handler without sessions and returns the answer.
func postRPC(t testing.TB, handler http.Handler, header http.Header, body string) string {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(body))
	for name, values := range header {
		r.Header[name] = values
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Body.String()
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func stateless(t testing.TB, change func(*mcpadapter.Options)) http.Handler {
	return mcpadapter.NewHandler(ingestingOptions(t, change), &transport.HandlerOptions{Stateless: true})
}

func TestHeadersNarrow(t *testing.T) {
	handler := stateless(t, func(o *mcpadapter.Options) { o.Toolsets = []string{"read"} })
	for _, test := range []struct {
		name, value  string
		there, never string
	}{
		{"X-MCP-Toolsets", "write", `"tools":[]`, `"ingest"`},
		{"X-MCP-Toolsets", "all", `"name":"getNode"`, `"name":"ingest"`},
		{"X-MCP-Tools", "getNode, ingest", `"name":"getNode"`, `"name":"ingest"`},
		{"X-MCP-Tools", "getnode", "did you mean 'getNode'", `"tools"`},
		{"X-MCP-Toolsets", "raed", "did you mean 'read'", `"tools"`},
		{"X-MCP-Readonly", "1", "No file is written", `"readOnlyHint":false`},
		{"X-MCP-Readonly", "perhaps", "it must be true or false", `"tools"`},
	} {
		got := postRPC(t, handler, http.Header{http.CanonicalHeaderKey(test.name): {test.value}}, listTools)
		if !strings.Contains(got, test.there) || strings.Contains(got, test.never) {
			t.Errorf("%s: %s: %.300s", test.name, test.value, got)
		}
	}
	call := func(header http.Header, tool string) string {
		answer := postRPC(t, handler, header, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{"resource_id":"poem","node_id":"first"}}}`, tool))
		return strings.ReplaceAll(mcptest.WithoutCallMeta(answer), tool, "TOOL")
	}
	only := http.Header{"X-Mcp-Tools": {"getStructure"}}
	if hidden, unknown := call(only, "getNode"), call(nil, "nosuch"); hidden != unknown || !strings.Contains(hidden, "-32602") {
		t.Errorf("a hidden tool: %s\nan unknown one: %s", hidden, unknown)
	}
	if got := call(http.Header{"X-Mcp-Readonly": {"true"}}, "resolve"); !strings.Contains(got, `\"output_path\":null`) || !strings.Contains(got, "no file and no link: this caller may only read") {
		t.Error(got)
	}
}

// FuzzHeaders checks that no header shows a tool that is not there without it.
func FuzzHeaders(f *testing.F) {
	f.Add("read,search", "getNode", "true")
	f.Add("all", "", "0")
	f.Add("", "ingest , resolve", "")
	f.Add("write", "\x00", "perhaps")
	handler := stateless(f, func(o *mcpadapter.Options) { o.Tools = []string{"getNode", "resolve", "info"} })
	f.Fuzz(func(t *testing.T, toolsets, tools, readOnly string) {
		header := http.Header{"X-Mcp-Toolsets": {toolsets}, "X-Mcp-Tools": {tools}, "X-Mcp-Readonly": {readOnly}}
		got := postRPC(t, handler, header, listTools)
		for _, name := range mcpadapter.ToolNames() {
			if !slices.Contains([]string{"getNode", "resolve", "info"}, name) && strings.Contains(got, `{"annotations"`) && strings.Contains(got, `"name":"`+name+`"`) {
				t.Errorf("%q, %q, %q show %s", toolsets, tools, readOnly, name)
			}
		}
	})
}

func TestRequestID(t *testing.T) {
	handler := stateless(t, func(*mcpadapter.Options) {})
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{%s"name":"%s","arguments":{}}}`
	for _, test := range []struct{ meta, header, tool, want string }{
		{`"_meta":{"requestId":"mine-1"},`, "", "info", `"requestId":"mine-1"`},
		{"", "proxy-2", "info", `"requestId":"proxy-2"`},
		{`"_meta":{"requestId":"mine-1"},`, "proxy-2", "getNode", `"requestId":"mine-1"`},
		{"", "proxy-3", "nosuch", `"requestId":"proxy-3"}`},
	} {
		got := postRPC(t, handler, http.Header{"X-Request-Id": {test.header}}, fmt.Sprintf(call, test.meta, test.tool))
		if !strings.Contains(got, test.want) {
			t.Errorf("%+v: %.300s", test, got)
		}
	}
}

// FuzzRequestID checks that what comes back as the id of a request is short
// and printable, whatever was given.
func FuzzRequestID(f *testing.F) {
	for _, id := range []string{"", "a b", "abc", "\n", "é", strings.Repeat("x", 129)} {
		f.Add(id)
	}
	handler := stateless(f, func(*mcpadapter.Options) {})
	f.Fuzz(func(t *testing.T, id string) {
		answer := postRPC(t, handler, http.Header{"X-Request-Id": {id}}, listTools)
		_, data, _ := strings.Cut(answer, "data: ")
		var got struct {
			Result struct {
				Meta struct{ RequestID string } `json:"_meta"`
			}
		}
		if err := json.Unmarshal([]byte(strings.TrimSpace(data)), &got); err != nil {
			t.Fatalf("%v in %.200s", err, answer)
		}
		made := got.Result.Meta.RequestID
		if made == "" || len(made) > 128 || strings.ContainsFunc(made, func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Errorf("%q gives %q", id, made)
		}
	})
}

// What is left out for all changes between two requests.
func TestAdjust(t *testing.T) {
	var now mcpadapter.Adjustment
	session := mcptest.Connect(t, ingestingOptions(t, func(o *mcpadapter.Options) {
		o.Adjust = func() mcpadapter.Adjustment { return now }
	}), nil)
	for _, test := range []struct {
		now  mcpadapter.Adjustment
		want string
	}{
		{mcpadapter.Adjustment{}, "getNode getStructure info ingest ingestStatus listResources resolve"},
		{mcpadapter.Adjustment{Tools: []string{"getNode", "search"}}, "getNode"},
		{mcpadapter.Adjustment{Toolsets: []string{"write"}}, "ingest ingestStatus"},
		{mcpadapter.Adjustment{ReadOnly: true}, "getNode getStructure info listResources resolve"},
	} {
		now = test.now
		if got := strings.Join(namesOf(t, session), " "); got != test.want {
			t.Errorf("%+v: %s, want %s", test.now, got, test.want)
		}
	}
}

// Clients hear when the tools change for all, and the prompts that name them.
func TestToolsChange(t *testing.T) {
	var now atomic.Pointer[mcpadapter.Adjustment]
	now.Store(&mcpadapter.Adjustment{})
	tools, prompts := make(chan struct{}, 100), make(chan struct{}, 100)
	session := mcptest.Connect(t, ingestingOptions(t, func(o *mcpadapter.Options) {
		o.Watch = time.Millisecond
		o.Adjust = func() mcpadapter.Adjustment { return *now.Load() }
	}), &mcp.ClientOptions{
		ToolListChangedHandler:   func(context.Context, *mcp.ToolListChangedRequest) { tools <- struct{}{} },
		PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) { prompts <- struct{}{} },
	})
	if has := session.InitializeResult().Capabilities; !has.Tools.ListChanged || !has.Prompts.ListChanged {
		t.Errorf("tools %+v, prompts %+v", has.Tools, has.Prompts)
	}
	for _, change := range []mcpadapter.Adjustment{{ReadOnly: true}, {Tools: []string{"getNode"}}, {}} {
		now.Store(&change)
		<-tools
		<-prompts
	}
}

// TestOptionsNarrowResources checks that tools which the options leave out are not made up
// for by resources, prompts and completion, of this package and of a dialect.
func TestOptionsNarrowResources(t *testing.T) {
	d := echo("echo")
	d.List = func(context.Context, string) ([]*mcp.Resource, string, error) {
		return []*mcp.Resource{{URI: "echo://things/x", Name: "x"}}, "", nil
	}
	all := []string{"citekit://maps/poem", "citekit://nodes/poem/first", "text://poem#lines=1-2", "echo://things/x"}
	for _, test := range []struct {
		opts  mcpadapter.Options
		reads string // of all, by their numbers
		lists string
	}{
		{mcpadapter.Options{}, "0123", "maps echo"},
		{mcpadapter.Options{Tools: []string{"info"}}, "", ""},
		{mcpadapter.Options{Tools: []string{"info", "listResources"}}, "", "maps"},
		{mcpadapter.Options{Tools: []string{"getStructure"}}, "01", "maps"},
		{mcpadapter.Options{Tools: []string{"getNode"}}, "1", ""},
		{mcpadapter.Options{Tools: []string{"resolve"}}, "2", ""},
		{mcpadapter.Options{Tools: []string{"echo_search"}}, "3", "echo"},
		{mcpadapter.Options{Toolsets: []string{"read"}}, "012", "maps"},
		{mcpadapter.Options{Toolsets: []string{"search"}}, "3", "echo"},
		{mcpadapter.Options{Adjust: func() mcpadapter.Adjustment { return mcpadapter.Adjustment{Tools: []string{"getNode"}} }}, "1", ""},
	} {
		test.opts.Dialects = []mcpadapter.Dialect{{Name: mcpadapter.Native}, d}
		session := echoing(t, &test.opts)
		reads := ""
		for i, uri := range all {
			_, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			if err == nil {
				reads += fmt.Sprint(i)
			}
		}
		var lists []string
		for one, err := range session.Resources(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			for _, kind := range []string{"maps", "echo"} {
				if strings.Contains(one.URI, kind) && !slices.Contains(lists, kind) {
					lists = append(lists, kind)
				}
			}
		}
		if got := strings.Join(lists, " "); reads != test.reads || got != test.lists {
			t.Errorf("%v %v: reads %q, want %q; lists %q, want %q", test.opts.Tools, test.opts.Toolsets, reads, test.reads, got, test.lists)
		}
		completed, err := session.Complete(t.Context(), &mcp.CompleteParams{
			Ref: &mcp.CompleteReference{Type: "ref/resource", URI: "citekit://maps/{resource_id}"}, Argument: mcp.CompleteParamsArgument{Name: "resource_id", Value: "po"},
		})
		if err != nil || (len(completed.Completion.Values) > 0) != strings.Contains(test.lists, "maps") {
			t.Errorf("%v %v: completed %+v, %v", test.opts.Tools, test.opts.Toolsets, completed, err)
		}
		_, err = session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "ask", Arguments: map[string]string{"what": "a"}})
		if may := strings.Contains(test.lists, "echo"); may != (err == nil) {
			t.Errorf("%v %v: prompt %v", test.opts.Tools, test.opts.Toolsets, err)
		}
		templates, err := session.ListResourceTemplates(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(templates.ResourceTemplates, func(r *mcp.ResourceTemplate) bool { return r.Name == "thing" })
		if counted := templates.ResourceTemplates[i].Meta["count"] != nil; counted != strings.Contains(test.lists, "echo") {
			t.Errorf("%v %v: counted %v", test.opts.Tools, test.opts.Toolsets, counted)
		}
	}
}
