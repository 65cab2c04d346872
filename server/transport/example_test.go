package transport_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"testing/fstest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/server/transport"
	"github.com/citekit/citekit/workspace"
)

// A server is served over HTTP with bodies of at most 64 KiB, and with signed links to
// files of evidence.
func ExampleNewHandler() {
	lib := citekit.New(workspace.NewMemory(fstest.MapFS{"poem.txt": {Data: []byte("one\ntwo\n")}}), modality.All(), nil)
	defer lib.Close()
	links := transport.NewEvidenceLinks(lib, nil)
	server := mcpadapter.NewServer(lib, &mcpadapter.Options{Links: links})
	handler := transport.NewHandler(server, &transport.HandlerOptions{Tools: mcpadapter.Tools(), Links: links, MaxBodyBytes: 64 << 10})
	web := httptest.NewServer(handler)
	defer web.Close()

	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "example"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: web.URL + "/mcp"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, tool := range tools.Tools {
		fmt.Println(tool.Name)
	}
	// Output:
	// getNode
	// getStructure
	// info
	// listResources
	// resolve
}
