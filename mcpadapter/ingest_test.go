package mcpadapter_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// A gatedMapper maps a text as its whole, and those named slow*.txt only once
// the gate is open.
type gatedMapper struct {
	text.Resolver
	gate chan struct{}

	begun chan struct{} // gets a token when a text waits for the gate
	ended chan struct{} // gets a token when a text that waits is cancelled
}

func (m *gatedMapper) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	if strings.HasPrefix(src.Name(), "slow") {
		select {
		case m.begun <- struct{}{}:
		default:
		}
		select {
		case <-m.gate:
		case <-ctx.Done():
			select {
			case m.ended <- struct{}{}:
			default:
			}
			return nil, ctx.Err()
		}
	}
	return &citekit.Draft{Nodes: []*citekit.Node{{ID: "whole", Type: "passage", Location: citekit.Location{Modality: citekit.Text}}}}, nil
}

// An ingestFixture is a client of a server that ingests.
type ingestFixture struct {
	dir     string
	mapper  *gatedMapper
	session *mcp.ClientSession

	ingester *mcpadapter.Ingester

	mu         sync.Mutex
	progress   []*mcp.ProgressNotificationParams
	onProgress func(*mcp.ProgressNotificationParams) // called with the lock held, or nil
	changed    chan struct{}
}

func newIngestFixture(t *testing.T, answerWithin time.Duration, files ...string) *ingestFixture {
	t.Helper()
	f := &ingestFixture{dir: t.TempDir(), mapper: &gatedMapper{gate: make(chan struct{}), begun: make(chan struct{}, 1), ended: make(chan struct{}, 1)}, changed: make(chan struct{}, 100)}
	for _, name := range files {
		if err := os.WriteFile(filepath.Join(f.dir, name), []byte("text of "+name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(f.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: f.mapper}, nil)
	ingester := mcpadapter.NewIngester(lib, &mcpadapter.IngesterOptions{AnswerWithin: answerWithin})
	f.ingester = ingester
	t.Cleanup(func() {
		ingester.Close()
		lib.Close()
	})
	f.session = mcptest.Connect(t, mcpadapter.NewServer(lib, &mcpadapter.Options{Ingester: ingester}), &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.progress = append(f.progress, req.Params)
			if f.onProgress != nil {
				f.onProgress(req.Params)
			}
		},
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { f.changed <- struct{}{} },
	})
	return f
}

// An ingestAnswer is what the tools answer.
type ingestAnswer struct {
	JobID  string `json:"job_id"`
	Status string
	Done   int
	Total  int
	Counts map[string]int
	Items  []struct{ Path, Status, ResourceID, Reason, Code string }
	Error  string
}

func (f *ingestFixture) call(t *testing.T, tool string, arguments map[string]any) ingestAnswer {
	t.Helper()
	text, result := mcptest.CallTool(t, f.session, tool, arguments)
	if result.IsError {
		t.Fatalf("%s %v: %s", tool, arguments, text)
	}
	var a ingestAnswer
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestIngestTool(t *testing.T) {
	f := newIngestFixture(t, mcptest.Patience, "a.txt", "b.txt")
	a := f.call(t, "ingest", map[string]any{"paths": []string{".", "none.txt", "/etc/passwd"}})
	if a.Status != "done" || !cmp.Equal(a.Counts, map[string]int{"mapped": 2, "failed": 2}) || a.Done != 4 || a.Total != 4 {
		t.Errorf("answer: %+v", a)
	}
	if len(a.Items) != 4 || a.Items[0].Code != "NOT_FOUND" || a.Items[1].Code != "FORBIDDEN" || a.Items[2].Path != "a.txt" {
		t.Errorf("items: %+v", a.Items)
	}
	select {
	case <-f.changed:
	case <-time.After(mcptest.Patience):
		t.Fatal("the client did not hear of new resources")
	}
	listed, err := f.session.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var uris []string
	for _, r := range listed.Resources {
		uris = append(uris, r.URI)
	}
	if diff := cmp.Diff([]string{"citekit://maps/a", "citekit://maps/b"}, uris); diff != "" {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
	read, err := f.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "citekit://map/b"})
	if err != nil || !strings.Contains(read.Contents[0].Text, `"source_path":"b.txt"`) {
		t.Errorf("%+v, %v", read, err)
	}
	if err := os.Remove(filepath.Join(f.dir, ".resource_maps", "a.json")); err != nil {
		t.Fatal(err)
	}
	if listed, err = f.session.ListResources(t.Context(), nil); err != nil || len(listed.Resources) != 1 {
		t.Errorf("after a map is gone: %+v, %v", listed, err)
	}
	if a := f.call(t, "ingest", map[string]any{"paths": "b.txt"}); a.Status != "done" || a.Counts["unchanged"] != 1 || len(a.Items) > 0 {
		t.Errorf("again: %+v", a)
	}
}

func TestIngestToolRunsOn(t *testing.T) {
	f := newIngestFixture(t, 20*time.Millisecond, "a.txt", "slow.txt")
	a := f.call(t, "ingest", map[string]any{"paths": []string{"."}})
	if a.Status != "running" || a.JobID == "" {
		t.Fatalf("answer: %+v", a)
	}
	<-f.mapper.begun // so that everything is known that is to be mapped
	if a := f.call(t, "ingestStatus", map[string]any{"job_id": a.JobID}); a.Status != "running" || a.Total != 2 {
		t.Errorf("status: %+v", a)
	}
	close(f.mapper.gate)
	for a.Status == "running" {
		a = f.call(t, "ingestStatus", map[string]any{"job_id": a.JobID})
	}
	if a.Status != "done" || a.Counts["mapped"] != 2 {
		t.Errorf("at the end: %+v", a)
	}
	text, result := mcptest.CallTool(t, f.session, "ingestStatus", map[string]any{"job_id": "ingest-99"})
	if !result.IsError || !strings.Contains(text, "there is no ingest 'ingest-99'") {
		t.Errorf("a job that is not there: %s", text)
	}
}

func TestIngestToolCancelled(t *testing.T) {
	f := newIngestFixture(t, 20*time.Millisecond, "a.txt", "slow.txt")
	a := f.call(t, "ingest", map[string]any{"paths": []string{"."}})
	for a.Done == 0 {
		a = f.call(t, "ingestStatus", map[string]any{"job_id": a.JobID})
	}
	for f.call(t, "ingestStatus", map[string]any{"job_id": a.JobID, "cancel": true}).Status == "running" {
	}
	a = f.call(t, "ingestStatus", map[string]any{"job_id": a.JobID})
	if a.Status != "cancelled" || a.Counts["mapped"] != 1 {
		t.Errorf("answer: %+v", a)
	}
}

// TestIngestCallCancelled checks that a client that cancels the call ends the
// ingest.
func TestIngestCallCancelled(t *testing.T) {
	f := newIngestFixture(t, mcptest.Patience, "slow.txt")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-f.mapper.begun
		cancel()
	}()
	if _, err := f.session.CallTool(ctx, &mcp.CallToolParams{Name: "ingest", Arguments: map[string]any{"paths": []string{"."}}}); err == nil {
		t.Fatal("the call was not cancelled")
	}
	select {
	case <-f.mapper.ended:
	case <-time.After(mcptest.Patience):
		t.Error("the ingest goes on")
	}
}

func TestIngestToolProgress(t *testing.T) {
	var files []string
	for _, c := range "abcdefgh" {
		files = append(files, string(c)+".txt")
	}
	f := newIngestFixture(t, mcptest.Patience, append(files, "slow.txt")...)
	f.onProgress = func(p *mcp.ProgressNotificationParams) {
		if p.Progress >= 8 { // all but the slow one
			f.onProgress = nil
			close(f.mapper.gate)
		}
	}
	params := &mcp.CallToolParams{Name: "ingest", Arguments: map[string]any{"paths": []string{"."}}}
	params.SetProgressToken("token")
	result, err := f.session.CallTool(t.Context(), params)
	if err != nil || result.IsError {
		t.Fatalf("%+v, %v", result, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var steps []float64
	for _, p := range f.progress {
		steps = append(steps, p.Progress)
		if p.ProgressToken != "token" || p.Total != 9 || !strings.Contains(p.Message, " of 9: ") {
			t.Errorf("progress: %+v", p)
		}
	}
	if len(steps) > 0 && steps[len(steps)-1] > 9 {
		t.Errorf("more is done than there is: %v", steps)
	}
	if len(steps) == 0 || !slices.IsSorted(steps) || len(slices.Compact(slices.Clone(steps))) != len(steps) {
		t.Errorf("progress does not rise: %v", steps)
	}
}

// TestIngestResourceRead checks that maps that others made can be read before
// they were listed.
func TestIngestResourceRead(t *testing.T) {
	f := newIngestFixture(t, mcptest.Patience, "a.txt")
	dir := filepath.Join(f.dir, ".resource_maps")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	data := []byte(`{"resource_id":"a","type":"text","title":"A","source_path":"a.txt","nodes":[]}`)
	if err := os.WriteFile(filepath.Join(dir, "a.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := f.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "citekit://map/a"})
	if err != nil || !strings.Contains(read.Contents[0].Text, `"source_path":"a.txt"`) {
		t.Errorf("%+v, %v", read, err)
	}
}

// TestIngesterClose checks that nothing runs any more when Close has returned,
// also of what is asked for just then.
func TestIngesterClose(t *testing.T) {
	f := newIngestFixture(t, 10*time.Millisecond, "slow.txt")
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			for range 20 {
				_, err := f.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ingest", Arguments: map[string]any{"paths": []string{"."}}})
				if err != nil {
					return
				}
			}
		})
	}
	f.ingester.Close()
	calls.Wait()
}

func TestIngestToolArguments(t *testing.T) {
	f := newIngestFixture(t, mcptest.Patience)
	for _, test := range []struct {
		arguments map[string]any
		want      string
	}{
		{map[string]any{}, "argument 'paths' is missing"},
		{map[string]any{"paths": []string{}}, "has 0 values; it must have 1 to 100"},
		{map[string]any{"paths": make([]string, 101)}, "has 101 values"},
		{map[string]any{"paths": []any{1.5, map[string]any{}}}, "argument 'paths' has an object in it; it must be a list of strings"},
		{map[string]any{"paths": strings.Repeat("x", 5000)}, "has 5000 bytes; at most 4096"},
		{map[string]any{"paths": "a", "type": "book"}, "it must be one of document, video"},
		{map[string]any{"paths": "a", "resource_id": "a/b"}, "looks like a path"},
		{map[string]any{"paths": "a", "force": true}, "unknown argument"},
	} {
		text, result := mcptest.CallTool(t, f.session, "ingest", test.arguments)
		if !result.IsError || !strings.Contains(text, test.want) {
			t.Errorf("%v: %s", test.arguments, text)
		}
	}
}

// TestIngestOffByDefault checks that agents cannot ingest unless they may.
func TestIngestOffByDefault(t *testing.T) {
	session := mcptest.Connect(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), nil)
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		if strings.HasPrefix(tool.Name, "ingest") {
			t.Errorf("there is a tool %s", tool.Name)
		}
	}
}

func TestIngestAnnotations(t *testing.T) {
	f := newIngestFixture(t, mcptest.Patience)
	tools, err := f.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		if want := tool.Name != "ingest" && tool.Name != "resolve"; tool.Annotations.ReadOnlyHint != want {
			t.Errorf("%s: read-only %v", tool.Name, tool.Annotations.ReadOnlyHint)
		}
	}
}

// TestIngestOverHTTP names paths out of the base directory, which tell nobody
// elsewhere where that is.
func TestIngestOverHTTP(t *testing.T) {
	dir := t.TempDir()
	base := filepath.Join(dir, "base")
	if err := os.Mkdir(base, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(base, "a.txt"), []byte("text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(base, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	ingester := mcpadapter.NewIngester(lib, &mcpadapter.IngesterOptions{AnswerWithin: mcptest.Patience})
	t.Cleanup(func() {
		ingester.Close()
		lib.Close()
	})
	server := mcptest.ServeHTTP(t, mcpadapter.NewServer(lib, &mcpadapter.Options{Ingester: ingester}), nil, nil)
	session := server.Connect(nil)
	answer, result := mcptest.CallTool(t, session, "ingest", map[string]any{"paths": []string{"../out.txt", "../*.md", "a.txt"}})
	if result.IsError || strings.Contains(answer, filepath.ToSlash(dir)) || !strings.Contains(answer, `"path":"out.txt"`) || !strings.Contains(answer, `"path":"a.txt"`) {
		t.Error(answer)
	}
	var a ingestAnswer
	if err := json.Unmarshal([]byte(answer), &a); err != nil || a.Counts["failed"] != 2 || len(a.Items) != 3 {
		t.Errorf("%+v, %v", a, err)
	}
	if again, _ := mcptest.CallTool(t, session, "ingestStatus", map[string]any{"job_id": a.JobID}); again != answer {
		t.Errorf("later: %s", again)
	}
}
