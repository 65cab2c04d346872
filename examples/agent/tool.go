package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"
	"github.com/eino-contrib/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An mcpTool is a tool of an MCP server as one of Eino.
type mcpTool struct {
	session    *mcp.ClientSession
	definition *mcp.Tool
}

// Info implements [tool.BaseTool].
func (t *mcpTool) Info(context.Context) (*schema.ToolInfo, error) {
	data, err := json.Marshal(t.definition.InputSchema)
	if err != nil {
		return nil, err
	}
	var params jsonschema.Schema
	if err := json.Unmarshal(data, &params); err != nil {
		return nil, err
	}
	return &schema.ToolInfo{Name: t.definition.Name, Desc: t.definition.Description, ParamsOneOf: schema.NewParamsOneOfByJSONSchema(&params)}, nil
}

// InvokableRun implements [tool.InvokableTool]. What a tool says of an error is
// for the model, which can do better with it.
func (t *mcpTool) InvokableRun(ctx context.Context, args string, _ ...tool.Option) (string, error) {
	result, err := t.session.CallTool(ctx, &mcp.CallToolParams{Name: t.definition.Name, Arguments: json.RawMessage(args)})
	if err != nil {
		return "", err
	}
	var texts []string
	for _, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n"), nil
}
