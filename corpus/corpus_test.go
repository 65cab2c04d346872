package corpus_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/answer"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/mapper/llm"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

const tea = "# Tea\n\nGreen tea is brewed with water of eighty degrees.\n\n## Pot\n\nA pot holds six cups.\n"

// open returns a Corpus over a folder with a mapped text.
func open(t *testing.T, opts *corpus.Options) *corpus.Corpus {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tea.md"), []byte(tea), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := corpus.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	report, err := c.Ingest(t.Context(), "tea.md")
	if err = errors.Join(err, report.Err()); err != nil {
		t.Fatal(err)
	}
	if report.Index == nil || report.Index.Searchable != 1 {
		t.Fatalf("index of the ingest: %+v", report.Index)
	}
	return c
}

// TestMethods does with a folder what a Corpus is for.
func TestMethods(t *testing.T) {
	c, ctx := open(t, nil), t.Context()
	found, err := c.Search(ctx, "eighty degrees")
	if err != nil || len(found.Results) == 0 || found.Results[0].Address.String() != "text://tea#lines=1-4" || !found.Complete {
		t.Errorf("search: %+v, %v", found, err)
	}
	read, err := c.Read(ctx, "tea.tea.pot")
	if err != nil || len(read.Items) != 1 || read.Items[0].Err != nil || read.Items[0].Text != "## Pot\n\nA pot holds six cups.\n" {
		t.Errorf("read: %+v, %v", read, err)
	}
	for question, want := range map[string]string{"How many cups does a pot hold?": "A pot holds six cups.", "Who invented the kettle?": ""} {
		if given, err := c.Answer(ctx, question); err != nil || given.Found != (want != "") || given.Text != want {
			t.Errorf("answer: %+v, %v; want %q", given, err, want)
		}
	}
	for text, want := range map[string]bool{
		`"A pot holds six cups." [text://tea#lines=7-7]`:  true,
		`"A pot holds nine cups." [text://tea#lines=7-7]`: false,
	} {
		if report, err := c.Verify(ctx, text); err != nil || report.Holds() != want {
			t.Errorf("verify %s: %+v, %v; want %v", text, report, err, want)
		}
	}
	e, err := c.Resolve(ctx, "tea", "tea.pot", nil)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(e.OutputPath); err != nil || string(data) != "## Pot\n\nA pot holds six cups.\n" {
		t.Errorf("resolve: %q, %v", data, err)
	}
	if report, err := c.Ingest(ctx); err != nil || report.Count(ingest.Unchanged) != 1 {
		t.Errorf("ingest of all files: %+v, %v", report, err)
	}
}

// TestPartsAreShared checks that the parts read one store of texts, and that those
// given in the options are used.
func TestPartsAreShared(t *testing.T) {
	lib := citekit.New(workspace.NewMemory(fstest.MapFS{"tea.md": {Data: []byte(tea)}}), modality.All(), nil)
	read := 0
	layers := textlayer.New(lib, &textlayer.Options{SmallBytes: -1, Progress: func(_ context.Context, p textlayer.Progress) { read++ }})
	c := corpus.New(lib, &corpus.Options{Search: &search.Options{Layers: layers}})
	defer c.Close()
	if c.Layers != layers || c.Searcher.Layers() != layers {
		t.Error("the given texts are not used")
	}
	if _, err := c.Ingest(t.Context()); err != nil {
		t.Fatal(err)
	}
	first := read
	if _, err := c.Read(t.Context(), "tea"); err != nil {
		t.Error(err)
	}
	if _, err := c.Answer(t.Context(), "How many cups does a pot hold?"); err != nil {
		t.Error(err)
	}
	if _, err := c.Verify(t.Context(), `"A pot holds six cups." [text://tea]`); err != nil {
		t.Error(err)
	}
	if first == 0 || read != first {
		t.Errorf("%d reports of reading after the ingest, then %d; the text is read once", first, read)
	}
}

// A writer is a model that says always the same.
type writer struct{}

func (writer) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	return &llm.Response{Text: `{"sentences": [{"source": 1, "quote": "A pot holds six cups.", "text": "Six cups go into a pot."}]}`}, nil
}

// toolsOf returns the names of the tools of a server.
func toolsOf(t *testing.T, transport mcp.Transport) (names []string) {
	t.Helper()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for tool, err := range client.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

// TestDialects checks which names of dialects are taken, and which tools keys may name.
func TestDialects(t *testing.T) {
	for _, test := range []struct {
		names []string
		want  string
	}{
		{[]string{"lightfest"}, "corpus: unknown dialect 'lightfest'; did you mean 'lightfast'?"},
		{[]string{"citekit", "citekit"}, "corpus: dialect 'citekit' is given twice"},
	} {
		if _, err := corpus.Open(t.TempDir(), &corpus.Options{Dialects: test.names}); err == nil || err.Error() != test.want {
			t.Errorf("%v: error %v; want %s", test.names, err, test.want)
		}
	}
	if names := corpus.Dialects(); names[0] != mcpadapter.Native || !slices.Contains(names, "lightfast") {
		t.Errorf("dialects %v", names)
	}
	for _, tool := range []string{"search", "lightfast_search", "citekit_search", "get_contents", "getContents"} {
		if err := corpus.Toolsets().Check(nil, []string{tool}); err != nil {
			t.Error(err)
		}
	}
	var in, out bytes.Buffer
	in.WriteString(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"q":"degrees"}}}
`)
	if err := open(t, &corpus.Options{Dialects: []string{"lightfast"}}).ServeStdio(t.Context(), &in, &out); err != nil || !strings.Contains(out.String(), `"documentId":"tea"`) {
		t.Errorf("over stdio: %v\n%s", err, out.String())
	}
}

// everyTool are the tools without those that make maps.
const everyTool = "answer findSimilar getContents getContext getNode getStructure info listResources resolve search verify"

func TestServer(t *testing.T) {
	for _, one := range []struct {
		opts *corpus.Options
		want string
	}{
		{nil, everyTool},
		{&corpus.Options{AgentsIngest: true}, strings.Replace(everyTool, " listResources", " ingest ingestStatus listResources", 1)},
		{&corpus.Options{Server: &mcpadapter.Options{Tools: []string{"search", "answer"}}}, "answer search"},
	} {
		theirs, ours := mcp.NewInMemoryTransports()
		if _, err := open(t, one.opts).Server().Connect(t.Context(), ours, nil); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(toolsOf(t, theirs), " "); got != one.want {
			t.Errorf("%+v: tools %s; want %s", one.opts, got, one.want)
		}
	}
}

// TestServerOptions checks that a caller's changes stay with the caller.
func TestServerOptions(t *testing.T) {
	c := open(t, &corpus.Options{Server: &mcpadapter.Options{Toolsets: []string{"read"}}, Model: writer{}})
	o := c.ServerOptions()
	o.Toolsets[0], o.Searcher = "none", nil
	if again := c.ServerOptions(); again.Toolsets[0] != "read" || again.Searcher != c.Searcher {
		t.Errorf("%+v", again)
	}
	given, err := o.Answerer.Answer(t.Context(), answer.Request{Question: "How many cups does a pot hold?", Type: answer.Abstractive})
	if err != nil || given.Text != "Six cups go into a pot." {
		t.Errorf("the answer of the model: %+v, %v", given, err)
	}
}

// TestHandler resolves over HTTP, and gets the evidence by its link.
func TestHandler(t *testing.T) {
	c := open(t, nil)
	server := httptest.NewServer(c.Handler(nil))
	defer server.Close()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "resolve", Arguments: map[string]string{"address": "text://tea#lines=5-7"}})
	if err != nil {
		t.Fatal(err)
	}
	_, link, _ := strings.Cut(result.Content[0].(*mcp.TextContent).Text, `"evidence_url":"`)
	link, _, _ = strings.Cut(link, `"`)
	response, err := http.Get(link)
	if err != nil {
		t.Fatalf("%v of %s", err, result.Content[0].(*mcp.TextContent).Text)
	}
	defer response.Body.Close()
	if data, err := io.ReadAll(response.Body); err != nil || string(data) != "## Pot\n\nA pot holds six cups.\n" {
		t.Errorf("the evidence of %s: %s, %q, %v", link, response.Status, data, err)
	}
}

// TestServeStdio serves a client that asks one thing and goes away.
func TestServeStdio(t *testing.T) {
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"query":"cups"}}}
`)
	var out strings.Builder
	if err := open(t, nil).ServeStdio(t.Context(), in, &out); err != nil || !strings.Contains(out.String(), "text://tea#lines=5-7") {
		t.Errorf("%s, %v", out.String(), err)
	}
}

// TestOpenErrors checks what Open refuses, and that a Corpus says when it is closed.
func TestOpenErrors(t *testing.T) {
	if _, err := corpus.Open(filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	wrong := &corpus.Options{Search: &search.Options{Semantics: &search.Semantics{Embedder: nameless{}}}}
	if _, err := corpus.Open(t.TempDir(), wrong); !errors.Is(err, citekit.ErrSyntax) {
		t.Errorf("an embedder without a name: %v", err)
	}
	c := open(t, &corpus.Options{AgentsIngest: true})
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.Search(t.Context(), "cups"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("search after Close: %v", err)
	}
}

// A nameless embedder is none that a Searcher takes.
type nameless struct{ search.Embedder }

func (nameless) Name() string { return "" }
