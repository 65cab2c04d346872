package server_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/server"
)

// BenchmarkLookupBesideFlood looks up nodes while another key keeps 32 heavy calls
// in flight, at a server in another process.
func BenchmarkLookupBesideFlood(b *testing.B) {
	l := startLoad(b)
	l.open(loadKeys)
	ctx, cancel := context.WithCancel(b.Context())
	var flood sync.WaitGroup
	var heavies []loadCall
	for _, c := range loadCalls() {
		if !c.lookup {
			heavies = append(heavies, c)
		}
	}
	for i := range 32 {
		flood.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 2))
			for ctx.Err() == nil {
				_, _, _, _ = l.sessions[0].exchange(ctx, heavies[r.IntN(len(heavies))].body(r))
			}
		})
	}
	defer flood.Wait()
	defer cancel()
	var took []time.Duration
	calm := l.sessions[1]
	for b.Loop() {
		begun := time.Now()
		status, _, body, err := calm.exchange(ctx, toolCall("getNode", map[string]any{"resource_id": "notes", "node_id": "part-7"}))
		took = append(took, time.Since(begun))
		if err != nil || status != 200 || strings.Contains(body, `"isError":true`) {
			b.Fatalf("%d %v %s", status, err, body)
		}
		time.Sleep(20 * time.Millisecond) // under the rate of a caller
	}
	slices.Sort(took)
	b.ReportMetric(quantile(took, .5), "p50-ms")
	b.ReportMetric(quantile(took, .99), "p99-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkRefusedToken is what a request without a valid token costs.
func BenchmarkRefusedToken(b *testing.B) {
	_, w := newPlace(b, modality.All(), "red", map[string]string{"a.txt": "one\n"})
	s := start(b, []server.Workspace{w}, &server.Options{Authenticator: &keys{grants: map[string]*access.Grant{}}})
	c := s.as("guess")
	for b.Loop() {
		if status, _, body := c.send("POST", "/mcp", message("ping", nil)); status != 401 {
			b.Fatalf("%d %s", status, body)
		}
	}
}
