package mcpadapter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/workspace"
)

// A server has the tool of another one, for clients that know only that.
func ExampleDialect() {
	ctx := context.Background()
	ws := workspace.NewMemory(nil)
	if err := ws.WriteMap(ctx, "moby", []byte(`{"resource_id":"moby","type":"text","title":"Moby Dick","source_path":"moby.txt","nodes":[]}`)); err != nil {
		log.Fatal(err)
	}
	lib := citekit.New(ws, nil, nil)
	defer lib.Close()
	shelf := mcpadapter.Dialect{Name: "shelf", Tools: []mcpadapter.DialectTool{{
		Name: "shelf_title", Description: "The title of a book.", Toolset: mcpadapter.ToolsetRead, Lookup: true,
		Input: json.RawMessage(`{"type": "object", "required": ["book"], "properties": {"book": {"type": "string"}}}`),
		Call: func(ctx context.Context, arguments json.RawMessage) (r mcpadapter.DialectResult, err error) {
			var asked struct{ Book string }
			if err := json.Unmarshal(arguments, &asked); err != nil {
				return r, err
			}
			m, err := lib.Map(ctx, asked.Book)
			if err != nil {
				return r, err
			}
			r.Data, err = json.Marshal(map[string]string{"title": m.Title})
			return r, err
		},
	}}}
	server := mcpadapter.NewServer(lib, &mcpadapter.Options{Dialects: []mcpadapter.Dialect{shelf}})

	theirs, ours := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, ours, nil); err != nil {
		log.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "reader", Version: "1"}, nil).Connect(ctx, theirs, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	for _, arguments := range []string{`{"book": "moby"}`, `{"bok": "moby"}`} {
		result, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "shelf_title", Arguments: json.RawMessage(arguments)})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.Content[0].(*mcp.TextContent).Text)
	}
	// Output:
	// {"title":"Moby Dick"}
	// Error: unknown argument 'bok' (did you mean 'book', a string?); this tool takes book
	// Code: INVALID_INPUT
}
