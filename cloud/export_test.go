package cloud

import (
	"context"
	"time"
)

// TakeAt is Take by another clock.
func (w *Workspace) TakeAt(ctx context.Context, bucket string, rate, burst, least, most float64, at *time.Time) (taken, left float64, err error) {
	return w.takeAt(ctx, bucket, rate, burst, least, most, at)
}
