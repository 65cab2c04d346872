package mcpadapter_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// A silentReader is a resolver whose text and evidence never come.
type silentReader struct{ mcptest.SlowResolver }

func (silentReader) ReadText(ctx context.Context, _ *citekit.Source, _ citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		<-ctx.Done()
		yield(citekit.TextRun{}, ctx.Err())
	}
}

// silentServer returns a session with a server over the poem, and over a recording
// that cannot be read in time. The poem is indexed.
func silentServer(t *testing.T) *mcp.ClientSession {
	t.Helper()
	ws := workspace.NewMemory(nil)
	ws.AddSource("poem.txt", []byte(mcptest.Poem))
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: &text.Resolver{}, citekit.Audio: silentReader{mcptest.NewSlowResolver()}}, nil)
	files := corpus.New(lib, nil)
	t.Cleanup(func() { files.Close() })
	if err := ws.WriteMap(t.Context(), "poem", []byte(mcptest.PoemMap)); err != nil {
		t.Fatal(err)
	}
	if err := files.Searcher.Update(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := ws.WriteMap(t.Context(), "slow", []byte(mcptest.SlowMap)); err != nil {
		t.Fatal(err)
	}
	return mcptest.Connect(t, files.Server(), nil)
}

// TestTimeLimits has tools answer with what there is when the time is over. On a
// busy machine that may be nothing: there is then more time.
func TestTimeLimits(t *testing.T) {
	session := silentServer(t)
	for name, arguments := range map[string]map[string]any{
		"search":      {"query": "four"},
		"findSimilar": {"text": "four"},
		"getContext":  {"task": "four"},
		"getContents": {"ids": []any{"poem", "slow"}},
	} {
		for limit := 50; ; limit *= 2 {
			arguments["timeout_ms"] = limit
			got, result := mcptest.CallTool(t, session, name, arguments)
			if result.IsError && strings.Contains(got, "Code: TIMEOUT") && limit < 60_000 {
				continue
			}
			if result.IsError || !strings.Contains(got, "four") || !strings.Contains(got, `"complete":false`) {
				t.Errorf("%s: %s", name, got)
			}
			break
		}
	}
}

// A limitMeta is what the _meta of an error says of a limit.
type limitMeta struct {
	Code    string
	Details struct {
		Limit     string
		LimitMS   int64 `json:"limit_ms"`
		ElapsedMS int64 `json:"elapsed_ms"`
	}
	Fallback *struct {
		Address    string
		OutputPath *string `json:"output_path"`
	}
}

func metaOf(t *testing.T, result *mcp.CallToolResult) (meta limitMeta) {
	t.Helper()
	data, err := json.Marshal(result.Meta)
	if err == nil {
		err = json.Unmarshal(data, &meta)
	}
	if err != nil {
		t.Fatal(err)
	}
	return meta
}

// TestTimeLimitOfResolve has a resolve that does not end: the error names the
// limit, and has the address.
func TestTimeLimitOfResolve(t *testing.T) {
	session := silentServer(t)
	for _, arguments := range []map[string]any{
		{"resource_id": "slow", "node_id": "wait", "timeout_ms": 20},
		{"address": "audio://slow#t=1-2", "timeout_ms": 20},
	} {
		got, result := mcptest.CallTool(t, session, "resolve", arguments)
		meta := metaOf(t, result)
		if !result.IsError || meta.Code != "TIMEOUT" || meta.Details.Limit != "timeout_ms" || meta.Details.LimitMS != 20 || meta.Details.ElapsedMS < 20 {
			t.Errorf("%+v: %s", meta, got)
		}
		if meta.Fallback == nil || meta.Fallback.Address != "audio://slow#t=1-2" || meta.Fallback.OutputPath != nil {
			t.Errorf("fallback of %s", got)
		}
		if !strings.Contains(got, "\nDetails: limit timeout_ms of 20 ms, after ") || !strings.Contains(got, "\nFallback: {") {
			t.Error(got)
		}
	}
	got, result := mcptest.CallTool(t, session, "getContents", map[string]any{"ids": []any{"slow"}, "timeout_ms": 20})
	if meta := metaOf(t, result); meta.Details.Limit != "timeout_ms" || meta.Fallback == nil ||
		!strings.Contains(got, "\nFallback: {\"contents\":[{\"id\":\"slow\"") || !strings.Contains(got, "audio://slow") || !strings.Contains(got, `"complete":false`) {
		t.Errorf("%+v: %s", meta, got)
	}
}

// TestLimitOfServer checks that a call may only shorten the limit of the server,
// and that other errors have no details.
func TestLimitOfServer(t *testing.T) {
	server := mcpadapter.NewServer(mcptest.StandardLibrary(t), &mcpadapter.Options{Timeouts: map[string]time.Duration{"resolve": 20 * time.Millisecond}})
	session := mcptest.Connect(t, server, nil)
	got, result := mcptest.CallTool(t, session, "resolve", map[string]any{"resource_id": "slow", "node_id": "wait", "timeout_ms": 600_000})
	if meta := metaOf(t, result); meta.Details.Limit != "server" || meta.Details.LimitMS != 20 {
		t.Errorf("%+v: %s", meta, got)
	}
	if _, result = mcptest.CallTool(t, session, "resolve", map[string]any{"resource_id": "poem", "node_id": "none"}); result.Meta["details"] != nil {
		t.Errorf("details of what time did not cause: %v", result.Meta)
	}
}
