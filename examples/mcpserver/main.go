// Command mcpserver is the smallest MCP server of one's own on citekit: the
// tools over a directory, and one more.
//
//	go run ./examples/mcpserver [DIRECTORY]
package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/mcpadapter"
)

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, dir); err != nil {
		slog.Error("the server ended", "error", err) // to the standard error
		os.Exit(1)
	}
}

func run(ctx context.Context, dir string) error {
	files, err := corpus.Open(dir, &corpus.Options{Server: &mcpadapter.Options{Name: "mcpserver", Logger: slog.Default()}})
	if err != nil {
		return err
	}
	defer files.Close()
	server := files.Server()
	addMeasure(server, files.Library)
	return mcpadapter.ServeStdio(ctx, server, os.Stdin, os.Stdout)
}

type measureInput struct {
	ResourceID string `json:"resource_id" jsonschema:"Resource id, from listResources."`
}

// addMeasure adds a tool that says how large a resource is. An error of the
// Library is answered as by the other tools, with a code and a hint.
func addMeasure(server *mcp.Server, lib *citekit.Library) {
	tool := &mcp.Tool{
		Name:        "measure",
		Description: "How large a resource is: its pages, lines, seconds or pixels.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true},
	}
	mcp.AddTool(server, tool, func(ctx context.Context, _ *mcp.CallToolRequest, in measureInput) (*mcp.CallToolResult, citekit.Extent, error) {
		extent, err := lib.Measure(ctx, in.ResourceID)
		return nil, extent, err
	})
}
