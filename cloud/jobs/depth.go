package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A Depth says how full a queue is.
type Depth struct {
	Waiting   int
	Running   int
	Discarded int           // in the last week
	Oldest    time.Duration // how long the first of those has waited that may run
	IndexLag  time.Duration // how long what was mapped first waits to be searchable
}

// noTable is the code of the error of a table that is not there.
const noTable = "42P01"

// DepthOf returns how full the queue in a schema is. A queue that was never opened is
// empty.
func DepthOf(ctx context.Context, pool *pgxpool.Pool, schema string) (Depth, error) {
	q := &Queue{pool: pool, schema: schema}
	var d Depth
	var oldest, lag float64
	err := pool.QueryRow(ctx, q.sql(depthSQL)).Scan(&d.Waiting, &d.Running, &d.Discarded, &oldest, &lag)
	var answer *pgconn.PgError
	if errors.As(err, &answer) && answer.Code == noTable || errors.Is(err, pgx.ErrNoRows) {
		return Depth{}, nil
	}
	d.Oldest, d.IndexLag = time.Duration(oldest*float64(time.Second)), time.Duration(lag*float64(time.Second))
	return d, fault(ctx, err)
}

const depthSQL = `SELECT
  count(*) FILTER (WHERE kind = 'ingest' AND state NOT IN ('running', 'discarded')),
  count(*) FILTER (WHERE kind = 'ingest' AND state = 'running'),
  count(*) FILTER (WHERE kind = 'ingest' AND state = 'discarded'),
  greatest(0, coalesce(extract(epoch FROM now() - min(scheduled_at) FILTER (WHERE kind = 'ingest' AND state = 'available')), 0))::float8,
  greatest(0, coalesce(extract(epoch FROM now() - min(created_at) FILTER (WHERE kind = 'index' AND state NOT IN ('discarded'))), 0))::float8
FROM %s WHERE state IN ('available', 'scheduled', 'retryable', 'pending', 'running', 'discarded')`
