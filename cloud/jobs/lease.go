package jobs

import (
	"context"
	"hash/fnv"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/rivertype"
)

// River tells a job whose worker vanished only by the time since it began. So each
// worker holds a lock of PostgreSQL in a connection of its own, which ends with the
// process; the others give back the jobs of a worker that has none.
//
// A worker that is cut off may go on: its job then runs twice, which does no harm. After
// a restart of the database all workers take their locks again before a second look.

// leaseClass is the first of the two numbers of the locks.
const leaseClass = 0x636b6a6f

// How often workers look for jobs of others, unless a test sets Queue.look, and take a
// lost lock again.
const (
	lookEvery  = 5 * time.Second
	leaseEvery = time.Second
)

// walkClass is the first of the two numbers of the locks of walks.
const walkClass = 0x636b776b

// tryWalk tries to become the only one who walks a folder, until release or the end of
// the process.
func (q *Queue) tryWalk(ctx context.Context, folder string) (release func(), alone bool, err error) {
	pooled, err := q.pool.Acquire(ctx)
	if err != nil {
		return nil, false, fault(ctx, err)
	}
	err = pooled.QueryRow(ctx, "SELECT pg_try_advisory_lock($1, $2)", int32(walkClass), q.leaseOf(folder)).Scan(&alone)
	if err != nil || !alone {
		pooled.Release()
		return nil, false, fault(ctx, err)
	}
	conn := pooled.Hijack() // it ends with its lock
	return func() { _ = conn.Close(context.WithoutCancel(ctx)) }, true, nil
}

// anyWorker stands for all workers of a queue, who share its lock.
const anyWorker = ""

// hasWorkers reports whether a worker of the queue runs.
func (q *Queue) hasWorkers(ctx context.Context) (bool, error) {
	var has bool
	err := q.pool.QueryRow(ctx, "SELECT EXISTS ("+liveSQL+" AND objid::int8 = $2)", int64(leaseClass), int64(uint32(q.leaseOf(anyWorker)))).Scan(&has)
	return has, fault(ctx, err)
}

// leaseOf returns the second number of the lock of a worker.
func (q *Queue) leaseOf(worker string) int32 {
	h := fnv.New32a()
	h.Write([]byte(q.schema + "\x00" + worker))
	return int32(h.Sum32())
}

// hold holds the lock of a worker until ctx is done. It calls held when it has it first.
func (q *Queue) hold(ctx context.Context, worker string, held func()) {
	for {
		q.holdOnce(ctx, worker, held)
		select {
		case <-ctx.Done():
			return
		case <-time.After(leaseEvery):
		}
	}
}

func (q *Queue) holdOnce(ctx context.Context, worker string, held func()) {
	conn, err := pgx.ConnectConfig(ctx, q.pool.Config().ConnConfig)
	if err != nil {
		return
	}
	defer conn.Close(context.WithoutCancel(ctx))
	// Shared, so that two workers with one number by chance do not wait for each other.
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock_shared($1, $2)", int32(leaseClass), q.leaseOf(worker)); err != nil {
		return
	}
	// The server ends the session of a machine that is gone without a word. Version 13
	// cannot: it finds out when the connection does.
	_, _ = conn.Exec(ctx, "SELECT set_config('idle_session_timeout', $1, false)", strconv.FormatInt(4*q.look.Milliseconds(), 10))
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock_shared($1, $2)", int32(leaseClass), q.leaseOf(anyWorker)); err != nil {
		return
	}
	held()
	for ctx.Err() == nil {
		wait, cancel := context.WithTimeout(ctx, q.look)
		_, _ = conn.WaitForNotification(wait) // there is none; it returns early if the connection ends
		cancel()
		if conn.Ping(ctx) != nil {
			return
		}
	}
}

// A runningJob is an attempt of a job.
type runningJob struct {
	id      int64
	attempt int16
}

// begun are the attempts that a worker has begun. The database may have others as
// running by it: if the connection broke when it fetched them, or at their end.
type begun struct {
	worker string
	mu     sync.Mutex
	jobs   map[runningJob]bool
}

func newBegun(worker string) *begun {
	return &begun{worker: worker, jobs: make(map[runningJob]bool)}
}

// during notes a job while it runs.
func (b *begun) during(ctx context.Context, job *rivertype.JobRow, run func(context.Context) error) error {
	one := runningJob{job.ID, int16(job.Attempt)}
	b.set(one, true)
	defer b.set(one, false)
	return run(ctx)
}

func (b *begun) set(one runningJob, runs bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if delete(b.jobs, one); runs {
		b.jobs[one] = true
	}
}

func (b *begun) has(one runningJob) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.jobs[one]
}

// giveBack gives back jobs of vanished workers, and those of its own that it has not
// begun, until ctx is done.
func (q *Queue) giveBack(ctx context.Context, own *begun) {
	before := make(map[runningJob]bool)
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(q.look):
		}
		lost, err := q.lost(ctx, own)
		if err != nil {
			clear(before)
			continue
		}
		seen := make(map[runningJob]bool)
		for _, one := range lost {
			if seen[one] = true; before[one] {
				_, _ = q.pool.Exec(ctx, q.sql(giveBackSQL), one.id, one.attempt, lostWorker)
			}
		}
		before = seen
	}
}

// lostWorker is why an attempt failed whose worker vanished.
const lostWorker = "its worker ended or was cut off while it ran"

const (
	lostSQL = `SELECT id, attempt, attempted_by[array_upper(attempted_by, 1)] FROM %s
WHERE state = 'running' AND kind IN ('ingest', 'index')`

	liveSQL = `SELECT objid::int8 FROM pg_locks
WHERE locktype = 'advisory' AND classid = $1 AND objsubid = 2 AND granted
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

	giveBackSQL = `UPDATE %s SET
  state = (CASE WHEN attempt >= max_attempts THEN 'discarded' ELSE 'available' END)::%s,
  finalized_at = CASE WHEN attempt >= max_attempts THEN now() END,
  scheduled_at = now(),
  queue = CASE WHEN kind = 'ingest' THEN 'ingest-again' ELSE queue END,
  errors = array_append(errors, jsonb_build_object('at', now(), 'attempt', attempt, 'error', $3::text, 'trace', ''))
WHERE id = $1 AND attempt = $2 AND state = 'running'`
)

// lost lists the attempts that run by workers that have no lock, and those of a worker
// that it has not begun.
func (q *Queue) lost(ctx context.Context, own *begun) ([]runningJob, error) {
	// The attempts first: a worker has its lock before it begins one.
	rows, err := q.pool.Query(ctx, q.sql(lostSQL))
	if err != nil {
		return nil, err
	}
	workers := make(map[runningJob]string)
	var one runningJob
	var worker *string
	if _, err := pgx.ForEachRow(rows, []any{&one.id, &one.attempt, &worker}, func() error {
		if worker != nil {
			workers[one] = *worker
		}
		return nil
	}); err != nil || len(workers) == 0 {
		return nil, err
	}
	rows, err = q.pool.Query(ctx, liveSQL, int64(leaseClass))
	if err != nil {
		return nil, err
	}
	live := make(map[int32]bool)
	var number int64
	if _, err := pgx.ForEachRow(rows, []any{&number}, func() error {
		live[int32(uint32(number))] = true
		return nil
	}); err != nil {
		return nil, err
	}
	var lost []runningJob
	for one, worker := range workers {
		if !live[q.leaseOf(worker)] || worker == own.worker && !own.has(one) {
			lost = append(lost, one)
		}
	}
	return lost, nil
}
