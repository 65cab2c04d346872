package cloud

import (
	"context"
	"errors"
	"time"

	"github.com/citekit/citekit/workspace/driver"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"
)

// readyTime is how long a store may take that is ready.
const readyTime = 5 * time.Second

// errSlow says what is wrong with a store that took longer.
var errSlow = errors.New("it does not answer in time")

// Ready returns an error, with the method StorageFault, unless the database and the
// bucket answer within five seconds. When they first do, it opens connections, prepares
// what most calls ask for, and reserves keys for objects: the first calls need not.
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
	if err == nil && !w.readOnly && !w.warmed.Load() {
		err = w.warm(limited)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// warmConns is how many connections are made ready, and at most half of all.
const warmConns = 8

// warm does what first calls of a server would have to wait for.
func (w *Workspace) warm(ctx context.Context) error {
	if err := w.ensureMark(ctx); err != nil {
		return err
	}
	w.stock.fill()
	conns := make([]*pgxpool.Conn, min(warmConns, w.pool.Config().MaxConns/2))
	opening, ctx := errgroup.WithContext(ctx)
	for i := range conns {
		opening.Go(func() (err error) {
			if conns[i], err = w.pool.Acquire(ctx); err != nil {
				return err
			}
			for _, text := range []string{statMap, readMap, readNote, findEvidence, takeEvidence, putEvidence} {
				if _, err = conns[i].Conn().Prepare(ctx, w.sql(text), w.sql(text)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := opening.Wait()
	for _, conn := range conns {
		if conn != nil {
			conn.Release()
		}
	}
	if err != nil {
		return &storeError{databaseFault, err}
	}
	w.warmed.Store(true)
	return nil
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
