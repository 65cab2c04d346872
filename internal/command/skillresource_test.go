package command

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/command/internal/skill"
	"github.com/citekit/citekit/internal/test/mcptest"
)

// TestSkillResource reads the skill over MCP.
func TestSkillResource(t *testing.T) {
	served := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	offerSkill(served)
	session := mcptest.Connect(t, served, nil)
	list, err := session.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 1 || list.Resources[0].URI != "skill://citekit/SKILL.md" {
		t.Fatalf("%v, %v", list, err)
	}
	read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: list.Resources[0].URI})
	if err != nil || read.Contents[0].Text != skill.Text {
		t.Errorf("%v, %v", read, err)
	}
}
