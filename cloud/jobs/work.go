package jobs

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
)

// WorkOptions are the options of [Queue.Work].
type WorkOptions struct {
	// Workers is how many jobs run at once; zero means 2.
	Workers int

	// Timeout is how long one attempt of a job may take; zero means ten minutes. A job
	// whose worker vanished runs again within some ten seconds.
	Timeout time.Duration

	// Ingest are the options of each ingest. Shared, Index, Each and Progress are set.
	Ingest ingest.Options

	// Index, if not nil, makes what was mapped searchable: what is small before its job
	// ends, if Index is an [ingest.MappedIndexer]; all else some seconds after.
	Index ingest.Indexer

	// Done, if not nil, is called with each job that has ended, is to be tried again, or was
	// given back because the worker stops; the last two are Waiting.
	Done func(*Job)

	// Logger, if not nil, is told what River does.
	Logger *slog.Logger

	// Grace is how long running jobs may go on once the context of Work has ended; zero
	// means half a minute. Jobs that do not end until then run again elsewhere at once.
	Grace time.Duration
}

// A holder is a workspace whose sources are far away.
type holder interface {
	// ReadOnce says that this process reads most sources once or twice.
	ReadOnce()

	// HoldSources fetches small sources, and returns a context in which they are read.
	HoldSources(ctx context.Context, paths []string) context.Context
}

// Work runs jobs until ctx is done, or the database is lost for good. Several may run, in
// this process and others.
func (q *Queue) Work(ctx context.Context, lib *citekit.Library, opts *WorkOptions) error {
	if opts == nil {
		opts = new(WorkOptions)
	}
	timeout := cmp.Or(opts.Timeout, 10*time.Minute)
	if h, ok := lib.Workspace().(holder); ok {
		h.ReadOnce()
	}
	w := &worker{queue: q, lib: lib, opts: opts, stopping: ctx}
	workers := river.NewWorkers()
	river.AddWorker(workers, w)
	queues := map[string]river.QueueConfig{mapping: {MaxWorkers: cmp.Or(opts.Workers, 2)}, again: {MaxWorkers: 1}}
	if opts.Index != nil {
		river.AddWorker(workers, &indexer{index: opts.Index})
		queues[indexing] = river.QueueConfig{MaxWorkers: 1}
	}
	id := rand.Text()
	began := newBegun(id)
	client, err := river.NewClient(riverpgxv5.New(q.pool), &river.Config{
		Schema: q.schema, Queues: queues, Workers: workers, Logger: cmp.Or(opts.Logger, silent),
		ID: id, JobTimeout: timeout, RescueStuckJobsAfter: timeout + time.Minute,
		SoftStopTimeout: cmp.Or(opts.Grace, 30*time.Second), FetchCooldown: 50 * time.Millisecond,
		Middleware: []rivertype.Middleware{river.WorkerMiddlewareFunc(began.during)},
	})
	if err != nil {
		return fmt.Errorf("the queue of jobs: %w", err)
	}
	w.client = client
	var telling sync.WaitGroup
	defer telling.Wait()
	unsubscribe := func() {}
	defer func() { unsubscribe() }()
	stop := q.watch(ctx, began)
	defer stop()
	err = persist(ctx, func() error {
		if opts.Done != nil { // each time: who fails to start ends what was subscribed
			unsubscribe()
			var ended <-chan *river.Event
			ended, unsubscribe = client.Subscribe(river.EventKindJobCancelled, river.EventKindJobCompleted, river.EventKindJobFailed, river.EventKindJobSnoozed)
			telling.Go(func() {
				for event := range ended {
					if event.Job.Kind == (ingestArgs{}).Kind() {
						opts.Done(jobOf(event.Job))
					}
				}
			})
		}
		return client.Start(context.WithoutCancel(ctx))
	})
	if err != nil {
		return fault(ctx, err)
	}
	select {
	case <-ctx.Done():
	case <-client.Stopped():
		return errors.New("the queue of jobs: the workers have stopped")
	}
	return client.Stop(context.WithoutCancel(ctx)) // ends running jobs after Grace
}

// watch holds the lock of a worker and gives back the jobs of others that vanished, and
// its own that it does not know of, until stop is called. It returns when the lock is
// held, or ctx is done.
func (q *Queue) watch(ctx context.Context, own *begun) (stop func()) {
	watching, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	held := make(chan struct{})
	once := sync.OnceFunc(func() { close(held) })
	running.Go(func() { q.hold(watching, own.worker, once) })
	running.Go(func() { q.giveBack(watching, own) })
	select {
	case <-held:
	case <-ctx.Done():
	}
	return func() {
		cancel()
		running.Wait()
	}
}

// A worker maps the sources of jobs.
type worker struct {
	river.WorkerDefaults[ingestArgs]

	queue    *Queue
	client   *river.Client[pgx.Tx]
	lib      *citekit.Library
	opts     *WorkOptions
	stopping context.Context // done when no more jobs are to begin
}

// mostIndexing is how long a job makes searchable what it has mapped. A job of the index
// may take longer.
const mostIndexing = time.Minute

// index makes searchable what was mapped, if that is small. What is not put at once, or may
// have been mapped by an earlier attempt that did not come so far, is left to a job of its
// own.
func (w *worker) index(ctx context.Context, job *river.Job[ingestArgs], report *ingest.Report, small bool) error {
	if w.opts.Index == nil {
		return nil
	}
	var ids []string
	for _, item := range report.Items {
		if item.Status == ingest.Mapped || item.Status == ingest.Copied {
			ids = append(ids, item.ResourceID)
		}
	}
	all := len(ids) == 0
	if x, ok := w.opts.Index.(ingest.MappedIndexer); ok && small && !all {
		indexing, cancel := context.WithTimeout(ctx, mostIndexing)
		all, _ = x.IndexMapped(indexing, ids) // the job of the index tells why it cannot
		if cancel(); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if all && job.Attempt == 1 && snoozesOf(job) == 0 {
		return nil
	}
	return fault(ctx, w.askForIndex(ctx))
}

// snoozesOf returns how often a job has waited for the stores.
func snoozesOf(job *river.Job[ingestArgs]) int {
	var kept struct{ Snoozes int } // by River
	_ = json.Unmarshal(job.Metadata, &kept)
	return kept.Snoozes
}

// mostSnoozes is how often a job waits for the stores, which takes about an hour, before
// that counts as a failed attempt.
const mostSnoozes = 60

// Work implements [river.Worker]. That a store cannot be used is no fault of the job: it
// waits, and this is no attempt.
func (w *worker) Work(ctx context.Context, job *river.Job[ingestArgs]) error {
	err := w.work(ctx, job)
	var storage interface{ StorageFault() string }
	switch {
	case err == nil:
		return nil
	case w.stopping.Err() != nil && ctx.Err() != nil:
		return river.JobSnooze(0) // the worker stops, not the job
	case ctx.Err() == nil && errors.As(err, &storage):
		if n := snoozesOf(job); n < mostSnoozes {
			_ = river.RecordOutput(ctx, output{Reason: stored(err.Error())})
			return river.JobSnooze(time.Second << min(n, 6))
		}
	}
	return errors.New(stored(err.Error()))
}

func (w *worker) work(ctx context.Context, job *river.Job[ingestArgs]) error {
	sources := job.Args.Sources
	if job.Attempt > 1 && len(sources) > 1 {
		return w.split(ctx, job)
	}
	paths, err := w.paths(ctx, sources)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return w.complete(ctx, job, output{Counts: map[string]int{string(ingest.Vanished): len(sources)}})
	}
	opts := w.opts.Ingest
	opts.Force, opts.Type, opts.ResourceID = opts.Force || job.Args.Force, job.Args.Type, job.Args.ResourceID
	opts.Shared, opts.Index, opts.Each, opts.Progress = true, nil, nil, nil
	small := len(sources) > 1 || sources[0].Size <= smallSource
	if h, ok := w.lib.Workspace().(holder); ok && small {
		ctx = h.HoldSources(ctx, paths)
	}
	report, err := ingest.Run(ctx, w.lib, paths, &opts)
	left := output{Counts: make(map[string]int)}
	var passing error
	for _, item := range report.Items {
		left.Counts[string(item.Status)]++
		left.Items = append(left.Items, told(item))
		if item.Err == nil {
			continue
		}
		if item.Status == ingest.Failed && mayPass(item.Err) {
			passing = cmp.Or(passing, item.Err)
		} else if item.Status == ingest.Failed || item.Status == ingest.Skipped {
			left.Failed = append(left.Failed, Failure{item.Path, stored(item.Err.Error())})
		}
	}
	if err != nil {
		return err
	}
	if err := w.index(ctx, job, report, small); err != nil {
		return err
	}
	if passing != nil {
		return passing
	}
	return w.complete(ctx, job, left)
}

// complete stores that a job is done. River itself does so a moment later, with others:
// if the next job ended the process before that, this one would count as lost with it.
func (w *worker) complete(ctx context.Context, job *river.Job[ingestArgs], left output) error {
	if err := river.RecordOutput(ctx, left); err != nil {
		return err
	}
	return fault(ctx, pgx.BeginFunc(ctx, w.queue.pool, func(tx pgx.Tx) error {
		_, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job)
		return err
	}))
}

// paths returns the paths of the sources, without those that are gone and look like a
// pattern, which would match others.
func (w *worker) paths(ctx context.Context, sources []Source) (paths []string, err error) {
	for _, s := range sources {
		if strings.ContainsAny(s.Path, `*?[\`) {
			src, err := w.lib.OpenSource(ctx, s.Path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			src.Close()
		}
		paths = append(paths, s.Path)
	}
	return paths, nil
}

// stored returns a text as PostgreSQL can store it in JSON, at most mostText bytes of it.
func stored(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text[:min(len(text), mostText)], "\x00", ""), "")
}

// mostText is the size of the longest reason that is kept, in bytes.
const mostText = 4096

// mayPass reports whether the cause of a failure may be gone the next time: it lies in
// the stores, not in the source.
func mayPass(err error) bool {
	var storage interface{ StorageFault() string }
	return errors.As(err, &storage) || errors.Is(err, citekit.ErrStale) || errors.Is(err, citekit.ErrConflict) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// told returns an item as it can be stored, and shown to callers.
func told(item ingest.Item) ingest.Item {
	if item.Err != nil {
		item.Err = &toldError{item.Err}
	}
	return item
}

// A toldError is an error whose text can be stored, without what stores say of hosts and
// accounts.
type toldError struct{ cause error }

func (e *toldError) Unwrap() error { return e.cause }

func (e *toldError) Error() string {
	var storage interface{ StorageFault() string }
	if errors.As(e.cause, &storage) {
		return storage.StorageFault()
	}
	return stored(e.cause.Error())
}

// splitInto is in how many parts at most a job is split: a source is then alone in the
// second or third job, and most of those that were with it are not.
const splitInto = 8

// split adds jobs for parts of a job whose attempt failed, so that no source fails for
// another in the end.
func (w *worker) split(ctx context.Context, job *river.Job[ingestArgs]) error {
	var all []river.InsertManyParams
	for part := range slices.Chunk(job.Args.Sources, (len(job.Args.Sources)+splitInto-1)/splitInto) {
		args := job.Args
		args.Sources = part
		all = append(all, river.InsertManyParams{Args: args, InsertOpts: ingestOptions(Priority(job.Priority))})
	}
	if w.opts.Index != nil { // some may be mapped, and not in the index
		if err := w.askForIndex(ctx); err != nil {
			return fault(ctx, err)
		}
	}
	if err := river.RecordOutput(ctx, output{Counts: map[string]int{"split": len(all)}}); err != nil {
		return err
	}
	return fault(ctx, pgx.BeginFunc(ctx, w.queue.pool, func(tx pgx.Tx) error {
		var metadata []byte
		if err := tx.QueryRow(ctx, w.queue.sql("SELECT metadata FROM %s WHERE id = $1 FOR UPDATE"), job.ID).Scan(&metadata); err != nil {
			return err
		}
		inserted, err := w.client.InsertManyTx(ctx, tx, all)
		if err != nil {
			return err
		}
		ids := make([]int64, len(inserted))
		for i, one := range inserted {
			ids[i] = one.Job.ID
		}
		if _, err := tx.Exec(ctx, w.queue.sql("UPDATE %s SET metadata = metadata || $2 WHERE id = ANY($1)"), ids, ownersOf(metadata)); err != nil {
			return err
		}
		_, err = river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job)
		return err
	}))
}

// indexArgs are the arguments of a job that makes searchable what was mapped before it
// began.
type indexArgs struct{}

// Kind implements [river.JobArgs].
func (indexArgs) Kind() string { return "index" }

// indexDelay is how long what was mapped waits for more, to be indexed with it.
const indexDelay = 3 * time.Second

// askForIndex has the index follow, unless a job that begins later will. Of the jobs
// that are to begin in one period there is one; it begins when the first of those who
// ask has waited for indexDelay, so the others, which ask for a time in the same
// period, have asked before that.
func (w *worker) askForIndex(ctx context.Context) error {
	_, err := w.client.Insert(ctx, indexArgs{}, &river.InsertOpts{
		Queue: indexing, MaxAttempts: 10, Priority: int(Interactive), ScheduledAt: time.Now().Add(indexDelay),
		UniqueOpts: river.UniqueOpts{ByPeriod: indexDelay, ByState: slices.Clone(unfinished)},
	})
	return err
}

// An indexer makes searchable what was mapped.
type indexer struct {
	river.WorkerDefaults[indexArgs]

	index ingest.Indexer
}

// Work implements [river.Worker].
func (x *indexer) Work(ctx context.Context, _ *river.Job[indexArgs]) error {
	_, err := x.index.Index(ctx, nil)
	return err
}

// Timeout implements [river.Worker]: the first index of many sources takes long, and what
// was put stays if it is cut off.
func (x *indexer) Timeout(*river.Job[indexArgs]) time.Duration { return -1 }
