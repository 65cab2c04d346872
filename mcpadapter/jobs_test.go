package mcpadapter_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// replica returns another server over the directory of a fixture.
func (f *ingestFixture) replica(t *testing.T, store ingest.JobStore) *ingestFixture {
	t.Helper()
	ws, err := workspace.Open(f.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	ingester := mcpadapter.NewIngester(lib, &mcpadapter.IngesterOptions{AnswerWithin: 20 * time.Millisecond, Jobs: store})
	t.Cleanup(func() {
		ingester.Close()
		lib.Close()
	})
	return &ingestFixture{dir: f.dir, ingester: ingester, session: mcptest.Connect(t, mcpadapter.NewServer(lib, &mcpadapter.Options{Ingester: ingester}), nil)}
}

// ended asks for an ingest until it has ended.
func (f *ingestFixture) ended(t *testing.T, job string) ingestAnswer {
	t.Helper()
	a := f.call(t, "ingestStatus", map[string]any{"job_id": job})
	for a.Status == "running" {
		a = f.call(t, "ingestStatus", map[string]any{"job_id": job})
	}
	return a
}

// TestJobsOfReplicas has another server tell of an ingest, and end it.
func TestJobsOfReplicas(t *testing.T) {
	sharedtest.NotShort(t)
	f := newIngestFixture(t, 20*time.Millisecond, "a.txt", "slow.txt")
	other := f.replica(t, nil)
	a := f.call(t, "ingest", map[string]any{"paths": []string{".", "none.txt"}})
	there := other.call(t, "ingestStatus", map[string]any{"job_id": a.JobID})
	if a.Status != "running" || there.Status != "running" || there.JobID != a.JobID {
		t.Fatalf("the other says %+v of %+v", there, a)
	}
	other.call(t, "ingestStatus", map[string]any{"job_id": a.JobID, "cancel": true})
	here := f.ended(t, a.JobID)
	if there = other.ended(t, a.JobID); here.Status != "cancelled" {
		t.Errorf("the ingest: %+v", here)
	}
	if diff := cmp.Diff(here, there); diff != "" {
		t.Errorf("the servers differ (-its own +other):\n%s", diff)
	}
}

// TestEndedJobOfReplica asks another server for an ingest that has ended, also
// when its own server is gone.
func TestEndedJobOfReplica(t *testing.T) {
	f := newIngestFixture(t, mcptest.Patience, "a.txt")
	a := f.call(t, "ingest", map[string]any{"paths": []string{".", "none.txt"}})
	if a.Status != "done" || len(a.Items) != 2 || a.Items[0].Code != "NOT_FOUND" || a.Items[0].Reason == "" {
		t.Fatalf("%+v", a)
	}
	f.ingester.Close()
	if diff := cmp.Diff(a, f.replica(t, nil).call(t, "ingestStatus", map[string]any{"job_id": a.JobID})); diff != "" {
		t.Errorf("the servers differ (-its own +other):\n%s", diff)
	}
}

// TestClosedWhileJobRuns checks that others hear how an ingest ended that the
// end of its server cancelled.
func TestClosedWhileJobRuns(t *testing.T) {
	f := newIngestFixture(t, 20*time.Millisecond, "slow.txt")
	a := f.call(t, "ingest", map[string]any{"paths": "."})
	f.ingester.Close()
	if there := f.replica(t, nil).call(t, "ingestStatus", map[string]any{"job_id": a.JobID}); there.Status != "cancelled" {
		t.Errorf("%+v", there)
	}
}

// A jobMap is a JobStore in memory.
type jobMap struct {
	mu      sync.Mutex
	records map[string][]byte
	fails   error
}

func (s *jobMap) Load(ctx context.Context, id string) ([]byte, citekit.Stamp, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	record, ok := s.records[id]
	if !ok {
		return nil, citekit.Stamp{}, errors.Join(s.fails, fs.ErrNotExist)
	}
	return record, citekit.Stamp{Identity: string(record)}, s.fails
}

func (s *jobMap) Save(ctx context.Context, id string, record []byte, stamp citekit.Stamp) (citekit.Stamp, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails != nil {
		return citekit.Stamp{}, s.fails
	}
	if string(s.records[id]) != stamp.Identity {
		return citekit.Stamp{}, citekit.ErrConflict
	}
	s.records[id] = record
	return citekit.Stamp{Identity: string(record)}, nil
}

// TestJobStore checks what is answered for records as a store may have them.
func TestJobStore(t *testing.T) {
	now, past := time.Now().Format(time.RFC3339), time.Now().Add(-time.Hour).Format(time.RFC3339)
	store := &jobMap{records: map[string][]byte{
		"runs":    []byte(`{"job_id":"runs","status":"running","done":1,"total":2,"at":"` + now + `"}`),
		"lost":    []byte(`{"job_id":"lost","status":"running","done":1,"total":2,"at":"` + past + `"}`),
		"done":    []byte(`{"job_id":"done","status":"done","done":2,"total":2,"counts":{"mapped":2},"at":"` + past + `"}`),
		"none":    []byte(`{"job_id":"none","status":"lost"}`),
		"damaged": []byte(`{"job_id":`),
	}}
	f := newIngestFixture(t, mcptest.Patience).replica(t, store)
	for _, job := range []string{"runs", "lost", "done"} {
		got := f.call(t, "ingestStatus", map[string]any{"job_id": job})
		want := ingestAnswer{JobID: job, Status: "running", Done: 1, Total: 2}
		switch job {
		case "lost":
			want.Status, want.Error = "failed", "the server that ran it stopped before it was done; ingest the paths again: files already mapped are left alone"
		case "done":
			want.Status, want.Done, want.Counts = "done", 2, map[string]int{"mapped": 2}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", job, diff)
		}
	}
	for _, job := range []string{"none", "damaged", "../../etc/passwd", "ü", strings.Repeat("x", 5000)} {
		if text, result := mcptest.CallTool(t, f.session, "ingestStatus", map[string]any{"job_id": job}); !result.IsError || !strings.Contains(text, "INVALID") && !strings.Contains(text, "there is no ingest") {
			t.Errorf("%.40s: %s", job, text)
		}
	}
	var asked struct{ Cancel bool }
	f.call(t, "ingestStatus", map[string]any{"job_id": "runs", "cancel": true})
	if err := json.Unmarshal(store.records["runs"], &asked); err != nil || !asked.Cancel {
		t.Errorf("after cancel: %s", store.records["runs"])
	}
	store.fails = errors.New("the store is /gone")
	if text, result := mcptest.CallTool(t, f.session, "ingestStatus", map[string]any{"job_id": "runs"}); !result.IsError || strings.Contains(text, "/gone") {
		t.Errorf("the store fails: %s", text)
	}
	a := f.call(t, "ingest", map[string]any{"paths": "none.txt"})
	if a = f.ended(t, a.JobID); a.Status != "done" || !strings.HasPrefix(a.Error, "nothing could be mapped: ") {
		t.Errorf("the store fails: %+v", a)
	}
}

// TestManyJobs checks that a directory does not gather records without end, and
// that one of many items is short enough to be kept.
func TestManyJobs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	f := newIngestFixture(t, mcptest.Patience, "a.txt")
	var paths []string
	for i := range 40 {
		paths = append(paths, strings.Repeat("long-name/", 400)+strconv.Itoa(i))
	}
	large := f.call(t, "ingest", map[string]any{"paths": paths})
	var last ingestAnswer
	for range 150 {
		last = f.call(t, "ingest", map[string]any{"paths": "a.txt"})
	}
	other := f.replica(t, nil)
	if got := other.call(t, "ingestStatus", map[string]any{"job_id": last.JobID}); got.Status != "done" {
		t.Errorf("the last: %+v", got)
	}
	if text, result := mcptest.CallTool(t, other.session, "ingestStatus", map[string]any{"job_id": large.JobID}); !result.IsError {
		t.Errorf("the first: %s", text)
	}
	large = f.call(t, "ingest", map[string]any{"paths": paths})
	if got := other.call(t, "ingestStatus", map[string]any{"job_id": large.JobID}); got.Status != "done" || len(got.Items) == 0 || len(got.Items) >= len(large.Items) {
		t.Errorf("of %d items, %d", len(large.Items), len(got.Items))
	}
	ws, err := workspace.Open(f.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	kept := 0
	for _, err := range ws.Notes(t.Context(), "jobs") {
		if err != nil {
			t.Fatal(err)
		}
		kept++
	}
	if kept < 100 || kept > 116 {
		t.Errorf("%d records are kept", kept)
	}
}

// TestImpatientReplica asks a server that waits for nothing for another's ingest.
func TestImpatientReplica(t *testing.T) {
	f := newIngestFixture(t, 20*time.Millisecond, "slow.txt")
	job := f.call(t, "ingest", map[string]any{"paths": "."}).JobID
	ws, err := workspace.Open(f.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	ingester := mcpadapter.NewIngester(lib, &mcpadapter.IngesterOptions{AnswerWithin: 1})
	t.Cleanup(func() {
		ingester.Close()
		lib.Close()
	})
	other := &ingestFixture{session: mcptest.Connect(t, mcpadapter.NewServer(lib, &mcpadapter.Options{Ingester: ingester}), nil)}
	if a := other.call(t, "ingestStatus", map[string]any{"job_id": job}); a.Status != "running" {
		t.Errorf("%+v", a)
	}
}
