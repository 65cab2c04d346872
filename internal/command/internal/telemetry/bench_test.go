package telemetry_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/internal/command/internal/telemetry"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server"
	"github.com/citekit/citekit/server/transport"
	"github.com/citekit/citekit/workspace"
)

// BenchmarkGetNode calls getNode over HTTP, a hundred times in turn by a bare handler
// and by a server that authenticates, limits, logs, audits and counts, and in one of
// two runs traces every call. It reports the medians of these blocks, and the median
// of how much more the server takes than the handler just before: of the time that
// the client waits, and of the processor time of both sides, which depends less on
// what else the machine does.
//
//	go test ./telemetry -run '^$' -bench GetNode -benchtime 100x
func BenchmarkGetNode(b *testing.B) {
	release := exporting(b)
	defer release()
	for _, of := range []struct {
		name  string
		serve func(b *testing.B, lib *citekit.Library) string
	}{
		{"all", func(b *testing.B, lib *citekit.Library) string { return serveAll(b, lib, true) }},
		{"untraced", func(b *testing.B, lib *citekit.Library) string { return serveAll(b, lib, false) }},
	} {
		b.Run(of.name, func(b *testing.B) {
			lib := bigLibrary(b)
			callers := []*getNodeCaller{newCaller(b, serveBare(b, lib)), newCaller(b, of.serve(b, lib))}
			for range 5 { // connections and caches
				measure(b, callers[0])
				measure(b, callers[1])
			}
			var bare, all, more [2][]float64 // of each block: time, and processor time
			for b.Loop() {
				x, y := measure(b, callers[0]), measure(b, callers[1])
				for i := range x {
					bare[i], all[i], more[i] = append(bare[i], x[i]), append(all[i], y[i]), append(more[i], 100*(y[i]/x[i]-1))
				}
			}
			for i, unit := range []string{"", "cpu-"} {
				b.ReportMetric(median(bare[i]), unit+"bare-ns")
				b.ReportMetric(median(all[i]), unit+"server-ns")
				b.ReportMetric(median(more[i]), unit+"more-%")
			}
		})
	}
}

// blockCalls is how many calls go to one of them in turn: what a call leaves to be
// done in the background then falls on calls of the same.
const blockCalls = 100

// measure returns how long a call takes of a block, in the median, and how much
// processor time of all of this process, each in nanoseconds.
func measure(b *testing.B, c *getNodeCaller) (of [2]float64) {
	took, before := make([]float64, blockCalls), spent()
	for i := range took {
		took[i] = float64(c.call(b).Nanoseconds())
	}
	return [2]float64{median(took), max(1, float64(spent()-before)/blockCalls)}
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// exporting has spans exported to a collector that takes all.
func exporting(b *testing.B) (release func()) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })}
	go s.Serve(listener)
	b.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+listener.Addr().String())
	return func() { s.Close() }
}

func bigLibrary(b *testing.B) *citekit.Library {
	ws := workspace.NewMemory(nil)
	var nodes strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&nodes, `,{"id":"n%d","type":"section","title":"Section %d of the map","location":{"modality":"text","lines":"%d-%d"}}`, i, i, i+1, i+2)
	}
	text := `{"resource_id":"big","type":"text","title":"Big","source_path":"big.txt","nodes":[` + nodes.String()[1:] + `]}`
	text = strings.ReplaceAll(text, `"lines":"`, `"x":"`)
	if err := ws.WriteMap(b.Context(), "big", []byte(text)); err != nil {
		b.Fatal(err)
	}
	lib := citekit.New(ws, nil, nil)
	b.Cleanup(func() { lib.Close() })
	return lib
}

func serveBare(b *testing.B, lib *citekit.Library) string {
	handler := mcpadapter.NewHandler(mcpadapter.NewServer(lib, nil), nil)
	return serving(b, func(ctx context.Context, l net.Listener) error { return handler.Serve(ctx, l, nil) })
}

func serveAll(b *testing.B, lib *citekit.Library, traces bool) string {
	dir := b.TempDir()
	loggers := make([]*slog.Logger, 2)
	for i, name := range []string{"log", "audit"} {
		file, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { file.Close() })
		loggers[i] = slog.New(slog.NewJSONHandler(file, nil))
	}
	tel, err := telemetry.New(b.Context(), &telemetry.Options{Workspaces: []string{"big"}, Traces: traces})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { tel.Shutdown(context.Background()) })
	s, err := server.New([]server.Workspace{{Name: "big", Hosted: transport.Hosted{Server: mcpadapter.NewServer(lib, &mcpadapter.Options{Timeouts: server.Timeouts()})}}}, &server.Options{
		Authenticator: newHashed(benchKey), Limits: server.Limits{Rate: 1e6}, Logger: loggers[0], Audit: loggers[1], Observer: tel,
	})
	if err != nil {
		b.Fatal(err)
	}
	tel.Watch(s.Load)
	return serving(b, func(ctx context.Context, l net.Listener) error { return s.Serve(ctx, l, nil) })
}

func serving(b *testing.B, serve func(context.Context, net.Listener) error) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- serve(ctx, listener) }()
	b.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			b.Error(err)
		}
	})
	return "http://" + listener.Addr().String() + "/mcp"
}

const benchKey = "ck_a-key-of-a-benchmark-that-is-as-long-as-they-are"

// hashed is an authenticator by the hashes of keys, which knows 100 of them.
type hashed map[[sha256.Size]byte]*access.Grant

func newHashed(key string) hashed {
	h := hashed{sha256.Sum256([]byte(key)): {ID: "k-bench", Workspaces: []string{"big"}}}
	for i := range 99 {
		h[sha256.Sum256(fmt.Appendf(nil, "key %d", i))] = &access.Grant{ID: fmt.Sprint("k-", i)}
	}
	return h
}

// Authenticate implements [access.Authenticator].
func (h hashed) Authenticate(_ context.Context, token string) (*access.Grant, error) {
	if g := h[sha256.Sum256([]byte(token))]; g != nil {
		return g, nil
	}
	return nil, access.ErrRefused
}

// Valid implements [server.Revalidator].
func (h hashed) Valid(string) bool { return true }

// A getNodeCaller calls getNode in a session.
type getNodeCaller struct {
	url     string
	header  http.Header
	client  *http.Client
	counter int
}

func newCaller(b *testing.B, url string) *getNodeCaller {
	c := &getNodeCaller{url: url, client: &http.Client{Transport: &http.Transport{}}, header: http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + benchKey},
	}}
	b.Cleanup(c.client.CloseIdleConnections)
	_, header, body := c.post(b, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	if c.header["Mcp-Session-Id"] = header["Mcp-Session-Id"]; len(c.header["Mcp-Session-Id"]) == 0 {
		b.Fatalf("initialize: %s", body)
	}
	c.header.Set("Mcp-Protocol-Version", "2025-11-25")
	c.post(b, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *getNodeCaller) post(b *testing.B, body string) (time.Duration, http.Header, []byte) {
	r, err := http.NewRequest("POST", c.url, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header = c.header
	start := time.Now()
	answer, err := c.client.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	data, err := io.ReadAll(answer.Body)
	took := time.Since(start)
	answer.Body.Close()
	if err != nil || answer.StatusCode >= 300 {
		b.Fatalf("%s: %s %v", answer.Status, data, err)
	}
	return took, answer.Header, data
}

func (c *getNodeCaller) call(b *testing.B) time.Duration {
	c.counter++
	took, _, data := c.post(b, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"getNode","arguments":{"resource_id":"big","node_id":"n%d"}}}`, c.counter, c.counter*37%10_000))
	if !bytes.Contains(data, []byte("Section ")) {
		b.Fatalf("getNode: %s", data)
	}
	return took
}
