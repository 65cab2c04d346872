package cloud

import (
	"context"
	"time"
)

// Migrated is the number of the last migration.
const Migrated = migrated

// TakeAt is Take by another clock.
func (w *Workspace) TakeAt(ctx context.Context, bucket string, rate, burst, least, most float64, at *time.Time) (taken, left float64, err error) {
	return w.takeAt(ctx, bucket, rate, burst, least, most, at)
}
