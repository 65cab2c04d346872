package jobs

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A Depth says how full a queue is.
type Depth struct {
	Waiting   int           // exact up to 10,000; what is more may be a minute old
	Running   int           // at most 10,000
	Discarded int           // in the last week; at most 10,000
	Oldest    time.Duration // how long the first of those has waited that may run
	IndexLag  time.Duration // how long what was mapped first waits to be searchable
}

// A Gauge tells how full a queue is. The zero value is ready to use, and safe for
// concurrent use.
type Gauge struct {
	every time.Duration // of tests; zero means countEvery

	mu      sync.Mutex
	waiting int       // as it was counted last
	at      time.Time // when that was
}

const (
	maxCounted = 10_000      // jobs that are counted each time
	countEvery = time.Minute // how often more are
)

// noTable is the code of the error of a table that is not there.
const noTable = "42P01"

// Read returns how full the queue in a schema is. A queue that was never opened is empty.
func (g *Gauge) Read(ctx context.Context, pool *pgxpool.Pool, schema string) (Depth, error) {
	q := &Queue{pool: pool, schema: schema}
	d, err := q.depth(ctx)
	if err == nil && d.Waiting > maxCounted {
		d.Waiting, err = g.count(ctx, q)
	}
	var answer *pgconn.PgError
	if errors.As(err, &answer) && answer.Code == noTable || errors.Is(err, pgx.ErrNoRows) {
		return Depth{}, nil
	}
	return d, fault(ctx, err)
}

// depth returns how full a queue is, up to a bound.
func (q *Queue) depth(ctx context.Context) (d Depth, err error) {
	var oldest, lag float64
	err = q.pool.QueryRow(ctx, q.depthSQL(depthSQL), maxCounted).Scan(&d.Waiting, &d.Running, &d.Discarded, &oldest, &lag)
	d.Oldest, d.IndexLag = time.Duration(oldest*float64(time.Second)), time.Duration(lag*float64(time.Second))
	return d, err
}

// count returns how many jobs wait, as of the last minute.
func (g *Gauge) count(ctx context.Context, q *Queue) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.at.IsZero() && time.Since(g.at) < cmp.Or(g.every, countEvery) {
		return max(g.waiting, maxCounted+1), nil
	}
	err := q.pool.QueryRow(ctx, q.depthSQL("SELECT count(*) FROM {jobs} WHERE {waiting}")).Scan(&g.waiting)
	if err == nil {
		g.at = time.Now()
	}
	return g.waiting, err
}

func (q *Queue) depthSQL(text string) string {
	return strings.NewReplacer(
		"{jobs}", pgx.Identifier{q.schema, "river_job"}.Sanitize(),
		"{ingest}", "queue IN ('"+mapping+"', '"+again+"')",
		"{waiting}", "state IN ('available', 'scheduled', 'retryable', 'pending') AND queue IN ('"+mapping+"', '"+again+"')",
	).Replace(text)
}

// depthSQL asks for what an index has: the queue of a job says its kind.
const depthSQL = `SELECT
  (SELECT count(*) FROM (SELECT FROM {jobs} WHERE {waiting} LIMIT $1 + 1) w),
  (SELECT count(*) FROM (SELECT FROM {jobs} WHERE state = 'running' AND {ingest} LIMIT $1) r),
  (SELECT count(*) FROM (SELECT FROM {jobs} WHERE state = 'discarded' AND {ingest} LIMIT $1) d),
  greatest(0, coalesce(extract(epoch FROM now() - (SELECT min(first.at)
    FROM unnest(ARRAY['` + mapping + `', '` + again + `']) q, generate_series(1, 4) p,
    LATERAL (SELECT scheduled_at AS at FROM {jobs} WHERE state = 'available' AND queue = q AND priority = p ORDER BY scheduled_at LIMIT 1) first)), 0))::float8,
  greatest(0, coalesce(extract(epoch FROM now() - (SELECT min(created_at) FROM {jobs}
    WHERE queue = '` + indexing + `' AND state IN ('available', 'scheduled', 'retryable', 'pending', 'running'))), 0))::float8`
