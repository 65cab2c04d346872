//go:build unix

package jobs

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud/internal/pgtest"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/workspace"
)

// A replica is a server with the queue of a workspace, as far as ingests go.
type replica struct {
	jobs    *ingest.Jobs
	records *ingest.Records
}

func newReplica(t *testing.T, database string, lib *citekit.Library) *replica {
	r := &replica{
		jobs:    ingest.NewQueueJobs(lib, open(t, database).Ingests(lib.Workspace())),
		records: ingest.NewRecords(ingest.NoteJobs(lib.Workspace())),
	}
	t.Cleanup(r.close)
	return r
}

func (r *replica) close() {
	r.jobs.Close()
	r.records.Close()
}

// start begins an ingest of which others know once it waits for workers.
func (r *replica) start(t *testing.T, paths ...string) *ingest.Job {
	t.Helper()
	j, err := r.jobs.Start(t.Context(), paths, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.records.Keep(j)
	for r.records.Queued(t.Context(), j.ID()) == nil {
		time.Sleep(10 * time.Millisecond)
	}
	return j
}

// resume follows an ingest that another replica began.
func (r *replica) resume(t *testing.T, id string) *ingest.Job {
	t.Helper()
	queued := r.records.Queued(t.Context(), id)
	if queued == nil {
		t.Fatal("nobody knows what the other left")
	}
	j, began := r.jobs.Resume(id, *queued)
	if !began {
		t.Error("it was known")
	}
	r.records.Keep(j)
	if again, began := r.jobs.Resume(id, *queued); again != j || began {
		t.Error("it was resumed twice")
	}
	return j
}

// A gate is a mapper that waits before sources until it is opened.
type gate struct {
	begun chan string // names of sources whose mapping begins
	open  chan struct{}
}

func workThrough(t *testing.T, q *Queue, lib *citekit.Library, index ingest.Indexer) *gate {
	g := &gate{make(chan string, 1000), make(chan struct{})}
	work(t, q, lib, &WorkOptions{Workers: 1, Index: index, Ingest: ingest.Options{MapperName: "gate", Mapper: &mapper{lib.Resolvers(), func(ctx context.Context, name string) error {
		g.begun <- name
		select {
		case <-g.open:
		case <-ctx.Done():
		}
		return ctx.Err()
	}}}})
	for has := false; !has; {
		var err error
		if has, err = q.hasWorkers(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// Without workers the server maps. With some they do, and any replica follows an
// ingest, also one whose server has ended.
func TestIngests(t *testing.T) {
	database := pgtest.Start(t).Database(t)
	dir, lib := folder(t, map[string]string{"a.txt": "A.\n"})
	one, other := newReplica(t, database, lib), newReplica(t, database, library(t, dir))
	alone, err := one.jobs.Start(t.Context(), []string{"."}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if report, err := alone.Result(); err != nil || report.Count(ingest.Mapped) != 1 {
		t.Fatalf("%+v, %v", report, err)
	}
	q := open(t, database)
	if counts, err := q.Counts(t.Context()); err != nil || len(counts) != 0 {
		t.Fatalf("%v, %v", counts, err)
	}

	put(t, filepath.Join(dir, "b.txt"), "B.\n")
	put(t, filepath.Join(dir, "broken.pdf"), "%PDF-1.7\n")
	index := &indexed{lib: lib}
	g := workThrough(t, open(t, database), lib, index)
	j := one.start(t, ".", "none.txt")
	<-g.begun
	there := other.resume(t, j.ID())
	for _, j := range []*ingest.Job{j, there} {
		if s := j.State(); s.Status != ingest.JobRunning {
			t.Errorf("%+v", s)
		}
	}
	one.close()
	if s := j.State(); s.Status != ingest.JobRunning || s.Total != 4 {
		t.Errorf("a server that ended says %+v", s)
	}
	close(g.open)
	report, err := there.Result()
	if err != nil || len(report.Items) != 4 || report.Count(ingest.Mapped) != 1 || report.Count(ingest.Unchanged) != 1 || report.Count(ingest.Failed) != 2 {
		t.Fatalf("%+v, %v", report, err)
	}
	s := there.State()
	if s.Status != "done" || s.Done != 4 || s.Total != 4 || len(s.Items) != 3 {
		t.Errorf("%+v", s)
	}
	if index.last.Load() != 2 {
		t.Error("it ended before the index followed")
	}
	other.close() // which writes the last state
	if s, err := newReplica(t, database, lib).records.State(t.Context(), j.ID(), false, time.Minute); err != nil || s.Status != "done" || s.Counts[ingest.Failed] != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}

// What a caller asks for comes before the rest, also if it waited already, and can be
// cancelled by any replica, but not for others who want it.
func TestIngestsFirst(t *testing.T) {
	database := pgtest.Start(t).Database(t)
	files := map[string]string{"first.txt": "First.\n", "want.txt": "Want.\n", "own.txt": "Own.\n", "later.txt": "Later.\n"}
	dir, lib := folder(t, files)
	q := open(t, database)
	g := workThrough(t, open(t, database), lib, nil)
	bulk := func(path string) {
		t.Helper()
		found, err := q.Find(t.Context(), lib.Workspace(), &FindOptions{Request: workspace.FindRequest{Paths: []string{path}}, MaxWaiting: 3})
		if err != nil || found.Jobs != 1 {
			t.Fatalf("%+v, %v", found, err)
		}
	}
	bulk("first.txt")
	if name := <-g.begun; name != "first.txt" {
		t.Fatal(name)
	}
	bulk("later.txt")
	bulk("want.txt")
	one, other := newReplica(t, database, lib), newReplica(t, database, library(t, dir))
	wanted := one.start(t, "want.txt")
	dropped := one.start(t, "own.txt", "later.txt")
	there := other.resume(t, dropped.ID())
	there.Cancel()
	for _, j := range []*ingest.Job{there, dropped} {
		<-j.Done()
		if s := j.State(); s.Status != "cancelled" {
			t.Errorf("%+v", s)
		}
	}
	close(g.open)
	if report, err := wanted.Result(); err != nil || report.Count(ingest.Mapped) != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	wait(t, q)
	close(g.begun)
	var order []string
	for name := range g.begun {
		order = append(order, name)
	}
	if len(order) != 2 || order[0] != "want.txt" || order[1] != "later.txt" {
		t.Errorf("mapped %q", order)
	}
}

// The queues of two workspaces in one database do not fill each other, nor do bulk jobs
// fill that of callers.
func TestFullForOthers(t *testing.T) {
	_, lib := folder(t, map[string]string{"a.txt": "A.\n", "b.txt": "B.\n"})
	q := open(t, pgtest.Start(t).Database(t))
	if _, err := q.pool.Exec(t.Context(), "CREATE SCHEMA other"); err != nil {
		t.Fatal(err)
	}
	other, err := Open(t.Context(), q.pool, "other")
	if err != nil {
		t.Fatal(err)
	}
	all := sources(t, lib)
	for _, add := range []struct {
		to *Queue
		p  Priority
	}{{q, Bulk}, {other, Bulk}, {q, Interactive}} {
		if added, err := add.to.Add(t.Context(), all[:1], add.p, 1); err != nil || added.Jobs+added.Waiting != 1 {
			t.Errorf("%+v, %v", added, err)
		}
	}
}
