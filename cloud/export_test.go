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

// AssumeSums has evidence written as where ETags are MD5, and reports whether it was.
func (w *Workspace) AssumeSums() (was bool) { return w.tagsAreSums.Swap(true) }

// InStock returns how many keys are reserved, once those that are being reserved are.
func (w *Workspace) InStock() int {
	w.stock.filling.Wait()
	w.stock.mu.Lock()
	defer w.stock.mu.Unlock()
	return len(w.stock.keys)
}
