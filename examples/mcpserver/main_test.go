package main

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

func TestMeasure(t *testing.T) {
	ws := workspace.NewMemory(nil)
	ws.AddSource("poem.txt", []byte("one\ntwo\n"))
	const poem = `{"resource_id":"poem","type":"text","title":"","source_path":"poem.txt","nodes":[]}`
	if err := ws.WriteMap(t.Context(), "poem", []byte(poem)); err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	server := mcpadapter.NewServer(lib, nil)
	addMeasure(server, lib)
	theirs, ours := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), ours, nil); err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for resource, want := range map[string]string{
		"poem": `"lines":2`,
		"pome": "Error: Resource 'pome' not found. Did you mean 'poem'?\nCode: NOT_FOUND\n",
	} {
		result, err := client.CallTool(context.Background(), &mcp.CallToolParams{Name: "measure", Arguments: measureInput{resource}})
		if err != nil {
			t.Fatal(err)
		}
		if got := result.Content[0].(*mcp.TextContent).Text; !strings.Contains(got, want) {
			t.Errorf("measure %s: %s", resource, got)
		}
	}
}
