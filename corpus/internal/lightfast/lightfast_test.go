package lightfast_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

// fixture is a folder of 30 notes that each say something of one tea and link to the next,
// so that more is found than is returned by default.
func fixture(t *testing.T, opts *corpus.Options) *corpus.Corpus {
	t.Helper()
	dir := t.TempDir()
	for i := range 30 {
		text := fmt.Sprintf("# Note %d\n\nTea number %d is brewed at %d degrees. See [the next](note%02d.md).\n", i, i, 60+i, (i+1)%30)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("note%02d.md", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if opts == nil {
		opts = &corpus.Options{}
	}
	if opts.Dialects == nil {
		opts.Dialects = []string{"lightfast"}
	}
	c, err := corpus.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if report, err := c.Ingest(t.Context()); err != nil || report.Err() != nil {
		t.Fatal(err, report.Err())
	}
	return c
}

// connect returns a session over HTTP, and the address of the server.
func connect(t *testing.T, c *corpus.Corpus) (*mcp.ClientSession, string) {
	t.Helper()
	server := httptest.NewServer(c.Handler(nil))
	t.Cleanup(server.Close)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp", DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session, server.URL
}

// comparable returns a body without what differs from call to call: of meta only the keys
// stay.
func comparable(t *testing.T, body []byte) string {
	t.Helper()
	var decoded map[string]any
	if err := json.Unmarshal(body, &decoded); err != nil {
		t.Fatalf("%v: %.300s", err, body)
	}
	meta, _ := decoded["meta"].(map[string]any)
	latency, _ := meta["latency"].(map[string]any)
	if id, _ := meta["requestId"].(string); id == "" {
		t.Errorf("no requestId: %.300s", body)
	}
	decoded["meta"] = slices.Concat(slices.Sorted(maps.Keys(meta)), slices.Sorted(maps.Keys(latency)))
	text, err := json.MarshalIndent(decoded, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestLikeAPI calls each tool with each of its fields, and checks that the result is the
// body of the operation of the same name.
func TestLikeAPI(t *testing.T) {
	session, address := connect(t, fixture(t, nil))
	found, _ := mcptest.CallTool(t, session, "search", map[string]any{"q": "tea 7"})
	var results struct{ Results []struct{ ID, Kind string } }
	if err := json.Unmarshal([]byte(found), &results); err != nil || len(results.Results) != 20 || results.Results[0].Kind != "chunk" {
		t.Fatalf("%.500s, %v", found, err)
	}
	chunk := results.Results[0].ID
	for _, call := range []struct{ tool, operation, arguments string }{
		{"search", "search", `{"q":"tea"}`},
		{"search", "search", `{"q":"tea","mode":"knowledge","topK":3}`},
		{"search", "search", `{"q":"tea","mode":"graph","topK":50}`},
		{"search", "search", `{"q":"tea","mode":"hybrid","include":{"document":false,"rationale":true,"highlights":false}}`},
		{"search", "search", `{"q":"tea","filters":{"sources":["note03","note04.md"],"types":["md"],"after":"2000-01-01T00:00:00Z"}}`},
		{"search", "search", `{"q":"tea","filters":{"authors":["nobody"],"labels":["none"],"before":"2000-01-01T00:00:00Z"}}`},
		{"search", "search", `{"q":"tea","quality":{"rerank":false}}`},
		{"get_contents", "contents", `{"ids":[{"kind":"document","id":"note01"},{"kind":"chunk","id":"` + chunk + `"},{"kind":"document","id":"none"}]}`},
		{"get_contents", "contents", `{"ids":[{"kind":"document","id":"note01"}],"expand":{"chunks":true,"graph":{}},"includeRaw":true}`},
		{"get_contents", "contents", `{"ids":[{"kind":"document","id":"note01"}],"expand":{"graph":{"hops":2,"include":["entities","evidence"]}}}`},
		{"find_similar", "similar", `{"subject":{"kind":"text","text":"brewed at eighty degrees"}}`},
		{"find_similar", "similar", `{"subject":{"kind":"chunk","id":"` + chunk + `"},"topK":50}`},
		{"find_similar", "similar", `{"subject":{"kind":"document","id":"note01"},"by":"documents","filters":{"sources":["note02"]}}`},
		{"answer", "answer", `{"question":"At how many degrees is tea number 7 brewed?"}`},
		{"answer", "answer", `{"question":"At how many degrees is tea number 7 brewed?","mode":"knowledge","answerType":"extractive","citations":false,"maxTokens":16,"model":"none","include":{"rationale":false}}`},
		{"answer", "answer", `{"question":"At how many degrees is tea number 7 brewed?","constraints":{"after":"2000-01-01T00:00:00Z","before":"2000-01-02T00:00:00Z"}}`},
		{"search", "search", `{"q":"tea","workspaceId":"other"}`},
		{"find_similar", "similar", `{"subject":{"kind":"document","id":"none"}}`},
	} {
		text, result := mcptest.CallTool(t, session, call.tool, json.RawMessage(call.arguments))
		res, err := http.Post(address+"/v1/"+call.operation, "application/json", strings.NewReader(call.arguments))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || (res.StatusCode == http.StatusOK) == result.IsError {
			t.Errorf("%s %s: status %d, %v; error of the tool %v", call.tool, call.arguments, res.StatusCode, err, result.IsError)
		}
		if got, want := comparable(t, []byte(text)), comparable(t, body); got != want {
			t.Errorf("%s %s: %s\nover HTTP: %s", call.tool, call.arguments, got, want)
		}
		structured, err := json.Marshal(result.StructuredContent)
		if err != nil || comparable(t, structured) != comparable(t, []byte(text)) {
			t.Errorf("%s %s: structured content %s, %v", call.tool, call.arguments, structured, err)
		}
	}
}

// A property is a property of a schema.
type property struct {
	Type             string
	Enum             []string
	Minimum, Maximum *int
	MinItems         *int
	MaxItems         *int
	MinLength        *int
	Format           string
	Properties       map[string]property
	Required         []string
	Items            *property
	Ref              string `json:"$ref"`
	Definitions      map[string]property
}

// TestEveryField gives each field of each tool a value that its schema does not allow, and
// checks that the error names it.
func TestEveryField(t *testing.T) {
	c := fixture(t, nil)
	session := mcptest.Connect(t, c.Server(), nil)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(list)
	if err != nil || len(encoded) > 15_000 {
		t.Errorf("tools/list has %d bytes, %v", len(encoded), err)
	}
	least := map[string]map[string]any{
		"search": {"q": "tea"}, "get_contents": {"ids": []any{map[string]any{"kind": "document", "id": "note01"}}},
		"find_similar": {"subject": map[string]any{"kind": "text", "text": "tea"}}, "answer": {"question": "tea?"},
	}
	checked := 0
	for _, tool := range list.Tools {
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var root property
		if err := json.Unmarshal(schema, &root); err != nil || least[tool.Name] == nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		refuse := func(path []string, value any) {
			t.Helper()
			arguments, _ := json.Marshal(least[tool.Name])
			var changed map[string]any
			_ = json.Unmarshal(arguments, &changed)
			in := changed
			for _, step := range path[:len(path)-1] {
				below, ok := in[step].(map[string]any)
				if !ok {
					below = map[string]any{}
					in[step] = below
				}
				in = below
			}
			if in[path[len(path)-1]] = value; value == nil {
				delete(in, path[len(path)-1])
			}
			text, result := mcptest.CallTool(t, session, tool.Name, changed)
			if !result.IsError || result.Meta["code"] != "INVALID_INPUT" || !strings.Contains(text, "'"+strings.Join(path, ".")) {
				t.Errorf("%s with %v: %.300s", tool.Name, changed, text)
			}
			checked++
		}
		var walk func(p property, path []string)
		walk = func(p property, path []string) {
			if p.Ref != "" {
				p = root.Definitions[strings.TrimPrefix(p.Ref, "#/definitions/")]
			}
			switch p.Type {
			case "object":
				for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
					walk(p.Properties[name], append(slices.Clone(path), name))
				}
				refuse(append(slices.Clone(path), "nothing"), 1)
				if len(path) == 0 {
					for _, name := range p.Required {
						refuse([]string{name}, nil)
					}
					return
				}
				refuse(path, 7)
			case "array":
				refuse(path, map[string]any{"a": 1})
				if p.MinItems != nil {
					refuse(path, []any{})
					refuse(path, slices.Repeat([]any{map[string]any{"kind": "document", "id": "a"}}, *p.MaxItems+1))
				}
				refuse(path, []any{[]any{}})
			case "string":
				refuse(path, true)
				if p.MinLength != nil {
					refuse(path, "")
				}
				if p.Enum != nil || p.Format != "" {
					refuse(path, "nothing")
				}
			case "integer":
				refuse(path, "many")
				refuse(path, 1.5)
				refuse(path, *p.Minimum-1)
				refuse(path, *p.Maximum+1)
			case "boolean":
				refuse(path, "perhaps")
			default:
				t.Errorf("%s: %v has type %q", tool.Name, path, p.Type)
			}
		}
		walk(root, nil)
	}
	if checked < 80 {
		t.Errorf("%d values were tried", checked)
	}
}

// TestStream checks that the events of an answer come as progress, in their order, and
// the whole answer as the result.
func TestStream(t *testing.T) {
	var events []string
	told := make(chan string, 1000)
	session := mcptest.Connect(t, fixture(t, nil).Server(), &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) { told <- req.Params.Message },
	})
	params := &mcp.CallToolParams{Name: "answer", Arguments: map[string]any{"question": "At how many degrees is tea number 7 brewed?", "stream": true}}
	params.SetProgressToken("x")
	result, err := session.CallTool(t.Context(), params)
	if err != nil || result.IsError {
		t.Fatalf("%+v, %v", result, err)
	}
	for message := range told {
		if message == "done" {
			break
		}
		var event struct {
			Event string
			Data  map[string]any
		}
		if json.Unmarshal([]byte(message), &event) == nil {
			events = append(events, event.Event)
			for _, key := range map[string][]string{"meta": {"requestId", "answerType"}, "token": {"text"}, "citation": {"address", "text"}}[event.Event] {
				if event.Data[key] == nil || event.Data[key] == "" {
					t.Errorf("%s without %s", message, key)
				}
			}
		}
	}
	if len(events) < 3 || events[0] != "meta" || events[1] != "token" || events[2] != "citation" {
		t.Errorf("events %v", events)
	}
	params.Arguments = map[string]any{"question": "At how many degrees is tea number 7 brewed?"}
	whole, err := session.CallTool(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	textOf := func(r *mcp.CallToolResult) []byte { return []byte(r.Content[0].(*mcp.TextContent).Text) }
	if got, want := comparable(t, textOf(result)), comparable(t, textOf(whole)); got != want {
		t.Errorf("streamed %s\nwhole %s", got, want)
	}
}

// TestResources checks the templates with their counts, the list of documents, and what
// reading one returns.
func TestResources(t *testing.T) {
	session := mcptest.Connect(t, fixture(t, nil).Server(), nil)
	templates, err := session.ListResourceTemplates(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]any{}
	for _, template := range templates.ResourceTemplates {
		counts[template.URITemplate] = template.Meta["count"]
	}
	if want := (map[string]any{"resource://knowledge/document/{id}": 30.0, "resource://knowledge/chunk/{id}": 30.0}); !maps.Equal(counts, want) {
		t.Errorf("templates %v; want %v", counts, want)
	}
	listed := 0
	for one, err := range session.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if listed++; one.URI != fmt.Sprintf("resource://knowledge/document/note%02d", listed-1) || one.Title != fmt.Sprintf("Note %d", listed-1) {
			t.Errorf("listed %+v", one)
		}
	}
	if listed != 30 {
		t.Errorf("%d documents are listed", listed)
	}
	found, _ := mcptest.CallTool(t, session, "search", map[string]any{"q": "tea 7", "topK": 1})
	var results struct {
		Results []struct{ ID, Text string }
	}
	if err := json.Unmarshal([]byte(found), &results); err != nil {
		t.Fatal(err)
	}
	for kind, id := range map[string]string{"document": "note07", "chunk": results.Results[0].ID} {
		read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "resource://knowledge/" + kind + "/" + url.PathEscape(id)})
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		contents, _ := mcptest.CallTool(t, session, "get_contents", map[string]any{"ids": []any{map[string]any{"kind": kind, "id": id}}})
		var same struct{ Contents []json.RawMessage }
		if err := json.Unmarshal([]byte(contents), &same); err != nil || !bytes.Equal(same.Contents[0], []byte(read.Contents[0].Text)) || read.Contents[0].MIMEType != "application/json" {
			t.Errorf("%s: %s\nget_contents: %s, %v", kind, read.Contents[0].Text, contents, err)
		}
	}
	for _, uri := range []string{"document/none", "chunk/note07~1-1", "chunk/none", "document/", "chunk/%zz", "nothing/note07"} {
		if read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "resource://knowledge/" + uri}); err == nil {
			t.Errorf("%s: %+v", uri, read.Contents[0])
		}
	}
	if err := session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "resource://knowledge/document/note07"}); err != nil {
		t.Errorf("subscribe: %v", err)
	}
}

// TestLimits checks which times calls have, and that options change them.
func TestLimits(t *testing.T) {
	c := fixture(t, nil)
	for _, tool := range c.ServerOptions().Dialects[0].Tools {
		want := 5 * time.Second
		if tool.Name == "answer" {
			want = 30 * time.Second
		}
		if tool.Timeout != want {
			t.Errorf("%s may take %v", tool.Name, tool.Timeout)
		}
	}
	c = fixture(t, &corpus.Options{Server: &mcpadapter.Options{Timeouts: map[string]time.Duration{"search": 1}}})
	session := mcptest.Connect(t, c.Server(), nil)
	text, result := mcptest.CallTool(t, session, "search", map[string]any{"q": "tea"})
	if !result.IsError || result.Meta["code"] != "TIMEOUT" || !strings.Contains(text, `"type":"urn:citekit:error:timeout"`) {
		t.Errorf("search within a nanosecond: %s", text)
	}
}

// TestStdio checks that the dialect is served over standard streams, beside other tools.
func TestStdio(t *testing.T) {
	c := fixture(t, &corpus.Options{Dialects: []string{"citekit", "lightfast"}})
	o := c.ServerOptions()
	w := mcptest.Serve(t, mcpadapter.NewServer(c.Library, o), transport.StreamTransport{Tools: mcpadapter.ToolsOf(o)}).Start()
	for id, call := range []struct{ tool, arguments, want string }{
		{"lightfast_search", `{"q":"tea","topK":1}`, `"documentId"`},
		{"search", `{"query":"tea","top_k":1}`, `"resource_id"`},
		{"get_contents", `{"ids":[{"kind":"document","id":"note01"}]}`, "Tea number 1 is brewed"},
	} {
		w.Call(id+10, call.tool, call.arguments)
		if got := w.Next(); !strings.Contains(strings.ReplaceAll(got, `\"`, `"`), call.want) {
			t.Errorf("%s: %.500s; want %s", call.tool, got, call.want)
		}
	}
}
