package cloud

import (
	"context"
	"errors"
	"time"

	"github.com/citekit/citekit/workspace/driver"
)

// readyTime is how long a store may take that is ready.
const readyTime = 5 * time.Second

// errSlow says what is wrong with a store that took longer.
var errSlow = errors.New("it does not answer in time")

// Ready returns an error, with the method StorageFault, unless the database and the
// bucket answer within five seconds.
func (w *Workspace) Ready(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	bucket := make(chan error, 1)
	go func() { bucket <- w.bucketReady(limited) }()
	var id string
	err := w.row(limited, repeating, []any{&id}, `SELECT id FROM {s}.store`)
	if limited.Err() != nil {
		err = &storeError{databaseFault, errSlow}
	}
	if err != nil {
		cancel()
	}
	if bucketErr := <-bucket; err == nil {
		err = bucketErr
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// bucketReady looks for an object, which need not be there.
func (w *Workspace) bucketReady(ctx context.Context) error {
	_, err := w.bucket.Attributes(ctx, w.contentPrefix()+"ready")
	switch {
	case ctx.Err() != nil:
		return &storeError{bucketFault, errSlow}
	case err == nil || w.bucket.ErrorKind(err) != driver.Failed:
		return nil
	}
	return &storeError{bucketFault, err}
}
