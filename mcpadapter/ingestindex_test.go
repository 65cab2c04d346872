package mcpadapter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
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
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/workspace"
)

// A gatedReader reads texts, those named slow*.txt only once the gate is open, and none
// named bad*.txt.
type gatedReader struct {
	text.Resolver
	gate chan struct{}
}

func (r *gatedReader) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		switch name := src.Name(); {
		case strings.HasPrefix(name, "bad"):
			yield(citekit.TextRun{}, fmt.Errorf("torn: %w", citekit.ErrFormat))
			return
		case strings.HasPrefix(name, "slow"):
			select {
			case <-r.gate:
			case <-ctx.Done():
				yield(citekit.TextRun{}, ctx.Err())
				return
			}
		}
		for run, err := range r.Resolver.ReadText(ctx, src, loc) {
			if !yield(run, err) {
				return
			}
		}
	}
}

// An indexFixture is a client of a server that ingests and searches.
type indexFixture struct {
	ingestFixture
	gate     chan struct{}
	searcher *search.Searcher
}

func newIndexFixture(t *testing.T, opts mcpadapter.IngesterOptions, files ...string) *indexFixture {
	t.Helper()
	f := &indexFixture{gate: make(chan struct{})}
	f.dir = t.TempDir()
	for _, name := range files {
		if err := os.WriteFile(filepath.Join(f.dir, name), []byte("kettle of "+name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(f.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: &gatedReader{gate: f.gate}}, nil)
	f.searcher = search.New(lib, &search.Options{Program: "test"})
	f.ingester = mcpadapter.NewIngester(lib, &opts)
	t.Cleanup(func() {
		f.ingester.Close()
		f.searcher.Close()
		lib.Close()
	})
	f.session = mcptest.Connect(t, mcpadapter.NewServer(lib, &mcpadapter.Options{Ingester: f.ingester, Searcher: f.searcher}), &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.progress = append(f.progress, req.Params)
			if f.onProgress != nil {
				f.onProgress(req.Params)
			}
		},
	})
	return f
}

// An indexAnswer is what the tools answer about the index.
type indexAnswer struct {
	JobID       string `json:"job_id"`
	Status      string
	Done, Total int
	Searchable  *int
	Hint        string
}

func (f *indexFixture) ask(t *testing.T, tool string, arguments map[string]any) (a indexAnswer) {
	t.Helper()
	text, result := mcptest.CallTool(t, f.session, tool, arguments)
	if err := json.Unmarshal([]byte(text), &a); result.IsError || err != nil {
		t.Fatalf("%s %v: %s", tool, arguments, text)
	}
	return a
}

// find returns the number of hits of a search, and whether it was complete.
func (f *indexFixture) find(t *testing.T, query string) (total int, complete bool, hint string) {
	t.Helper()
	text, result := mcptest.CallTool(t, f.session, "search", map[string]any{"query": query})
	var found struct {
		Total    int
		Complete bool
		Hint     string
	}
	if err := json.Unmarshal([]byte(text), &found); result.IsError || err != nil {
		t.Fatalf("search: %s", text)
	}
	return found.Total, found.Complete, found.Hint
}

// TestIngestToolIndexes: a search after an ingest is complete, and the ingest alone tells
// what cannot be searched, once.
func TestIngestToolIndexes(t *testing.T) {
	f := newIndexFixture(t, mcpadapter.IngesterOptions{AnswerWithin: mcptest.Patience}, "a.txt", "b.txt", "bad.txt", "slow.txt")
	f.onProgress = func(p *mcp.ProgressNotificationParams) {
		if strings.Contains(p.Message, "texts are read for search: 3 of 4") {
			f.onProgress = nil
			close(f.gate)
		}
	}
	params := &mcp.CallToolParams{Name: "ingest", Arguments: map[string]any{"paths": []string{"."}}}
	params.SetProgressToken("token")
	result, err := f.session.CallTool(t.Context(), params)
	if err != nil || result.IsError {
		t.Fatalf("%+v, %v", result, err)
	}
	var a indexAnswer
	if err := json.Unmarshal([]byte(result.Content[0].(*mcp.TextContent).Text), &a); err != nil {
		t.Fatal(err)
	}
	if a.Status != "done" || a.Done != 4 || a.Total != 4 || a.Searchable == nil || *a.Searchable != 3 || !strings.HasPrefix(a.Hint, "1 mapped, but not searchable by text: bad: torn") {
		t.Errorf("answer: %+v", a)
	}
	f.mu.Lock()
	last := 0.0
	for _, p := range f.progress {
		if p.Progress <= last && p.Progress > 0 || p.Progress > p.Total {
			t.Errorf("progress %+v after %v", p, last)
		}
		last = p.Progress
	}
	f.mu.Unlock()
	if total, complete, hint := f.find(t, "kettle"); total != 3 || !complete || hint != "" {
		t.Errorf("%d found, complete %v, %q", total, complete, hint)
	}
	if a := f.ask(t, "ingest", map[string]any{"paths": "."}); a.Searchable == nil || *a.Searchable != 3 || a.Hint != "" {
		t.Errorf("again: %+v", a)
	}
}

// TestIngestToolCancelledIndex cancels an ingest while it reads texts: the maps stay, and
// the next ingest goes on.
func TestIngestToolCancelledIndex(t *testing.T) {
	f := newIndexFixture(t, mcpadapter.IngesterOptions{AnswerWithin: 20 * time.Millisecond}, "a.txt", "slow.txt")
	a := f.ask(t, "ingest", map[string]any{"paths": "."})
	id := map[string]any{"job_id": a.JobID}
	for !strings.Contains(a.Hint, "all is mapped; texts are read for search: 1 of 2") {
		if a = f.ask(t, "ingestStatus", id); a.Status != "running" {
			t.Fatalf("%+v", a)
		}
	}
	for a = f.ask(t, "ingestStatus", map[string]any{"job_id": a.JobID, "cancel": true}); a.Status == "running"; {
		a = f.ask(t, "ingestStatus", id)
	}
	if a.Status != "cancelled" || a.Done != 2 || a.Searchable != nil {
		t.Errorf("%+v", a)
	}
	close(f.gate)
	for a = f.ask(t, "ingest", map[string]any{"paths": "."}); a.Status == "running"; {
		a = f.ask(t, "ingestStatus", map[string]any{"job_id": a.JobID})
	}
	if a.Status != "done" || a.Searchable == nil || *a.Searchable != 2 {
		t.Errorf("the next: %+v", a)
	}
}

// TestIngestToolNoIndex leaves the texts to the next search.
func TestIngestToolNoIndex(t *testing.T) {
	f := newIndexFixture(t, mcpadapter.IngesterOptions{AnswerWithin: mcptest.Patience, NoIndex: true}, "a.txt")
	if a := f.ask(t, "ingest", map[string]any{"paths": "."}); a.Status != "done" || a.Searchable != nil || a.Hint != "" {
		t.Errorf("%+v", a)
	}
	if stats, err := f.searcher.Stats(t.Context()); err != nil || stats.Resources != 0 {
		t.Errorf("the index has %+v, %v", stats, err)
	}
	if total, complete, _ := f.find(t, "kettle"); total != 1 || !complete {
		t.Errorf("%d found, complete %v", total, complete)
	}
}
