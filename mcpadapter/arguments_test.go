package mcpadapter_test

import (
	"strings"
	"testing"
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
		if text, _ := callTool(t, session, test.tool, test.arguments); !strings.Contains(text, test.want) {
			t.Errorf("%s %v: no %s in %s", test.tool, test.arguments, test.want, text)
		}
	}
	for _, include := range []any{[]any{}, "[]"} {
		if text, result := callTool(t, session, "search", map[string]any{"query": "three", "include": include}); result.IsError || strings.Contains(text, `"highlights"`) || !strings.Contains(text, `"snippet"`) {
			t.Errorf("include %v: %s", include, text)
		}
	}
}

// TestGraphHint searches by relations where none leads anywhere.
func TestGraphHint(t *testing.T) {
	session, _ := hiddenServer(t)
	if text, _ := callTool(t, session, "search", map[string]any{"query": "spelt", "mode": "graph"}); !strings.Contains(text, `"results":[]`) || !strings.Contains(text, `"hint":"no relation leads from a passage with the words`) {
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
		if text, result := callTool(t, session, "resolve", arguments); !result.IsError || strings.Contains(text, "virtual true") {
			t.Errorf("%v: %s", arguments, text)
		}
	}
}
