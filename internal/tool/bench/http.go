package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// http compares getNode over HTTP with a tool on the same SDK that does nothing,
// by the same client, in the newest version of the protocol.
func (b *bench) http() error {
	ids, err := b.bigMap()
	if err != nil {
		return err
	}
	ws, err := workspace.Open(b.mapsDir(), nil)
	if err != nil {
		return err
	}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	idle := mcp.NewServer(&mcp.Implementation{Name: "idle"}, nil)
	mcp.AddTool(idle, &mcp.Tool{Name: "getNode"}, doNothing)
	bare := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return idle }, &mcp.StreamableHTTPOptions{Stateless: true})

	var clients []*mcp.ClientSession
	for _, handler := range []http.Handler{mcpadapter.NewHandler(mcpadapter.NewServer(lib, nil), nil), bare} {
		served := httptest.NewServer(handler)
		defer served.Close()
		client, err := mcp.NewClient(&mcp.Implementation{Name: "bench"}, nil).
			Connect(b.ctx, &mcp.StreamableClientTransport{Endpoint: served.URL + "/mcp"}, nil)
		if err != nil {
			return err
		}
		defer client.Close()
		clients = append(clients, client)
	}
	times := make([][]time.Duration, len(clients))
	for i := range 2000 {
		for j, client := range clients {
			spent, err := getNode(b.ctx, client, ids[i*37%len(ids)])
			if err != nil {
				return err
			}
			if i >= 200 { // once connections and caches are warm
				times[j] = append(times[j], spent)
			}
		}
	}
	b.table.compare("getNode over HTTP, 10,000-node map", median(times[0]), "a tool that does nothing, same SDK", median(times[1]), "at least 0.67×")
	return nil
}

type nodeInput struct {
	ResourceID string `json:"resource_id"`
	NodeID     string `json:"node_id"`
}

func doNothing(context.Context, *mcp.CallToolRequest, nodeInput) (*mcp.CallToolResult, struct{ OK bool }, error) {
	return nil, struct{ OK bool }{true}, nil
}

func getNode(ctx context.Context, client *mcp.ClientSession, id string) (time.Duration, error) {
	start := time.Now()
	result, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "getNode", Arguments: nodeInput{ResourceID: "big", NodeID: id}})
	if err == nil && result.IsError {
		err = fmt.Errorf("getNode %s: %v", id, result.Content)
	}
	return time.Since(start), err
}
