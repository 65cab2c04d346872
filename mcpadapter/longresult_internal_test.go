package mcpadapter

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestOnlyData takes results of ours whose content other middleware has replaced.
func TestOnlyData(t *testing.T) {
	data := `{"a":1}`
	for text, content := range map[string]mcp.Content{data: &mcp.TextContent{Text: data}, "": &mcp.ImageContent{}} {
		result := success(answer{data: []byte(data)}, true)
		result.Content[0] = content
		if got := string(onlyData(result)); got != text {
			t.Errorf("%T: %q", content, got)
		}
	}
}
