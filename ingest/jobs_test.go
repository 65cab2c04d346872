package ingest_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// A heldMapper maps a text once the gate is open.
type heldMapper struct {
	gate  chan struct{}
	begun chan struct{} // gets a token for each text
}

func (m *heldMapper) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	m.begun <- struct{}{}
	select {
	case <-m.gate:
		return new(text.Resolver).Map(ctx, src, req)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func newJobs(t *testing.T) (*ingest.Jobs, *heldMapper) {
	t.Helper()
	ws := workspace.NewMemory(nil)
	ws.AddSource("a.txt", []byte("a\n"))
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	jobs := ingest.NewJobs(lib)
	t.Cleanup(func() {
		jobs.Close()
		lib.Close()
	})
	return jobs, &heldMapper{gate: make(chan struct{}), begun: make(chan struct{}, 100)}
}

func TestJobs(t *testing.T) {
	jobs, mapper := newJobs(t)
	type key struct{}
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
	var told []*ingest.Report
	jobs.OnEnd(func(ctx context.Context, report *ingest.Report) {
		if ctx.Value(key{}) != "value" || ctx.Err() != nil {
			t.Errorf("OnEnd is called with %v, %v", ctx.Value(key{}), ctx.Err())
		}
		told = append(told, report)
	})
	var progress sync.Map
	job, err := jobs.Start(ctx, []string{"."}, &ingest.Options{Mapper: mapper, MapperName: "held", Progress: func(p ingest.Progress) { progress.Store(p.Done, p) }})
	if err != nil {
		t.Fatal(err)
	}
	<-mapper.begun
	cancel() // the job outlives the call
	p, moved := job.Progress()
	if p.Done != 0 || p.Total != 1 {
		t.Errorf("progress: %+v", p)
	}
	if jobs.Job(job.ID()) != job || jobs.Job("ingest-99") != nil {
		t.Error("the job is not found by its id, or another is")
	}
	close(mapper.gate)
	<-moved
	report, err := job.Result()
	if err != nil || report.Count(ingest.Mapped) != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	if p, _ := job.Progress(); p.Done != 1 {
		t.Errorf("progress at the end: %+v", p)
	}
	if _, ok := progress.Load(1); !ok {
		t.Error("Options.Progress was not called")
	}
	if len(told) != 1 || told[0] != report {
		t.Errorf("OnEnd was called with %v", told)
	}
}

func TestJobCancel(t *testing.T) {
	jobs, mapper := newJobs(t)
	job, err := jobs.Start(t.Context(), []string{"."}, &ingest.Options{Mapper: mapper})
	if err != nil {
		t.Fatal(err)
	}
	<-mapper.begun
	job.Cancel()
	if report, err := job.Result(); report == nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", report, err)
	}
}

// TestJobsCrowd starts more than may run, and more than are kept.
func TestJobsCrowd(t *testing.T) {
	jobs, mapper := newJobs(t)
	const most, kept = 8, 32
	start := func() (*ingest.Job, error) {
		return jobs.Start(t.Context(), []string{"."}, &ingest.Options{Mapper: mapper})
	}
	var started []*ingest.Job
	for range most {
		job, err := start()
		if err != nil {
			t.Fatal(err)
		}
		started = append(started, job)
	}
	if _, err := start(); !errors.Is(err, citekit.ErrTooLarge) || !strings.Contains(err.Error(), "8 ingests are running or waiting") {
		t.Errorf("one more: %v", err)
	}
	close(mapper.gate)
	first := started[0].ID()
	for range 2 * kept {
		started[0].Result()
		started = started[1:]
		job, err := start()
		if err != nil {
			t.Fatal(err)
		}
		started = append(started, job)
	}
	for _, job := range started {
		job.Result()
	}
	if jobs.Job(first) != nil {
		t.Error("the first job is still kept")
	}
	last := started[len(started)-1]
	if jobs.Job(last.ID()) != last {
		t.Error("the last job is forgotten")
	}
}

func TestJobsClose(t *testing.T) {
	jobs, mapper := newJobs(t)
	job, err := jobs.Start(t.Context(), []string{"."}, &ingest.Options{Mapper: mapper})
	if err != nil {
		t.Fatal(err)
	}
	<-mapper.begun
	jobs.Close()
	select {
	case <-job.Done():
	default:
		t.Error("a job runs on")
	}
	if _, err := jobs.Start(t.Context(), []string{"."}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after Close: %v", err)
	}
}
