package mcpadapter_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/search"
)

// TestOtherWords checks what an agent is told that uses a name which another dialect has,
// or one like those that are here.
func TestOtherWords(t *testing.T) {
	lib := mcptest.StandardLibrary(t)
	searcher := search.New(lib, nil)
	t.Cleanup(func() { searcher.Close() })
	native := mcptest.Connect(t, mcpadapter.NewServer(lib, &mcpadapter.Options{Searcher: searcher}), nil)
	d := echo("lightfast")
	other := mcptest.Connect(t, mcpadapter.NewServer(lib, &mcpadapter.Options{Dialects: []mcpadapter.Dialect{d}}), nil)
	for _, test := range []struct {
		session   *mcp.ClientSession
		tool, arg string
		want      string
	}{
		{native, "search", "q", "unknown argument 'q': that is 'query' here, a string; or serve with --dialect lightfast; this tool takes"},
		{native, "search", "topK", "unknown argument 'topK': that is 'top_k' here, a whole number; or serve with --dialect lightfast;"},
		{native, "findSimilar", "subject", "that is 'address' here, a string; or serve with --dialect lightfast"},
		{native, "search", "layer", "unknown argument 'layer': that is an argument with --dialect sage; this tool takes"},
		{native, "search", "depth", "unknown argument 'depth'; this tool takes"},
		{native, "search", "modes", "unknown argument 'modes' (did you mean 'mode', a string?)"},
		{native, "search", "authors", "unknown argument 'authors'; give it as filters.authors"},
		{native, "getNode", "adress", "(did you mean 'address', a string?)"},
		{other, "search", "query", "unknown argument 'query': that is 'q' here, a string; or serve with --dialect citekit; this tool takes"},
		{other, "search", "top_k", "unknown argument 'top_k': that is 'topK' here, a whole number; or serve with --dialect citekit;"},
		{other, "search", "limit", "that is 'topK' here, a whole number; or serve with --dialect sage;"},
		{other, "search", "stream", "unknown argument 'stream'; this tool takes"},
		{other, "search", "depth", "unknown argument 'depth': that is an argument with --dialect citekit;"},
		{native, "sage_search", "", `unknown tool "sage_search"; that is "search" here; or serve with --dialect sage`},
		{native, "get_contents", "", `unknown tool "get_contents"; that is a tool with --dialect lightfast`},
		{native, "getnode", "", `unknown tool "getnode"; did you mean "getNode"?`},
		{native, "sage_get_context", "", `unknown tool "sage_get_context"; that is a tool with --dialect sage`},
		{native, "verify", "", `unknown tool "verify"`},
		{native, "ingest", "", `unknown tool "ingest"; a server has it that may map files: citekit serve --ingest`},
		{other, "sage_search", "", `that is "search" here; or serve with --dialect sage`},
		{other, "getNode", "", `unknown tool "getNode"; that is a tool with --dialect citekit`},
		{other, "get_contents", "", `unknown tool "get_contents"`},
		{other, "frobnicate", "", `unknown tool "frobnicate"`},
	} {
		arguments := map[string]any{}
		if test.arg != "" {
			arguments[test.arg] = "x"
		}
		result, err := test.session.CallTool(t.Context(), &mcp.CallToolParams{Name: test.tool, Arguments: arguments})
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.Error(), `calling "tools/call": `)
		} else if result.IsError {
			got = result.Content[0].(*mcp.TextContent).Text
		}
		if whole := test.arg == ""; !strings.Contains(got, test.want) || whole && !strings.HasSuffix(got, test.want) {
			t.Errorf("%s %s: %s\nwant %s", test.tool, test.arg, got, test.want)
		}
	}
}
