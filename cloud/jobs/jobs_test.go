//go:build unix

package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud/internal/pgtest"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

func open(t *testing.T, database string) *Queue {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), strings.Replace(database, "pg:", "postgres:", 1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	q, err := Open(t.Context(), pool, "public")
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// A folder of sources with a library over it.
func folder(t *testing.T, files map[string]string) (string, *citekit.Library) {
	t.Helper()
	dir := t.TempDir()
	for path, text := range files {
		name := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, name, text)
	}
	time.Sleep(settling)
	return dir, library(t, dir)
}

// settling is longer than a file that was written has no identity, as it might change
// again with the same times.
const settling = 150 * time.Millisecond

// put writes a file that has an identity from then on.
func put(t *testing.T, name, text string) {
	t.Helper()
	write(t, name, text)
	time.Sleep(settling)
}

// write writes a file that looks as if it was not changed for an hour.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-time.Hour)
	if err := os.Chtimes(name, then, then); err != nil {
		t.Fatal(err)
	}
}

func library(t *testing.T, dir string) *citekit.Library {
	t.Helper()
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	return citekit.New(ws, modality.All(), nil)
}

// work runs workers until the test ends, or stop is called.
func work(t *testing.T, q *Queue, lib *citekit.Library, opts *WorkOptions) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- q.Work(ctx, lib, opts) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// wait waits until no job waits or runs.
func wait(t *testing.T, q *Queue) map[State]int {
	t.Helper()
	for {
		counts, err := q.Counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if counts[Waiting]+counts[Running] == 0 {
			return counts
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// An indexed counts how often an index is asked for, and what was mapped then.
type indexed struct {
	lib  *citekit.Library
	last atomic.Int64
}

func (x *indexed) Index(ctx context.Context, _ func(done, of int)) (ingest.Indexed, error) {
	ids, err := x.lib.Workspace().ListMaps(ctx, "", 0)
	x.last.Store(int64(len(ids)))
	return ingest.Indexed{}, err
}

// Every source is mapped, by workers of several pools; what is broken is told; sources
// that are mapped already, or wait, are not added again; and the index follows.
func TestWork(t *testing.T) {
	server := pgtest.Start(t)
	database := server.Database(t)
	files := map[string]string{"broken.pdf": "%PDF-1.7\n", "large.txt": strings.Repeat("A line of a large text.\n", 20_000)}
	for i := range 100 {
		files[fmt.Sprintf("folder%d/text*%d.txt", i%7, i)] = fmt.Sprintf("Text %d.\n", i)
	}
	dir, lib := folder(t, files)
	q := open(t, database)
	found, err := q.Find(t.Context(), lib.Workspace(), &FindOptions{Request: workspace.FindRequest{Paths: []string{"."}}})
	if err != nil || found.Sources != len(files) || found.Jobs != 3 || found.Waiting != 0 {
		t.Fatalf("%+v, %v", found, err)
	}
	if again, err := q.Find(t.Context(), lib.Workspace(), &FindOptions{Request: workspace.FindRequest{Paths: []string{"."}}}); err != nil || again.Jobs != 0 || again.Waiting != 3 {
		t.Errorf("again: %+v, %v", again, err)
	}
	index := &indexed{lib: lib}
	for range 3 {
		work(t, open(t, database), library(t, dir), &WorkOptions{Index: index})
	}
	if counts := wait(t, q); counts[Done] != 3 || len(counts) != 1 {
		t.Errorf("%v", counts)
	}
	ids, err := lib.Workspace().ListMaps(t.Context(), "", 0)
	if err != nil || len(ids) != len(files)-1 {
		t.Errorf("%d maps of %d files, %v", len(ids), len(files), err)
	}
	all, err := q.List(t.Context(), Done, 0, 100)
	if err != nil || len(all) != 3 {
		t.Fatalf("%d jobs, %v", len(all), err)
	}
	counts, failed := make(map[string]int), 0
	for _, j := range all {
		for status, n := range j.Counts {
			counts[status] += n
		}
		for _, one := range j.Failed {
			failed++
			if one.Path != "broken.pdf" || one.Reason == "" {
				t.Errorf("%+v", one)
			}
		}
	}
	if counts["mapped"]+counts["copied"] != len(files)-1 || failed != 1 {
		t.Errorf("%v, %d failed", counts, failed)
	}
	for index.last.Load() != int64(len(ids)) {
		time.Sleep(20 * time.Millisecond)
	}
	// What is unchanged is not added, what is broken and what is new are.
	put(t, filepath.Join(dir, "new.txt"), "New.\n")
	more, err := q.Find(t.Context(), lib.Workspace(), &FindOptions{Request: workspace.FindRequest{Paths: []string{"."}}})
	if err != nil || more.Unchanged != len(files)-1 || more.Jobs != 1 {
		t.Errorf("%+v, %v", more, err)
	}
	wait(t, q)
	if _, err := lib.Map(t.Context(), "new"); err != nil {
		t.Error(err)
	}
}

// A mapper that does to some sources what it is told to.
type mapper struct {
	citekit.Resolvers
	before func(ctx context.Context, name string) error
}

func (m *mapper) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	if err := m.before(ctx, src.Name()); err != nil {
		return nil, err
	}
	return m.Resolvers.Map(ctx, src, req)
}

func sources(t *testing.T, lib *citekit.Library) (all []Source) {
	t.Helper()
	for c, err := range lib.Workspace().(workspace.Finder).Find(t.Context(), workspace.FindRequest{Paths: []string{"."}}) {
		if err != nil {
			t.Fatal(err)
		}
		if !c.Folder {
			all = append(all, Source{c.Path, c.Identity, c.Size})
		}
	}
	return all
}

// A job that runs can be cancelled by others, and then be tried again.
func TestCancel(t *testing.T) {
	server := pgtest.Start(t)
	database := server.Database(t)
	_, lib := folder(t, map[string]string{"slow.txt": "Slow.\n"})
	q := open(t, database)
	begun, slow := make(chan bool, 10), new(atomic.Bool)
	slow.Store(true)
	opts := &WorkOptions{Ingest: ingest.Options{MapperName: "slow", Mapper: &mapper{lib.Resolvers(), func(ctx context.Context, _ string) error {
		begun <- true
		if slow.Load() {
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}}}}
	work(t, open(t, database), lib, opts)
	if _, err := q.Add(t.Context(), sources(t, lib), Interactive, 0); err != nil {
		t.Fatal(err)
	}
	<-begun
	all, err := q.List(t.Context(), Running, 0, 10)
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	if _, err := q.Retry(t.Context(), all[0].ID); !errors.Is(err, ErrRunning) {
		t.Errorf("retry of a job that runs: %v; want %v", err, ErrRunning)
	}
	if _, err := q.Cancel(t.Context(), all[0].ID); err != nil {
		t.Fatal(err)
	}
	if counts := wait(t, q); counts[Cancelled] != 1 {
		t.Errorf("%v", counts)
	}
	for id, want := range map[int64]error{all[0].ID: ErrEnded, 1 << 40: ErrNotFound} {
		if _, err := q.Cancel(t.Context(), id); !errors.Is(err, want) {
			t.Errorf("cancel of %d again: %v; want %v", id, err, want)
		}
	}
	slow.Store(false)
	if _, err := q.Retry(t.Context(), all[0].ID); err != nil {
		t.Fatal(err)
	}
	if counts := wait(t, q); counts[Done] != 1 {
		t.Errorf("%v", counts)
	}
	if _, err := q.Job(t.Context(), 1<<40); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if _, err := q.List(t.Context(), "odd", 0, 10); err == nil {
		t.Error("a state that there is not")
	}
}

// A job in work when its worker is stopped is told to have been given back.
func TestGivenBack(t *testing.T) {
	database := pgtest.Start(t).Database(t)
	_, lib := folder(t, map[string]string{"slow.txt": "Slow.\n"})
	q := open(t, database)
	ctx, stop := context.WithCancel(t.Context())
	var told []*Job
	opts := &WorkOptions{
		Grace: time.Millisecond, Done: func(j *Job) { told = append(told, j) },
		Ingest: ingest.Options{MapperName: "slow", Mapper: &mapper{lib.Resolvers(), func(ctx context.Context, _ string) error {
			stop()
			<-ctx.Done()
			return ctx.Err()
		}}},
	}
	if _, err := q.Add(t.Context(), sources(t, lib), Bulk, 0); err != nil {
		t.Fatal(err)
	}
	if err := q.Work(ctx, lib, opts); err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || told[0].State != Waiting || told[0].Sources[0].Path != "slow.txt" {
		t.Errorf("told: %+v; want the job, which waits again", told)
	}
}

// A role with too few rights on the tables of the queue is told what it lacks.
func TestRights(t *testing.T) {
	server := pgtest.Start(t)
	database := server.Database(t)
	name := database[strings.LastIndexByte(database, '/')+1:]
	server.Exec(t, name, `CREATE ROLE limited LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC`)
	pool, err := pgxpool.New(t.Context(), strings.Replace(server.Address("limited", name), "pg:", "postgres:", 1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	refused := func(want ...string) {
		t.Helper()
		_, err := Open(t.Context(), pool, "public")
		for _, w := range append(want, "GRANT SELECT, INSERT") {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("Open: %v; want %q", err, w)
			}
		}
	}
	refused("permission denied for schema public", "citekit jobs list")
	open(t, database)
	refused("permission denied for table river_migration")
	server.Exec(t, name, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO limited`)
	refused("INSERT on river_job,", "USAGE on river_job_id_seq", "UPDATE on river_leader")
	server.Exec(t, name, `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO limited; GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO limited`)
	q, err := Open(t.Context(), pool, "public")
	if err != nil {
		t.Fatal(err)
	}
	_, lib := folder(t, map[string]string{"a.txt": "A.\n"})
	work(t, q, lib, nil)
	if _, err := q.Add(t.Context(), sources(t, lib), Bulk, 0); err != nil {
		t.Fatal(err)
	}
	if counts := wait(t, q); counts[Done] != 1 {
		t.Errorf("%v", counts)
	}
}

// What may pass is tried again; what a source is to blame for is not.
func TestRetries(t *testing.T) {
	server := pgtest.Start(t)
	_, lib := folder(t, map[string]string{"a.txt": "A.\n", "b.txt": "B.\n"})
	q := open(t, server.Database(t))
	var failures atomic.Int32
	work(t, q, lib, &WorkOptions{Ingest: ingest.Options{MapperName: "test", Mapper: &mapper{lib.Resolvers(), func(_ context.Context, name string) error {
		if name == "b.txt" {
			return fmt.Errorf("odd: %w", citekit.ErrFormat)
		}
		if failures.Add(1) == 1 {
			return fmt.Errorf("slow: %w", context.DeadlineExceeded)
		}
		return nil
	}}}})
	if _, err := q.Add(t.Context(), sources(t, lib), Bulk, 0); err != nil {
		t.Fatal(err)
	}
	wait(t, q)
	if _, err := lib.Map(t.Context(), "a"); err != nil || failures.Load() != 2 {
		t.Errorf("%v after %d attempts", err, failures.Load())
	}
	all, err := q.List(t.Context(), "", 0, 10)
	if err != nil || len(all) != 3 { // one of both, which was split
		t.Fatalf("%d jobs, %v", len(all), err)
	}
	for _, j := range all {
		if j.State != Done || len(j.Sources) == 1 && j.Sources[0].Path == "b.txt" && (len(j.Failed) != 1 || j.Attempts != 1) {
			t.Errorf("%+v", j)
		}
	}
}

// No more jobs wait than may.
func TestFull(t *testing.T) {
	server := pgtest.Start(t)
	_, lib := folder(t, map[string]string{"a.txt": "A.\n", "b.txt": "B.\n"})
	q := open(t, server.Database(t))
	all := sources(t, lib)
	if _, err := q.Add(t.Context(), all[:1], Bulk, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Add(t.Context(), all[1:], Bulk, 1); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	if _, err := q.Add(t.Context(), all[1:], Bulk, 2); err != nil {
		t.Error(err)
	}
}

// Processes that open one database at once find tables that one of them makes.
func TestOpenAtOnce(t *testing.T) {
	server := pgtest.Start(t)
	database := server.Database(t)
	var opening sync.WaitGroup
	for range 8 {
		opening.Go(func() { open(t, database) })
	}
	opening.Wait()
}

func TestBatches(t *testing.T) {
	var all []Source
	for i := range 100 {
		all = append(all, Source{Path: string(bytes.Repeat([]byte{'a'}, i+1)), Size: int64(i) << 12})
	}
	n := 0
	for batch := range batches(all) {
		var size int64
		for _, s := range batch {
			size += s.Size
		}
		if n += len(batch); len(batch) > batchSources || len(batch) > 1 && size > batchBytes {
			t.Errorf("%d sources of %d bytes", len(batch), size)
		}
	}
	if n != len(all) {
		t.Errorf("%d of %d", n, len(all))
	}
}

// TestMain also is a worker in a process of its own.
func TestMain(m *testing.M) {
	if database := os.Getenv("CITEKIT_TEST_WORKER"); database != "" {
		if err := workAlone(context.Background(), database, os.Getenv("CITEKIT_TEST_DIR")); err != nil {
			log.Fatal(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// workAlone works, and kills or stops the process at sources whose name begins with
// "kill" or "stop".
func workAlone(ctx context.Context, database, dir string) error {
	pool, err := pgxpool.New(ctx, strings.Replace(database, "pg:", "postgres:", 1))
	if err != nil {
		return err
	}
	q, err := Open(ctx, pool, "public")
	if err != nil {
		return err
	}
	q.look = 300 * time.Millisecond
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		return err
	}
	lib := citekit.New(ws, modality.All(), nil)
	return q.Work(ctx, lib, &WorkOptions{Workers: 1, Ingest: ingest.Options{MapperName: "test", Mapper: &mapper{lib.Resolvers(), func(_ context.Context, name string) error {
		if strings.HasPrefix(name, "kill") {
			os.Exit(137)
		}
		if strings.HasPrefix(name, "stop") {
			return syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		}
		return nil
	}}}})
}

// A source that kills its worker each time ends alone, as discarded, and all others of
// its job are mapped.
func TestKilled(t *testing.T) {
	server := pgtest.Start(t)
	database := server.Database(t)
	dir, lib := folder(t, map[string]string{"a.txt": "A.\n", "b.txt": "B.\n", "kill.txt": "Kills.\n"})
	q := open(t, database)
	if _, err := q.Add(t.Context(), sources(t, lib), Bulk, 0); err != nil {
		t.Fatal(err)
	}
	// One process after the other, until nothing waits.
	ctx, cancel := context.WithCancel(t.Context())
	var keeper sync.WaitGroup
	defer keeper.Wait()
	defer cancel()
	starts := new(atomic.Int32)
	keeper.Go(func() {
		for ctx.Err() == nil {
			cmd := exec.CommandContext(ctx, os.Args[0])
			cmd.Env = append(os.Environ(), "CITEKIT_TEST_WORKER="+database, "CITEKIT_TEST_DIR="+dir)
			starts.Add(1)
			_ = cmd.Run()
		}
	})
	if counts := wait(t, q); counts[Discarded] != 1 {
		t.Errorf("%v", counts)
	}
	discarded, err := q.List(t.Context(), Discarded, 0, 10)
	if err != nil || len(discarded) != 1 || len(discarded[0].Sources) != 1 || discarded[0].Sources[0].Path != "kill.txt" || discarded[0].Reason != lostWorker {
		t.Errorf("%+v, %v", discarded, err)
	}
	ids, err := lib.Workspace().ListMaps(t.Context(), "", 0)
	if err != nil || !slices.Equal(ids, []string{"a", "b"}) || starts.Load() < 5 {
		t.Errorf("%v, %v, %d processes", ids, err, starts.Load())
	}
}

// The job of a worker that says nothing any more, although its connections stay, runs
// elsewhere.
func TestStopped(t *testing.T) {
	database := pgtest.Start(t).Database(t)
	dir, lib := folder(t, map[string]string{"stop.txt": "Stops.\n"})
	q := open(t, database)
	if _, err := q.Add(t.Context(), sources(t, lib), Bulk, 0); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CITEKIT_TEST_WORKER="+database, "CITEKIT_TEST_DIR="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	for { // until it has begun
		if counts, err := q.Counts(t.Context()); err != nil {
			t.Fatal(err)
		} else if counts[Running] == 1 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	other := open(t, database)
	other.look = 300 * time.Millisecond
	work(t, other, lib, nil)
	if counts := wait(t, q); counts[Done] != 1 {
		t.Errorf("%v", counts)
	}
}

// A job that the database has as running by a worker that has not begun it, as its
// answer was lost, runs.
func TestNeverBegun(t *testing.T) {
	database := pgtest.Start(t).Database(t)
	_, lib := folder(t, map[string]string{"a.txt": "A.\n"})
	q := open(t, database)
	q.look = 100 * time.Millisecond
	work(t, q, lib, nil)
	if _, err := q.Add(t.Context(), sources(t, lib), Bulk, 0); err != nil {
		t.Fatal(err)
	}
	wait(t, q)
	if _, err := q.pool.Exec(t.Context(), q.sql(`INSERT INTO %s (state, attempt, attempted_at, attempted_by, args, kind, max_attempts, priority, queue)
		SELECT 'running', 1, now(), attempted_by, args, kind, max_attempts, priority, queue FROM public.river_job`)); err != nil {
		t.Fatal(err)
	}
	if counts := wait(t, q); counts[Done] != 2 {
		t.Errorf("%v", counts)
	}
}

// A reason that PostgreSQL cannot store as it is ends a job all the same, and tables are
// made with one connection in the pool.
func TestOddReason(t *testing.T) {
	database := pgtest.Start(t).Database(t)
	_, lib := folder(t, map[string]string{"odd.txt": "Odd.\n", "passing.txt": "Passing.\n"})
	config, err := pgxpool.ParseConfig(strings.Replace(database, "pg:", "postgres:", 1))
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	if _, err := Open(t.Context(), pool, "public"); err != nil {
		t.Fatal(err)
	}
	q := open(t, database)
	var tries atomic.Int32
	work(t, q, lib, &WorkOptions{Ingest: ingest.Options{MapperName: "test", Mapper: &mapper{lib.Resolvers(), func(_ context.Context, name string) error {
		if name == "passing.txt" && tries.Add(1) == 1 {
			return &queueError{errors.New("down\x00")}
		}
		if name == "odd.txt" {
			return fmt.Errorf("a tag x\x00y%s: %w", strings.Repeat("é", 9000), citekit.ErrFormat)
		}
		return nil
	}}}})
	if _, err := q.Add(t.Context(), sources(t, lib), Bulk, 0); err != nil {
		t.Fatal(err)
	}
	if counts := wait(t, q); counts[Done] != 1 {
		t.Errorf("%v", counts)
	}
	// That a store is down is no attempt of the job.
	if all, err := q.List(t.Context(), Done, 0, 10); err != nil || len(all) != 1 || all[0].Attempts != 1 || len(all[0].Failed) != 1 || tries.Load() != 2 {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := lib.Map(t.Context(), "passing"); err != nil {
		t.Error(err)
	}
}

// A source that is gone and looks like a pattern stands for no others, and one with
// subtitles is looked at again.
func TestFindAgain(t *testing.T) {
	dir, lib := folder(t, map[string]string{"a*.txt": "A.\n", "ab.txt": "AB.\n", "talk.srt": "1\n00:00:01,000 --> 00:00:02,000\nWords.\n", "talk.mp3": "no recording"})
	q := open(t, pgtest.Start(t).Database(t))
	if err := os.Remove(filepath.Join(dir, "a*.txt")); err != nil {
		t.Fatal(err)
	}
	work(t, q, lib, nil)
	if _, err := q.Add(t.Context(), []Source{{Path: "a*.txt", Identity: "1"}}, Bulk, 0); err != nil {
		t.Fatal(err)
	}
	wait(t, q)
	if ids, err := lib.Workspace().ListMaps(t.Context(), "", 0); err != nil || len(ids) != 0 {
		t.Errorf("%v, %v", ids, err)
	}
	for c, err := range lib.Workspace().(workspace.Finder).Find(t.Context(), workspace.FindRequest{Paths: []string{"talk.mp3"}}) {
		if err != nil || len(c.Companions) == 0 {
			t.Fatalf("%+v, %v", c, err)
		}
		note := ledger.Note{Identity: c.Identity, ID: "talk"}
		if _, err := lib.Workspace().WriteNoteIf(t.Context(), ledger.Kind, c.Path, note.Encode(), citekit.Stamp{}); err != nil {
			t.Fatal(err)
		}
		if same, err := unchanged(t.Context(), lib.Workspace(), c); err != nil || same {
			t.Errorf("%t, %v", same, err)
		}
	}
	// So is one whose map was replaced by something else than an ingest.
	ws, ctx := lib.Workspace(), t.Context()
	stamp, err := ws.WriteMapIf(ctx, "ab", []byte("{}"), citekit.Stamp{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ws.WriteNoteIf(ctx, ledger.Kind, "ab.txt", ledger.Note{Identity: "1", ID: "ab", Stamp: stamp.Identity}.Encode(), citekit.Stamp{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if same, err := unchanged(ctx, ws, workspace.Candidate{Path: "ab.txt", Identity: "1"}); err != nil || same != want {
			t.Errorf("unchanged: %t, %v; want %t", same, err, want)
		}
		if err := ws.WriteMap(ctx, "ab", []byte("[]")); err != nil {
			t.Fatal(err)
		}
	}
}
