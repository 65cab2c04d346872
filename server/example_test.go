package server_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"testing/fstest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/server"
	"github.com/citekit/citekit/server/transport"
	"github.com/citekit/citekit/workspace"
)

// Ada may see one of two workspaces. A file of keys, access.KeyFile, has tokens that an
// operator makes, and access/oidc those of an identity provider.
func Example() {
	papers, contracts := oneFile("paper.txt"), oneFile("contract.txt")
	defer papers.Close()
	defer contracts.Close()
	s, err := server.New([]server.Workspace{
		{Name: "papers", Hosted: transport.Hosted{Server: mcpadapter.NewServer(papers, nil)}},
		{Name: "contracts", Hosted: transport.Hosted{Server: mcpadapter.NewServer(contracts, nil)}},
	}, &server.Options{Authenticator: tokens{"ada-token": {ID: "ada", Workspaces: []string{"papers"}}}})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Shutdown(context.Background())
	web := httptest.NewServer(s) // a program calls s.Serve
	defer web.Close()

	answer, err := http.Post(web.URL+"/mcp", "application/json", nil)
	if err != nil {
		log.Fatal(err)
	}
	answer.Body.Close()
	fmt.Println(answer.Status)
	fmt.Println(list(web.URL+"/mcp", "ada-token"))
	// Output:
	// 401 Unauthorized
	// {"resources":["paper"],"items":[{"resource_id":"paper","type":"text","title":"paper.txt","nodes":1,"lines":2,"address":"text://paper"}]}
}

// tokens knows what each token may do.
type tokens map[string]*access.Grant

func (t tokens) Authenticate(_ context.Context, token string) (*access.Grant, error) {
	if grant := t[token]; grant != nil { // a real one compares hashes
		return grant, nil
	}
	return nil, access.ErrRefused
}

// oneFile returns a library in memory with a file, which is mapped.
func oneFile(name string) *citekit.Library {
	lib := citekit.New(workspace.NewMemory(fstest.MapFS{name: {Data: []byte("one\ntwo\n")}}), modality.All(), nil)
	if _, err := ingest.Run(context.Background(), lib, []string{name}, nil); err != nil {
		log.Fatal(err)
	}
	return lib
}

// list asks for the resources, as an agent with a token would.
func list(endpoint, token string) string {
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "example"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: &http.Client{Transport: bearer(token)}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "listResources"})
	if err != nil {
		log.Fatal(err)
	}
	return result.Content[0].(*mcp.TextContent).Text
}

// A bearer adds a token to requests.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}
