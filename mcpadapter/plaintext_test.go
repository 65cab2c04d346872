package mcpadapter_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/workspace"
)

// TestTextIsNotEscaped checks that agents see the characters &, < and > in the
// texts and addresses of every tool, as they copy what they see.
func TestTextIsNotEscaped(t *testing.T) {
	const source = "R&D costs <b>five</b> million, and more > less.\nThe second line & <i>others</i>.\n"
	hash := sha256.Sum256([]byte(source))
	address := "text://budget#lines=1&v=" + hex.EncodeToString(hash[:])[:16]
	ws := workspace.NewMemory(nil)
	ws.AddSource("budget.txt", []byte(source))
	if err := ws.WriteMap(t.Context(), "budget", []byte(`{"resource_id": "budget", "type": "text", "title": "R&D <2024>", "source_path": "budget.txt",
		"nodes": [{"id": "costs", "title": "Costs & <more>", "type": "x", "location": {"modality": "text", "lines": [1, 1]}}],
		"metadata": {"source_hash": "`+hex.EncodeToString(hash[:])+`"}}`)); err != nil {
		t.Fatal(err)
	}
	session := finding(t, ws)
	calls := map[string][]map[string]any{
		"listResources": {nil, {"query": "R&D"}},
		"getStructure":  {{"resource_id": "budget"}, {"resource_id": "budget", "depth": 0}, {"resource_id": "budget", "format": "outline"}},
		"getNode":       {{"resource_id": "budget", "node_id": "costs"}},
		"resolve":       {{"address": address, "include": []string{"text"}}, {"address": address, "virtual": true}},
		"search":        {{"query": "costs", "include": []string{"rationale", "highlights"}}, {"query": "costs", "by": "nodes"}},
		"getContents":   {{"ids": []string{address, "budget"}, "include": []string{"runs"}}},
		"getContext":    {{"task": "costs of R&D"}},
		"answer":        {{"question": "What does R&D cost?", "rationale": true}},
		"verify":        {{"quote": "R&D costs <b>five</b> million", "address": address}, {"text": `It says "R&D costs <b>five</b> million" (` + address + `).`}},
		"findSimilar":   {{"text": "costs of R&D"}},
		"info":          {nil},
	}
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		if calls[tool.Name] == nil {
			t.Errorf("no call of %s", tool.Name)
		}
		for _, arguments := range calls[tool.Name] {
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: arguments})
			if err != nil || result.IsError {
				t.Errorf("%s %v: %v, %v", tool.Name, arguments, err, result)
				continue
			}
			plain := false
			for _, content := range result.Content {
				text := content.(*mcp.TextContent).Text
				plain = plain || strings.ContainsAny(text, "&<>")
				for _, escape := range []string{`\u0026`, `\u003c`, `\u003e`} {
					if strings.Contains(text, escape) {
						t.Errorf("%s %v has %s: %s", tool.Name, arguments, escape, text)
					}
				}
				if arguments["format"] == nil && !json.Valid([]byte(text)) {
					t.Errorf("%s %v: %s", tool.Name, arguments, text)
				}
			}
			if !plain && tool.Name != "info" {
				t.Errorf("%s %v has none of the characters: %s", tool.Name, arguments, result.Content[0].(*mcp.TextContent).Text)
			}
		}
	}
}
