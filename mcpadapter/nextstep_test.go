package mcpadapter_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mcpadapter"
)

// hasNextStep finds what an error says to do: a hint, a suggestion, or what
// follows the fault in its message.
var hasNextStep = regexp.MustCompile(`(?m)^Hint: \S|^Error: (give |.*(; .*\b(is|are|must|give|use|write|pass|see|takes|have|at most|one of|unsubscribe|leave|ask)\b|Did you mean))`)

// TestErrorsHaveNextSteps calls every tool wrongly in the same ways, and checks
// that each error says what to do.
func TestErrorsHaveNextSteps(t *testing.T) {
	for name, session := range map[string]*mcp.ClientSession{"few": connect(t, mcpadapter.NewServer(standardLibrary(t), nil), nil), "all": findingServer(t)} {
		tools, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]bool)
		for _, tool := range tools.Tools {
			data, err := json.Marshal(tool.InputSchema)
			if err != nil {
				t.Fatal(err)
			}
			var schema struct {
				Properties map[string]struct{ Type any }
			}
			if err := json.Unmarshal(data, &schema); err != nil {
				t.Fatal(err)
			}
			calls := []map[string]any{{}, {"colour": "red"}}
			for argument := range schema.Properties {
				for _, value := range []any{"none", "pages=77", "text://none#lines=1", "text://poem#lines=99", "text://poem#page=1", "\x00", -1, 1e9, true, []any{}, []any{"none", "poem.pages=77"}, map[string]any{"none": 1}, nil} {
					calls = append(calls, map[string]any{argument: value}, map[string]any{"resource_id": "poem", argument: value},
						map[string]any{"resource_id": "poem", "node_id": "beyond", argument: value}, map[string]any{"query": "poem", argument: value},
						map[string]any{"ids": []any{"poem"}, argument: value}, map[string]any{"text": "“x” text://poem", argument: value})
				}
			}
			for _, arguments := range calls {
				text, result := callTool(t, session, tool.Name, arguments)
				if message, _, _ := strings.Cut(text, "\n"); result.IsError && !hasNextStep.MatchString(text) && !seen[message] {
					seen[message] = true
					t.Errorf("%s, %s %v: %s", name, tool.Name, arguments, text)
				}
			}
		}
	}
}

// TestNextSteps has errors with the steps that lead on.
func TestNextSteps(t *testing.T) {
	session := findingServer(t)
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"getNode", map[string]any{"address": "text://poem#lines=1-4"}, "no node of 'poem' contains all of 'text://poem#lines=1-4'; pass the address to getContents or resolve for the part itself, and getStructure shows its nodes"},
		{"getStructure", map[string]any{"address": "text://poem#lines=1-4"}, "pass the address to getContents or resolve for the part itself"},
		{"getNode", map[string]any{"resource_id": "poem", "node_id": "lines=77"}, "Hint: This is a place, not a node: pass address text://poem#lines=77-77 in place of both ids. getStructure shows the nodes."},
		{"resolve", map[string]any{"resource_id": "poem", "node_id": "#lines=77"}, "pass address text://poem#lines=77-77 in place of both ids."},
		{"getStructure", map[string]any{"resource_id": "poem", "node_id": "lines=2"}, "pass address text://poem#lines=2-2 in place of both ids."},
		{"getNode", map[string]any{"resource_id": "poem", "node_id": "frist"}, "Node 'frist' not found. Did you mean 'first'"},
		{"getNode", map[string]any{"resource_id": "peom", "node_id": "first"}, "Hint: listResources lists the resources."},
	} {
		if text, result := callTool(t, session, test.tool, test.arguments); !result.IsError || !strings.Contains(text, test.want) {
			t.Errorf("%s %v: %s", test.tool, test.arguments, text)
		}
	}
	if text, result := callTool(t, session, "search", map[string]any{"query": "-zebra"}); result.IsError || !strings.Contains(text, "add a word to find") {
		t.Errorf("a search that only excludes: %s", text)
	}
	few := connect(t, mcpadapter.NewServer(standardLibrary(t), &mcpadapter.Options{Tools: []string{"getNode", "getStructure"}}), nil)
	if text, _ := callTool(t, few, "getNode", map[string]any{"address": "text://poem#lines=1-4"}); !strings.Contains(text, "; getStructure shows its nodes") {
		t.Errorf("without tools that read: %s", text)
	}
}

// TestFlatStructure has a map of one level with more nodes than fit: the hints
// name what leads on there.
func TestFlatStructure(t *testing.T) {
	m := &citekit.ResourceMap{ResourceID: "flat", Type: citekit.Text, Title: "Flat", SourcePath: "poem.txt"}
	for i := range 500 {
		m.Nodes = append(m.Nodes, &citekit.Node{ID: fmt.Sprintf("n%d", i), Type: "part", Title: "A part", Location: citekit.Location{Modality: citekit.Text}})
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	session := connect(t, mcpadapter.NewServer(newLibrary(t, nil, map[string]string{"flat": string(data)}), &mcpadapter.Options{PageBytes: 3000}), nil)
	text, _ := callTool(t, session, "getStructure", map[string]any{"resource_id": "flat"})
	if !strings.Contains(text, "of 500 nodes, which are all on one level. next_cursor goes on. getNode with the address of a place finds its node. full") || strings.Contains(text, "child_count") {
		t.Errorf("%.1000s", text)
	}
	outline, _ := callTool(t, session, "getStructure", map[string]any{"resource_id": "flat", "format": "outline"})
	if !strings.Contains(outline, "all are on one level. cursor \"\" with format json gives them in parts") || strings.Contains(outline, "node_id") {
		t.Errorf("%.1000s", outline[max(0, len(outline)-500):])
	}
	part, result := callTool(t, session, "getStructure", map[string]any{"resource_id": "flat", "format": "json", "cursor": ""})
	if result.IsError || !strings.Contains(part, `"next_cursor"`) {
		t.Errorf("%.500s", part)
	}
}
