package cloud

import (
	"context"
	"time"
)

// Take takes at most so many tokens from a bucket, or none if it has fewer than least. The
// bucket gets rate tokens a second and holds at most burst; a new one is full. With a
// least that is not positive, it takes most in any case, so that the bucket may have less
// than nothing. Take returns how many it took and how many are left. Servers that share
// the workspace limit their callers by it. It makes no second attempt.
//
// A bucket that is not used for a day is forgotten by [Workspace.Sweep].
func (w *Workspace) Take(ctx context.Context, bucket string, rate, burst, least, most float64) (taken, left float64, err error) {
	return w.takeAt(ctx, bucket, rate, burst, least, most, nil)
}

// meterKept is how long a bucket is kept that is not used: all are full again by then.
const meterKept = 24 * time.Hour

// takeAt is Take at a time; nil means now, by the clock of the database.
func (w *Workspace) takeAt(ctx context.Context, bucket string, rate, burst, least, most float64, at *time.Time) (taken, left float64, err error) {
	err = w.pool.QueryRow(ctx, w.sql(takeSQL), hashOf(bucket), rate, burst, least, most, at).Scan(&taken, &left)
	switch {
	case err != nil && ctx.Err() != nil:
		return 0, 0, ctx.Err()
	case err != nil:
		return 0, 0, w.fault(err, false)
	}
	return taken, left, nil
}

// In the part that updates, m.tokens are those at m.at.
const (
	tokensNow = `LEAST($3::float8, m.tokens + $2::float8 * GREATEST(0, EXTRACT(EPOCH FROM EXCLUDED.at - m.at)))`

	takenOf = `CASE WHEN $4::float8 <= 0 THEN $5::float8 WHEN ` + tokensNow + ` >= $4 THEN LEAST($5, ` + tokensNow + `) ELSE 0 END`

	takeSQL = `
		INSERT INTO {s}.meters AS m (bucket, tokens, taken, at)
		SELECT $1, $3::float8 - f.taken, f.taken, coalesce($6::timestamptz, clock_timestamp())
		FROM (SELECT CASE WHEN $4::float8 <= 0 THEN $5::float8 WHEN $3::float8 >= $4 THEN LEAST($5, $3) ELSE 0 END AS taken) AS f
		ON CONFLICT (bucket) DO UPDATE SET
			tokens = ` + tokensNow + ` - (` + takenOf + `), taken = ` + takenOf + `, at = GREATEST(m.at, EXCLUDED.at)
		RETURNING taken, tokens`
)
