package mcpadapter

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/mcpcall"
	textfiles "github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// TestIngestsOfOneCaller: one caller cannot take all ingests of a workspace.
func TestIngestsOfOneCaller(t *testing.T) {
	ws := workspace.NewMemory(nil)
	ws.AddSource("a.txt", []byte("One.\n"))
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: &textfiles.Resolver{}}, nil)
	defer lib.Close()
	release := make(chan struct{})
	g := NewIngester(lib, nil)
	defer g.Close()
	start := func(id string) (*ingest.Job, error) {
		c := mcpcall.CallerOf(&mcp.RequestExtra{Header: http.Header{}, TokenInfo: mcpcall.Identify(&access.Grant{ID: id}, "red")})
		return g.start(t.Context(), c, []string{"."}, &ingest.Options{Progress: func(ingest.Progress) { <-release }})
	}
	var jobs []*ingest.Job
	for {
		j, err := start("greedy")
		if err != nil {
			if !errors.Is(err, citekit.ErrTooLarge) || !strings.Contains(err.Error(), "of your ingests") {
				t.Error(err)
			}
			break
		}
		jobs = append(jobs, j)
	}
	j, err := start("calm")
	if err != nil || len(jobs) != ingest.MaxJobs/2 {
		t.Fatalf("after %d ingests of one caller: %v", len(jobs), err)
	}
	close(release)
	for _, j := range append(jobs, j) {
		<-j.Done()
	}
}
