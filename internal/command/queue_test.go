package command

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/workspace"
)

// A listQueue is a queue in memory.
type listQueue struct{ jobs []QueueJob }

func (q *listQueue) Add(ctx context.Context, ws citekit.Workspace, req workspace.FindRequest, _ bool, progress func(Queued)) (n Queued, err error) {
	for c, err := range ws.(workspace.Finder).Find(ctx, req) {
		if err != nil {
			return n, err
		}
		if !c.Folder {
			n.Sources, n.Jobs = n.Sources+1, n.Jobs+1
			q.jobs = append(q.jobs, QueueJob{ID: int64(len(q.jobs) + 1), State: "waiting", Sources: []string{c.Path}, JSON: c.Path})
		}
	}
	if progress != nil {
		progress(n)
	}
	return n, ctx.Err()
}

func (q *listQueue) List(_ context.Context, state string, _ int64, limit int) (all []QueueJob, err error) {
	for _, j := range q.jobs {
		if (state == "" || j.State == state) && len(all) < limit {
			all = append(all, j)
		}
	}
	return all, nil
}

func (q *listQueue) set(id int64, state string) (QueueJob, error) {
	if id > int64(len(q.jobs)) {
		return QueueJob{}, fs.ErrNotExist
	}
	if state != "" {
		q.jobs[id-1].State = state
	}
	return q.jobs[id-1], nil
}

func (q *listQueue) Job(_ context.Context, id int64) (QueueJob, error) { return q.set(id, "") }
func (q *listQueue) Cancel(_ context.Context, id int64) (QueueJob, error) {
	return q.set(id, "cancelled")
}
func (q *listQueue) Retry(_ context.Context, id int64) (QueueJob, error) { return q.set(id, "waiting") }

func (q *listQueue) Ingests(citekit.Workspace) ingest.Queue { return nil }

func (q *listQueue) Work(ctx context.Context, lib *citekit.Library, _ int, opts ingest.Options, index ingest.Indexer, done func(QueueJob)) error {
	for i := range q.jobs {
		if q.jobs[i].State != "waiting" {
			continue
		}
		opts.Shared = true
		if _, err := ingest.Run(ctx, lib, q.jobs[i].Sources, &opts); err != nil {
			return err
		}
		q.jobs[i].State = "done"
		done(q.jobs[i])
	}
	_, err := index.Index(ctx, nil)
	return err
}

// Sources are added, looked at, left out and mapped by the commands of a queue.
func TestQueue(t *testing.T) {
	s := newStoreTest(t)
	q := new(listQueue)
	s.options.Queue = func(context.Context, Store) (Queue, error) { return q, nil }
	s.add("guide.md", tides)
	s.add("notes/other.txt", "one\ntwo\nthree\n")
	s.wants([]string{"2 sources found, 0 unchanged; 2 jobs added, 0 waiting already"}, "ingest", ".", "--queue")
	s.wants([]string{"1       waiting    guide.md", "2       waiting    notes/other.txt"}, "jobs", "list")
	s.wants([]string{"cancelled  notes/other.txt"}, "jobs", "cancel", "2")
	s.wants([]string{"done       guide.md"}, "worker")
	s.wants([]string{"High water"}, "search", "when is high water")
	s.wants([]string{"notes/other.txt"}, "jobs", "list", "--state", "cancelled", "--json")
	s.wants([]string{"waiting"}, "jobs", "retry", "2")
	s.wants([]string{"waiting    notes/other.txt\n  notes/other.txt\n"}, "jobs", "show", "2", "1")
	for _, wrong := range [][]string{
		{"jobs"}, {"jobs", "show"}, {"jobs", "show", "x"}, {"jobs", "retry", "9"}, {"jobs", "list", "--limit", "0"}, {"worker", "-j", "0"},
		{"ingest", ".", "--queue", "--watch"},
	} {
		if code, stdout, stderr := s.command(wrong...); code == exitOK || stdout != "" || strings.Count(stderr, "\n") > 2 {
			t.Errorf("%v: exit code %d, %q, %q", wrong, code, stdout, stderr)
		}
	}
	// What a worker cannot serve, or take, is an error before it begins.
	for _, c := range []struct {
		token, want string
		args        []string
	}{
		{"", "--listen", []string{"worker", "--listen", "256.0.0.1:1"}},
		{"", "events", []string{"worker", "--events-queue", "https://sqs.example/1/q"}},
		{"a token of the tests", "events", []string{"worker", "--listen", "127.0.0.1:0"}},
	} {
		t.Setenv(eventsVariable, c.token)
		if code, _, stderr := s.command(c.args...); code == exitOK || !strings.Contains(stderr, c.want) || c.token != "" && strings.Contains(stderr, c.token) {
			t.Errorf("%v: exit code %d, %q", c.args, code, stderr)
		}
	}
	t.Setenv(eventsVariable, "")
	if code, _, stderr := s.command("worker", "--listen", "127.0.0.1:0"); code != exitOK || !strings.Contains(stderr, "serving metrics at http://127.0.0.1:") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
	// A directory has no queue, and the program of directories no such commands.
	for _, args := range [][]string{{"worker"}, {"jobs", "list"}, {"ingest", ".", "--queue"}} {
		if code, _, stderr := s.run(args...); code != exitFailure || !strings.Contains(stderr, "--workspace pg://") {
			t.Errorf("%v: exit code %d, %q", args, code, stderr)
		}
		s.options.Queue = nil
		if code, _, _ := s.run(args...); code != exitUsage {
			t.Errorf("%v without queues: exit code %d", args, code)
		}
		s.options.Queue = func(context.Context, Store) (Queue, error) { return q, nil }
	}
}
