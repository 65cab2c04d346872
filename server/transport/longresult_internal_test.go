package transport

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestOnlyData takes results of ours whose content other middleware has replaced.
func TestOnlyData(t *testing.T) {
	data := `{"a":1}`
	for text, content := range map[string]mcp.Content{data: &mcp.TextContent{Text: data}, "": &mcp.ImageContent{}} {
		result := &mcp.CallToolResult{Content: []mcp.Content{content}, StructuredContent: JSON(data)}
		if got := string(onlyData(result)); got != text {
			t.Errorf("%T: %q", content, got)
		}
	}
}
