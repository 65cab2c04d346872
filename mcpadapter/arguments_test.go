package mcpadapter_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/test/mcptest"
)

// TestListArguments gives arguments that are lists in other forms.
func TestListArguments(t *testing.T) {
	session := findingServer(t)
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		want      string // in the answer
	}{
		{"getContents", map[string]any{"ids": "poem", "include": "runs", "expand": "children"}, `"runs":[`},
		{"getContents", map[string]any{"ids": []any{}}, "has 0 values"},
		{"getContents", map[string]any{"ids": "poem", "include": []any{}, "expand": []any{}}, `"text":"one`},
		{"getContents", map[string]any{"ids": map[string]any{"id": "poem"}}, "'ids' is an object; it must be a list of strings, or one string"},
		{"getContents", map[string]any{"ids": []any{map[string]any{"id": "poem"}}}, "'ids' has an object in it; it must be a list of strings, or one string"},
		{"getContents", map[string]any{"ids": "poem", "include": true}, "'include' is 'true'; it must be a list of strings, or one string"},
		{"getContents", map[string]any{"ids": "poem", "expand": map[string]any{}}, "'expand' is an object; it must be a list of strings, or one string"},
		{"search", map[string]any{"query": "three", "filters": map[string]any{"labels": map[string]any{}}}, "'labels' is an object; it must be a list of strings, or one string"},
		{"search", map[string]any{"query": "three"}, `"highlights":`},
		{"search", map[string]any{"query": "three", "include": "rationale"}, `"rationale":`},
		{"getNode", map[string]any{"resource_id": map[string]any{}, "node_id": "first"}, "'resource_id' is an object; it must be a string"},
	} {
		if text, _ := mcptest.CallTool(t, session, test.tool, test.arguments); !strings.Contains(text, test.want) {
			t.Errorf("%s %v: no %s in %s", test.tool, test.arguments, test.want, text)
		}
	}
	for _, include := range []any{[]any{}, "[]"} {
		if text, result := mcptest.CallTool(t, session, "search", map[string]any{"query": "three", "include": include}); result.IsError || strings.Contains(text, `"highlights"`) || !strings.Contains(text, `"snippet"`) {
			t.Errorf("include %v: %s", include, text)
		}
	}
}

// TestGraphHint searches by relations where none leads anywhere.
func TestGraphHint(t *testing.T) {
	session, _ := hiddenServer(t)
	if text, _ := mcptest.CallTool(t, session, "search", map[string]any{"query": "spelt", "mode": "graph"}); !strings.Contains(text, `"results":[]`) || !strings.Contains(text, `"hint":"no relation leads from a passage with the words`) {
		t.Error(text)
	}
}

// TestHintOfVirtual refuses calls of resolve that ask for the address alone: no hint
// advises what was done.
func TestHintOfVirtual(t *testing.T) {
	session := findingServer(t)
	for _, arguments := range []map[string]any{
		{"resource_id": "poem", "node_id": "broken"},
		{"address": "text://poem#pages=3"},
		{"address": "video://poem#t=1-2"},
		{"resource_id": "none", "node_id": "x"},
	} {
		arguments["virtual"] = true
		if text, result := mcptest.CallTool(t, session, "resolve", arguments); !result.IsError || strings.Contains(text, "virtual true") {
			t.Errorf("%v: %s", arguments, text)
		}
	}
}

// TestOldNames gives arguments under the names of earlier versions, which are not in
// the schemas, and wrong names.
func TestOldNames(t *testing.T) {
	session := findingServer(t)
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"getContents", map[string]any{"addresses": "poem"}, `"text":"one`},
		{"getContents", map[string]any{"ids": []string{"poem"}}, `"text":"one`},
		{"getContents", map[string]any{"address": "poem"}, `"text":"one`},
		{"getContents", map[string]any{"ids": "poem", "addresses": "poem"}, "another name of 'addresses'; give one of them"},
		{"getContents", map[string]any{"addresses": "poem", "ids": "poem"}, "give one of them"},
		{"getContext", map[string]any{"task": "what is three", "token_budget": 300}, `"content":`},
		{"getContext", map[string]any{"query": "what is three", "max_tokens": 300}, `"content":`},
		{"getContext", map[string]any{"task": "what is three", "token_budget": 0}, "argument 'max_tokens' is 0"},
		{"answer", map[string]any{"question": "What is three?", "max_sentences": 1}, `"found":`},
		{"answer", map[string]any{"query": "What is three?", "top_k": 1}, `"found":`},
		{"answer", map[string]any{"question": 5.5}, `"found":`},
		{"answer", map[string]any{"question": map[string]any{}}, "argument 'question' is an object"},
		{"findSimilar", map[string]any{"text": "three four"}, `"results":`},
		{"findSimilar", map[string]any{"id": "poem.first"}, `"results":`},
		{"findSimilar", map[string]any{"address": "poem.first"}, `"results":`},
		{"search", map[string]any{"query": "three", "limit": 1}, `"results":`},
		{"search", map[string]any{"qeury": "three"}, "unknown argument 'qeury' (did you mean 'query', a string?); this tool takes query, top_k (optional)"},
		{"getNode", map[string]any{"resourceId": "poem"}, "did you mean 'resource_id', a string?"},
		{"search", map[string]any{"query": "three", "filters": map[string]any{"authours": "x"}}, "did you mean 'authors', a list of strings"},
		{"search", map[string]any{"query": "three", "zzzzzzzzz": 1}, "unknown argument 'zzzzzzzzz'; this tool takes query"},
	} {
		if text, _ := mcptest.CallTool(t, session, test.tool, test.arguments); !strings.Contains(text, test.want) {
			t.Errorf("%s %v: no %s in %s", test.tool, test.arguments, test.want, text)
		}
	}
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		properties, _ := tool.InputSchema.(map[string]any)["properties"].(map[string]any)
		for _, old := range []string{"ids", "id", "task", "question", "token_budget", "max_sentences"} {
			if properties[old] != nil {
				t.Errorf("%s has %s in its schema", tool.Name, old)
			}
		}
	}
}

// TestNearestTool calls tools by names that are none.
func TestNearestTool(t *testing.T) {
	session := findingServer(t)
	for name, want := range map[string]string{
		"get_contents": `unknown tool "get_contents"; that is "getContents" here; or serve with --dialect lightfast`, "serch": `did you mean "search"?`, "ListResource": `did you mean "listResources"?`,
		"verify_quote": `did you mean "verify"?`, "somethingElse": `unknown tool "somethingElse"`,
		"ingset": `unknown tool "ingset"`, // not offered here
	} {
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name})
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
