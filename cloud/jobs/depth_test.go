//go:build unix

package jobs

import (
	"testing"
	"time"

	"github.com/citekit/citekit/cloud/internal/pgtest"
)

// TestGauge counts a few jobs each time, and many once in a while.
func TestGauge(t *testing.T) {
	q := open(t, pgtest.Start(t).Database(t))
	add := func(kind, queue, state string, n int) {
		t.Helper()
		_, err := q.pool.Exec(t.Context(), q.sql(`INSERT INTO %s (kind, queue, args, max_attempts, priority, state, scheduled_at, finalized_at)
			SELECT $1, $2, '{}', 4, 3, $3::%s, now() - interval '1 hour', CASE WHEN $3 = 'discarded' THEN now() END FROM generate_series(1, $4)`), kind, queue, state, n)
		if err != nil {
			t.Fatal(err)
		}
	}
	g := Gauge{every: time.Hour}
	check := func(waiting int) {
		t.Helper()
		d, err := g.Read(t.Context(), q.pool, q.schema)
		if err != nil || d.Waiting != waiting || d.Running != 2 || d.Discarded != 3 || d.Oldest < time.Hour || d.IndexLag <= 0 {
			t.Errorf("%+v, %v; want %d waiting", d, err, waiting)
		}
	}
	add("ingest", mapping, "running", 2)
	add("ingest", again, "discarded", 3)
	add("index", indexing, "scheduled", 1)
	add("ingest", again, "available", 1)
	check(1)
	add("ingest", mapping, "retryable", maxCounted-1)
	check(maxCounted)
	add("ingest", mapping, "available", 5)
	check(maxCounted + 5)
	add("ingest", mapping, "available", 5)
	check(maxCounted + 5)
	g.every = 1
	check(maxCounted + 10)
}
