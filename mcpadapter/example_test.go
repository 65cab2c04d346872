package mcpadapter_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing/fstest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// A server can stand at a path of one's own HTTP server. The protocol's SDK
// refuses hosts that are not local where it listens locally, but lets pages of
// other origins call it: so wrap it. Who may call it at all is for the program
// to say, such as by a handler around this one that looks at a token.
func ExampleNewServer_http() {
	lib := citekit.New(workspace.NewMemory(fstest.MapFS{"poem.txt": {Data: []byte("one\ntwo\n")}}), modality.All(), nil)
	defer lib.Close()
	if _, err := ingest.Run(context.Background(), lib, []string{"poem.txt"}, nil); err != nil {
		log.Fatal(err)
	}

	server := mcpadapter.NewServer(lib, nil)
	handler := mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return server }, // one for all sessions
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true},
	)
	mux := http.NewServeMux()
	mux.Handle("/citations", http.NewCrossOriginProtection().Handler(handler))
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "well") })
	web := httptest.NewServer(mux)
	defer web.Close()

	fmt.Println(askOverHTTP(web.URL+"/citations", "listResources"))

	foreign, err := http.NewRequest(http.MethodPost, web.URL+"/citations", strings.NewReader("{}"))
	if err != nil {
		log.Fatal(err)
	}
	foreign.Header.Set("Origin", "https://elsewhere.example")
	answer, err := http.DefaultClient.Do(foreign)
	if err != nil {
		log.Fatal(err)
	}
	answer.Body.Close()
	fmt.Println(answer.Status)
	// Output:
	// {"resources":["poem"],"items":[{"resource_id":"poem","type":"text","title":"poem.txt","nodes":1,"lines":2,"address":"text://poem"}]}
	// 403 Forbidden
}

// askOverHTTP calls a tool without arguments as an agent would.
func askOverHTTP(endpoint, name string) string {
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "example"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: endpoint}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name})
	if err != nil {
		log.Fatal(err)
	}
	return result.Content[0].(*mcp.TextContent).Text
}
