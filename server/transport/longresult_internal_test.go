package transport

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/mcpcall"
)

// TestOnlyData takes results of ours whose content other middleware has replaced.
func TestOnlyData(t *testing.T) {
	data := `{"a":1}`
	for text, content := range map[string]mcp.Content{data: &mcp.TextContent{Text: data}, "": &mcp.ImageContent{}} {
		result := &mcp.CallToolResult{Content: []mcp.Content{content}, StructuredContent: mcpcall.JSON(data)}
		if got := string(onlyData(result)); got != text {
			t.Errorf("%T: %q", content, got)
		}
	}
}
