package mcpadapter_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
)

// TestTiming holds every kind of answer to have a request id and the whole
// breakdown of its time, and the breakdown to tell what was made for the call.
// TestCacheHit calls tools twice: the second call finds everything in place, and a
// refused one needed nothing.
func TestCacheHit(t *testing.T) {
	session := findingServer(t)
	for _, test := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"getContents", map[string]any{"ids": []string{"poem", "text://notes#lines=1-2"}}},
		{"resolve", map[string]any{"address": "text://poem#lines=2-3"}},
		{"getStructure", map[string]any{"resource_id": "red"}},
	} {
		for i, want := range []any{false, true, true} {
			_, result := mcptest.CallTool(t, session, test.tool, test.arguments)
			if timing, _ := result.GetMeta()["timing"].(map[string]any); timing["cache_hit"] != want {
				t.Errorf("%s, call %d: %v", test.tool, i+1, timing)
			}
		}
	}
	for _, tool := range []string{"resolve", "getContents", "search"} {
		_, result := mcptest.CallTool(t, session, tool, nil)
		if timing, _ := result.GetMeta()["timing"].(map[string]any); !result.IsError || len(timing) != 5 {
			t.Errorf("%s is refused: %v", tool, timing)
		}
	}
}

func TestTiming(t *testing.T) {
	session := mcptest.Connect(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), nil)
	describe := func(what string, result mcp.Result, err error) map[string]any {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		meta := result.GetMeta()
		spent, _ := meta["timing"].(map[string]any)
		for _, phase := range []string{"total_ms", "lookup_ms", "hash_ms", "extract_ms", "encode_ms"} {
			if took, ok := spent[phase].(float64); !ok || took < 0 {
				t.Errorf("%s: %s is %v", what, phase, spent[phase])
			}
		}
		failed := what == "an error"
		if _, ok := spent["cache_hit"].(bool); ok == failed || len(spent) != 5 && failed || len(spent) != 6 && !failed {
			t.Errorf("%s: timing %v", what, spent)
		}
		if id, _ := meta["requestId"].(string); len(id) != 26 || strings.ToUpper(id) != id {
			t.Errorf("%s: request id %v", what, meta["requestId"])
		}
		return spent
	}
	resolve := func() map[string]any {
		t.Helper()
		_, result := mcptest.CallTool(t, session, "resolve", map[string]any{"resource_id": "poem", "node_id": "second"})
		return describe("resolve", result, nil)
	}
	first, again := resolve(), resolve()
	if first["cache_hit"] != false || first["extract_ms"].(float64) <= 0 || first["lookup_ms"].(float64) <= 0 {
		t.Errorf("the first resolve: %v", first)
	}
	if again["cache_hit"] != true || again["extract_ms"].(float64) != 0 {
		t.Errorf("the same resolve again: %v", again)
	}
	_, failed := mcptest.CallTool(t, session, "getNode", map[string]any{"resource_id": "poem", "node_id": "none"})
	describe("an error", failed, nil)
	tools, err := session.ListTools(t.Context(), nil)
	describe("tools/list", tools, err)
	resources, err := session.ListResources(t.Context(), nil)
	describe("resources/list", resources, err)
	read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "citekit://maps/poem"})
	describe("resources/read", read, err)
	prompts, err := session.ListPrompts(t.Context(), nil)
	describe("prompts/list", prompts, err)
	prompt, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "study_resource", Arguments: map[string]string{"resource_id": "poem"}})
	describe("prompts/get", prompt, err)
	completed, err := session.Complete(t.Context(), &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: "citekit://maps/{resource_id}"},
		Argument: mcp.CompleteParamsArgument{Name: "resource_id", Value: "po"}})
	describe("completion/complete", completed, err)
}
