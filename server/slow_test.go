package server_test

import (
	"context"
	"net"
	"regexp"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/server"
	"github.com/citekit/citekit/workspace"
)

// A slow resolver waits until it is cancelled.
type slow struct{ started, cancelled chan struct{} }

func newSlow() slow { return slow{make(chan struct{}, 1000), make(chan struct{}, 1000)} }

func (s slow) Resolve(ctx context.Context, _ *citekit.Source, _ citekit.Request) (*citekit.Content, error) {
	s.started <- struct{}{}
	<-ctx.Done()
	s.cancelled <- struct{}{}
	return nil, ctx.Err()
}

// slowPlace returns a workspace in memory, in which audio takes for ever.
func slowPlace(t testing.TB, slow citekit.Resolver) (*citekit.Library, []server.Workspace) {
	t.Helper()
	ws := workspace.NewMemory(nil)
	ws.AddSource("slow.wav", []byte("sound"))
	nodes := `{"id":"n","type":"x","location":{"modality":"audio","start":1,"end":2}}`
	for i := range 500 {
		nodes += strings.ReplaceAll(`,{"id":"nX","type":"x","location":{"modality":"audio","start":1,"end":2}}`, "X", strings.Repeat("i", i%20+1)+string(rune('a'+i/20)))
	}
	if err := ws.WriteMap(t.Context(), "slow", []byte(`{"resource_id":"slow","type":"audio","title":"","source_path":"slow.wav","nodes":[`+nodes+`]}`)); err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Audio: slow, citekit.Virtual: modality.Virtual{}}, nil)
	t.Cleanup(func() { lib.Close() })
	hosted, service := hostBoth(t, lib, nil)
	return lib, []server.Workspace{{Name: "slow", Hosted: hosted, API: service}}
}

// listenEverywhere listens on all addresses of this machine.
func listenEverywhere(t testing.TB) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener
}

// volatile is what each answer has anew.
var progressEvent = regexp.MustCompile(`event: progress\ndata: [^\n]*\n\n`)

var volatile = regexp.MustCompile(`"(requestId|timing|latency|job_id|[a-z_]+_ms)":("[^"]*"|\{[^}]*\}|[0-9.]+)`)

// stripped returns text without an id, and without what each answer has anew.
func stripped(text, id string) string {
	text = progressEvent.ReplaceAllString(text, "") // of which several may be joined
	return volatile.ReplaceAllString(strings.ReplaceAll(text, id, "ID"), "VARIES")
}
