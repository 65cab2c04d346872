// Package jobs is a queue of sources to map, for many workers: rows of the PostgreSQL
// that keeps the workspace, run by River. Any process with the workspace can add jobs,
// look at them, cancel them and try them again; [Queue.Work] runs them.
//
// A job is one source in one version, or several small ones. It can run twice: a worker
// that is killed has done a part, and what is mapped already is found unchanged. A source
// that cannot be mapped is a result, told in [Job.Failed]; what may pass, such as a
// store that does not answer, is tried again after a delay. A job of several sources
// whose worker died is split, so that the one that killed it ends alone, as Discarded.
package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
)

// A Queue holds the jobs of one workspace. It is safe for concurrent use.
type Queue struct {
	pool   *pgxpool.Pool
	schema string
	client *river.Client[pgx.Tx]
	look   time.Duration // see lookEvery
}

// Open returns the queue in a schema, which must exist. It makes the tables, or brings
// them up to date, one process at a time. The pool must stay open while the queue is used.
func Open(ctx context.Context, pool *pgxpool.Pool, schema string) (*Queue, error) {
	q := &Queue{pool: pool, schema: schema, look: lookEvery}
	err := persist(ctx, func() error { return q.migrate(ctx) })
	var answer *pgconn.PgError
	if errors.As(err, &answer) && answer.Code == noRight {
		err = fmt.Errorf("%w; %s", err, q.grants())
	}
	if err == nil {
		err = q.checkRights(ctx)
	}
	if err != nil {
		return nil, fault(ctx, err)
	}
	if q.client, err = river.NewClient(riverpgxv5.New(pool), &river.Config{Schema: schema, Logger: silent}); err != nil {
		return nil, fmt.Errorf("the queue of jobs: %w", err)
	}
	return q, nil
}

// sql returns a statement with the names of the table of jobs and the type of its states
// in the schema.
func (q *Queue) sql(statement string) string {
	table := pgx.Identifier{q.schema, "river_job"}.Sanitize()
	state := pgx.Identifier{q.schema, "river_job_state"}.Sanitize()
	return strings.Replace(strings.Replace(statement, "%s", table, 1), "%s", state, 1)
}

// silent is a logger that writes nothing: River's default one writes to the standard
// output.
var silent = slog.New(slog.DiscardHandler)

// migrationLock is the number of the lock under which tables are made.
const migrationLock = 0x636974656a6f6273

// migrate makes the tables, under a lock of a connection of its own, which ends with it.
func (q *Queue) migrate(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, q.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(migrationLock)); err != nil {
		return err
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(q.pool), &rivermigrate.Config{Schema: q.schema, Logger: silent})
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

// noRight is the code of the error of a role that may not do what it was asked to.
const noRight = "42501"

// checkRights returns an error that says which rights on the tables the role lacks.
func (q *Queue) checkRights(ctx context.Context) error {
	rows, err := q.pool.Query(ctx, `
		SELECT r || ' on ' || c.relname
		FROM pg_class c, unnest(CASE c.relkind WHEN 'S' THEN ARRAY['USAGE'] ELSE ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'] END) r
		WHERE c.relnamespace = $1::regnamespace AND c.relname LIKE 'river\_%' AND c.relname <> 'river_migration' AND c.relkind IN ('r', 'S')
			AND NOT CASE c.relkind WHEN 'S' THEN has_sequence_privilege(c.oid, r) ELSE has_table_privilege(c.oid, r) END
		ORDER BY 1`, pgx.Identifier{q.schema}.Sanitize())
	if err != nil {
		return err
	}
	lacks, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err == nil && len(lacks) > 0 {
		err = fmt.Errorf("the role lacks %s; %s", strings.Join(lacks, ", "), q.grants())
	}
	return err
}

// grants says how a role gets what it needs.
func (q *Queue) grants() string {
	return strings.ReplaceAll("an owner of the schema must run 'citekit jobs list' once, which makes the tables, and then: GRANT USAGE ON SCHEMA {s} TO the role; "+
		"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {s} TO the role; GRANT USAGE ON ALL SEQUENCES IN SCHEMA {s} TO the role",
		"{s}", pgx.Identifier{q.schema}.Sanitize())
}

// The bounds of persist.
const (
	startAttempts = 7
	startWait     = 100 * time.Millisecond // before the second attempt, and twice as long before each next one
)

// persist does something that may be done twice, again if the database restarts
// meanwhile.
func persist(ctx context.Context, do func() error) error {
	wait := startWait
	for attempt := 1; ; attempt++ {
		err := do()
		var answer *pgconn.PgError
		// 57: it ends or starts.
		if err == nil || errors.As(err, &answer) && !strings.HasPrefix(answer.Code, "57") || attempt == startAttempts {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		wait *= 2
	}
}

// A Source is a source to map, as it was when it was found.
type Source struct {
	Path     string `json:"path"`     // as in [workspace.Candidate]
	Identity string `json:"identity"` // of this version; "" if that cannot be told
	Size     int64  `json:"size"`     // bytes
}

// A Priority says which jobs run first.
type Priority int

// The priorities.
const (
	Interactive Priority = 1 // somebody waits
	Fresh       Priority = 2 // it changed just now
	Bulk        Priority = 3
)

// The limits of a job of several sources, and of a queue.
const (
	batchSources = 64
	batchBytes   = 4 << 20 // of all sources of one job, but for one that is larger alone
	smallSource  = 256 << 10

	// MaxWaiting is how many jobs wait at most, by default.
	MaxWaiting = 1_000_000
)

// ErrFull says that as many jobs wait as may.
var ErrFull = errors.New("the queue of jobs is full; add more when some are done")

// ingestArgs are the arguments of a job that maps sources. Jobs with the same are one.
type ingestArgs struct {
	Sources    []Source         `json:"sources"`
	Force      bool             `json:"force,omitempty"` // these as in [ingest.Options]
	Type       citekit.Modality `json:"type,omitempty"`
	ResourceID string           `json:"resource_id,omitempty"`
}

// Kind implements [river.JobArgs].
func (ingestArgs) Kind() string { return "ingest" }

// The queues of River.
const (
	mapping  = "ingest"
	again    = "ingest-again" // of jobs whose worker vanished, maybe by their fault: one at a time
	indexing = "index"
)

// maxAttempts is how often a job is tried. A worker that ends takes all jobs with it that
// it runs, so that most were not at fault.
const maxAttempts = 4

// unfinished are the states of jobs that are not to be added again.
var unfinished = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
}

func ingestOptions(p Priority) *river.InsertOpts {
	return &river.InsertOpts{
		Queue: mapping, Priority: int(p), MaxAttempts: maxAttempts,
		UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: unfinished},
	}
}

// Added says what [Queue.Add] did.
type Added struct {
	Jobs    int // that were added
	Waiting int // that were waiting or running already, for the same sources in the same version
}

// Add adds jobs for sources, small ones together. If max jobs wait already, it adds none,
// and the error matches [ErrFull]; zero means [MaxWaiting]. Bulk jobs do not count for
// Interactive ones.
func (q *Queue) Add(ctx context.Context, sources []Source, p Priority, max int) (Added, error) {
	return q.add(ctx, sources, &asked{priority: p, max: max, owner: bulkOwner})
}

// An asked says how sources are to be mapped, and for whom.
type asked struct {
	args     ingestArgs // without the sources
	priority Priority
	max      int    // jobs that wait; zero means MaxWaiting
	owner    string // key of the metadata of jobs, whose value is true while the owner wants them
}

// bulkOwner is the owner of jobs that no ingest of a server waits for.
const bulkOwner = "bulk"

func (q *Queue) add(ctx context.Context, sources []Source, a *asked) (Added, error) {
	var added Added
	full, err := q.holds(ctx, cmp.Or(a.max, MaxWaiting), a.priority)
	if err != nil {
		return added, err
	}
	if full {
		return added, ErrFull
	}
	metadata, err := json.Marshal(map[string]bool{a.owner: true})
	if err != nil {
		return added, err
	}
	var all []river.InsertManyParams
	for batch := range batches(sources) {
		args, opts := a.args, ingestOptions(a.priority)
		args.Sources, opts.Metadata = batch, metadata
		all = append(all, river.InsertManyParams{Args: args, InsertOpts: opts})
	}
	for some := range slices.Chunk(all, 1000) {
		more, err := q.insert(ctx, some, a)
		if err != nil {
			return added, fault(ctx, err)
		}
		added.Jobs, added.Waiting = added.Jobs+more.Jobs, added.Waiting+more.Waiting
	}
	return added, nil
}

// insert adds jobs. Those that wait or run already get another owner, and its priority if
// that is higher.
func (q *Queue) insert(ctx context.Context, some []river.InsertManyParams, a *asked) (added Added, err error) {
	err = pgx.BeginFunc(ctx, q.pool, func(tx pgx.Tx) error {
		added = Added{}
		inserted, err := q.client.InsertManyTx(ctx, tx, some) // locks those that there are
		if err != nil {
			return err
		}
		var joined []int64
		for _, one := range inserted {
			if !one.UniqueSkippedAsDuplicate {
				added.Jobs++
				continue
			}
			added.Waiting++
			if one.Job.Priority > int(a.priority) || !ownersOf(one.Job.Metadata)[a.owner] {
				joined = append(joined, one.Job.ID)
			}
		}
		if len(joined) == 0 {
			return nil
		}
		_, err = tx.Exec(ctx, q.sql(joinSQL), joined, a.owner, int(a.priority))
		return err
	})
	return added, err
}

const joinSQL = `UPDATE %s SET metadata = metadata || jsonb_build_object($2::text, true), priority = LEAST(priority, $3::smallint) WHERE id = ANY($1)`

// ownersOf returns the owners in the metadata of a job, with whether they want it still.
func ownersOf(metadata []byte) map[string]bool {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(metadata, &all) // PostgreSQL keeps JSON alone
	owners := make(map[string]bool)
	for key, value := range all {
		if key == bulkOwner || strings.HasPrefix(key, ingestOwner) {
			owners[key] = string(value) == "true"
		}
	}
	return owners
}

// holds reports whether a number of jobs of a priority, or a higher one, wait. It counts
// no further.
func (q *Queue) holds(ctx context.Context, number int, p Priority) (bool, error) {
	var has bool
	err := q.pool.QueryRow(ctx, q.sql("SELECT count(*) >= $1 FROM (SELECT 1 FROM %s WHERE state IN ('available', 'scheduled', 'retryable', 'pending') AND kind = 'ingest' AND priority <= $2 LIMIT $1) AS waiting"), number, int(p)).Scan(&has)
	return has, fault(ctx, err)
}

// batches yields the sources of one job each: a large one alone, small ones together.
func batches(sources []Source) func(yield func([]Source) bool) {
	return func(yield func([]Source) bool) {
		var batch []Source
		var bytes int64
		for _, s := range sources {
			if s.Size > smallSource {
				if !yield([]Source{s}) {
					return
				}
				continue
			}
			if len(batch) == batchSources || bytes+s.Size > batchBytes {
				if !yield(batch) {
					return
				}
				batch, bytes = nil, 0
			}
			batch, bytes = append(batch, s), bytes+s.Size
		}
		if len(batch) > 0 {
			yield(batch)
		}
	}
}

// A State is the state of a job.
type State string

// The states.
const (
	Waiting   State = "waiting" // also for its next attempt
	Running   State = "running"
	Done      State = "done"
	Cancelled State = "cancelled"
	Discarded State = "discarded" // it was tried as often as it may be
)

// statesOf are the states of River that a state is of.
var statesOf = map[State][]rivertype.JobState{
	Waiting:   {rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateScheduled},
	Running:   {rivertype.JobStateRunning},
	Done:      {rivertype.JobStateCompleted},
	Cancelled: {rivertype.JobStateCancelled},
	Discarded: {rivertype.JobStateDiscarded},
}

// A Job is a job of the queue.
type Job struct {
	ID       int64          `json:"id"`
	State    State          `json:"state"`
	Sources  []Source       `json:"sources"`
	Attempts int            `json:"attempts"`          // that began
	Added    time.Time      `json:"added"`             //
	Ended    *time.Time     `json:"ended,omitempty"`   // nil while it has not
	Next     *time.Time     `json:"next,omitempty"`    // when it is tried again
	Counts   map[string]int `json:"counts,omitempty"`  // of its sources, by what became of them
	Failed   []Failure      `json:"failed,omitempty"`  // its sources that cannot be mapped
	Reason   string         `json:"reason,omitempty"`  // why its last attempt failed
	Workers  []string       `json:"workers,omitempty"` // that tried it
}

// A Failure says why a source has no map.
type Failure struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// output is what a job that has ended leaves.
type output struct {
	Counts map[string]int `json:"counts"`
	Failed []Failure      `json:"failed,omitempty"`
	Reason string         `json:"reason,omitempty"` // why it waits
	Items  []ingest.Item  `json:"items,omitempty"`
}

func jobOf(row *rivertype.JobRow) *Job {
	j := &Job{ID: row.ID, Attempts: row.Attempt, Added: row.CreatedAt, Ended: row.FinalizedAt, Workers: row.AttemptedBy}
	for state, all := range statesOf {
		if slices.Contains(all, row.State) {
			j.State = state
		}
	}
	if row.State == rivertype.JobStateRetryable {
		j.Next = &row.ScheduledAt
	}
	var args ingestArgs
	if json.Unmarshal(row.EncodedArgs, &args) == nil {
		j.Sources = args.Sources
	}
	var left output
	if data := row.Output(); data != nil && json.Unmarshal(data, &left) == nil {
		j.Counts, j.Failed = left.Counts, left.Failed
	}
	if n := len(row.Errors); n > 0 && j.State != Done {
		j.Reason = reasonOf(row.Errors[n-1].Error)
	} else if j.State == Waiting {
		j.Reason = left.Reason
	}
	return j
}

// reasonOf says what an error of River itself means to who added the job.
func reasonOf(text string) string {
	if text == "Stuck job rescued by Rescuer" {
		return lostWorker
	}
	return text
}

// List returns jobs, the latest first: those in a state, or all for ""; at most limit of
// them, which are older than the job before, or the latest if that is zero.
func (q *Queue) List(ctx context.Context, state State, before int64, limit int) ([]*Job, error) {
	params := river.NewJobListParams().Kinds(ingestArgs{}.Kind()).OrderBy(river.JobListOrderByID, river.SortOrderDesc).First(limit)
	if state != "" {
		states := statesOf[state]
		if states == nil {
			return nil, fmt.Errorf("no state '%s'; there are waiting, running, done, cancelled and discarded", state)
		}
		params = params.States(states...)
	}
	if before != 0 {
		params = params.Where("id < @before", river.NamedArgs{"before": before})
	}
	found, err := q.client.JobList(ctx, params)
	if err != nil {
		return nil, fault(ctx, err)
	}
	jobs := make([]*Job, len(found.Jobs))
	for i, row := range found.Jobs {
		jobs[i] = jobOf(row)
	}
	return jobs, nil
}

// ErrNotFound says that there is no such job. Jobs that ended are kept for a day, and
// discarded ones for a week.
var ErrNotFound = fmt.Errorf("there is no such job: %w", fs.ErrNotExist)

// Job returns a job. If there is none, the error is [ErrNotFound].
func (q *Queue) Job(ctx context.Context, id int64) (*Job, error) {
	return one(ctx, id, q.client.JobGet)
}

// Cancel ends a job, or keeps it from running. One that runs ends soon after; what it has
// mapped stays. If it has ended, the error is [ErrEnded].
func (q *Queue) Cancel(ctx context.Context, id int64) (*Job, error) {
	j, err := q.Job(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case j.Ended != nil:
		return nil, fmt.Errorf("%w: it is %s", ErrEnded, j.State)
	}
	return one(ctx, id, q.client.JobCancel)
}

// Retry has a job run as soon as a worker is free, whatever became of it before. If it
// runs, the error is [ErrRunning], and if its sources wait in another job, [ErrWaiting].
func (q *Queue) Retry(ctx context.Context, id int64) (*Job, error) {
	j, err := one(ctx, id, q.client.JobRetry)
	if err == nil && j.State == Running {
		return nil, ErrRunning
	}
	return j, err
}

// ErrEnded says that a job cannot be cancelled any more.
var ErrEnded = errors.New("the job has ended")

// ErrRunning says that a job cannot be tried again yet.
var ErrRunning = errors.New("the job is running; cancel it first")

// ErrWaiting says that the sources of a job wait in another one already.
var ErrWaiting = errors.New("its sources wait in another job already")

// duplicate is the code of the error of a second row where there may be one.
const duplicate = "23505"

func one(ctx context.Context, id int64, do func(context.Context, int64) (*rivertype.JobRow, error)) (*Job, error) {
	row, err := do(ctx, id)
	var answer *pgconn.PgError
	switch {
	case errors.Is(err, rivertype.ErrNotFound):
		return nil, ErrNotFound
	case errors.As(err, &answer) && answer.Code == duplicate:
		return nil, ErrWaiting
	}
	if err != nil {
		return nil, fault(ctx, err)
	}
	return jobOf(row), nil
}

// Counts returns how many jobs are in each state.
func (q *Queue) Counts(ctx context.Context) (map[State]int, error) {
	rows, err := q.pool.Query(ctx, q.sql("SELECT state, count(*) FROM %s WHERE kind = 'ingest' GROUP BY state"))
	if err != nil {
		return nil, fault(ctx, err)
	}
	counts := make(map[State]int)
	var name string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&name, &n}, func() error {
		for state, all := range statesOf {
			if slices.Contains(all, rivertype.JobState(name)) {
				counts[state] += n
			}
		}
		return nil
	})
	return counts, fault(ctx, err)
}

// A queueError hides what a database says of hosts and accounts from callers.
type queueError struct{ cause error }

func (e *queueError) Error() string        { return "the queue of jobs: " + e.cause.Error() }
func (e *queueError) Unwrap() error        { return e.cause }
func (e *queueError) StorageFault() string { return "the queue of jobs cannot be used" }

func fault(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return &queueError{err}
}
