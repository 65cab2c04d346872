package mcpadapter_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/server/transport"
	"github.com/citekit/citekit/workspace"
)

// The calls go through the SDK's in-memory transport, client and all.

func BenchmarkGetNode(b *testing.B) {
	benchmarkCall(b, "getNode", map[string]any{"resource_id": "big", "node_id": "s777.n7777"})
}

func BenchmarkVirtualResolve(b *testing.B) {
	benchmarkCall(b, "resolve", map[string]any{"resource_id": "big", "node_id": "s777.n7777", "virtual": true})
}

func BenchmarkGetStructure(b *testing.B) {
	benchmarkCall(b, "getStructure", map[string]any{"resource_id": "big", "full": true})
}

func BenchmarkGetStructureUpper(b *testing.B) {
	benchmarkCall(b, "getStructure", map[string]any{"resource_id": "big"})
}

func BenchmarkGetStructurePage(b *testing.B) {
	benchmarkCall(b, "getStructure", map[string]any{"resource_id": "big", "cursor": ""})
}

func benchmarkCall(b *testing.B, tool string, arguments map[string]any) {
	lib := mcptest.NewLibrary(b, mcptest.NewSlowResolver(), map[string]string{"big": mcptest.BigMap("big", 10_000)})
	session := mcptest.Connect(b, mcpadapter.NewServer(lib, nil), nil)
	params := &mcp.CallToolParams{Name: tool, Arguments: arguments}
	for b.Loop() {
		result, err := session.CallTool(context.Background(), params)
		if err != nil || result.IsError {
			b.Fatal(result, err)
		}
	}
}

// BenchmarkListResources lists 2,000 resources on disk, each of a source.
func BenchmarkListResources(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "source.txt"), []byte("line\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "source.txt"), long, long); err != nil {
		b.Fatal(err)
	}
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		b.Fatal(err)
	}
	for i := range 2000 {
		id := fmt.Sprintf("resource-%d", i)
		m := fmt.Sprintf(`{"resource_id":%q,"type":"text","title":"A title","source_path":"source.txt","nodes":[]}`, id)
		if err := ws.WriteMap(b.Context(), id, []byte(m)); err != nil {
			b.Fatal(err)
		}
	}
	lib := citekit.New(ws, map[citekit.Modality]citekit.Resolver{citekit.Text: &text.Resolver{}}, nil)
	w := mcptest.Serve(b, mcpadapter.NewServer(lib, nil), transport.StreamTransport{}).Start() // the server alone
	medianOf(b, func() {
		w.Call(1, "listResources", "{}")
		if got := w.Next(); !strings.Contains(got, `"resources"`) {
			b.Fatal(got)
		}
	})
}

// BenchmarkStream measures the server alone: raw lines through a
// StreamTransport.
func BenchmarkStream(b *testing.B) {
	for _, bench := range []struct{ name, tool, arguments string }{
		{"getNode", "getNode", `{"resource_id":"big","node_id":"s777.n7777"}`},
		{"virtual", "resolve", `{"resource_id":"big","node_id":"s777.n7777","virtual":true}`},
		{"getStructure", "getStructure", `{"resource_id":"big","full":true}`},
		{"upper", "getStructure", `{"resource_id":"big"}`},
		{"page", "getStructure", `{"resource_id":"big","cursor":""}`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			lib := mcptest.NewLibrary(b, mcptest.NewSlowResolver(), map[string]string{"big": mcptest.BigMap("big", 10_000)})
			w := mcptest.Serve(b, mcpadapter.NewServer(lib, nil), transport.StreamTransport{}).Start()
			for b.Loop() {
				w.Call(1, bench.tool, bench.arguments)
				if answer := w.Next(); len(answer) < 100 {
					b.Fatal(answer)
				}
			}
		})
	}
}
