package cloud

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/citekit/citekit/internal/concurrent"
	"github.com/jackc/pgx/v5"
)

const (
	leaseRenewed = 10 * time.Second // how often a holder renews its lease
	leaseEnds    = 30 * time.Second // how long a lease lasts that is not renewed, by the clock of the database
	leaseLookMin = 20 * time.Millisecond
	leaseLookMax = time.Second

	leaseGivenUp = 10 * time.Second // how long giving up a lease may take: others get it all the same
)

// LockIngest implements [workspace.Finder] by the lease "ingest".
func (w *Workspace) LockIngest(ctx context.Context) (release func(), err error) {
	if err := concurrent.Acquire(ctx, w.ingesting); err != nil {
		return nil, err
	}
	giveUp, err := w.Lease(ctx, "ingest")
	if err != nil {
		<-w.ingesting
		return nil, err
	}
	return func() {
		giveUp()
		<-w.ingesting
	}, nil
}

// TryLockIndex tries to become the first of the processes that index the texts of this
// workspace, until release. The others need not wait: they can begin at the other end of
// what there is to do.
func (w *Workspace) TryLockIndex() (release func(), first bool) {
	ctx, cancel := context.WithTimeout(context.Background(), leaseGivenUp)
	defer cancel()
	release, first, err := w.TryLease(ctx, "index")
	if err != nil || !first {
		return func() {}, err != nil
	}
	return release, true
}

// Lease waits until nobody holds the lease with a name, in this process or another,
// and takes it until release, which the caller must call once. The lease is renewed
// until then; that of a process that was killed ends after half a minute. A holder that
// was only held up for so long goes on beside the next one: what it writes must be on
// the condition that nobody else has written it.
func (w *Workspace) Lease(ctx context.Context, name string) (release func(), err error) {
	for wait := leaseLookMin; ; wait = min(2*wait, leaseLookMax) {
		release, held, err := w.TryLease(ctx, name)
		if err != nil || held {
			return release, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// TryLease is like [Workspace.Lease], but does not wait: it reports whether it has the
// lease. If not, release is nil.
func (w *Workspace) TryLease(ctx context.Context, name string) (release func(), held bool, err error) {
	holder := rand.Text()
	var got string
	err = w.row(ctx, repeating, []any{&got}, `
		INSERT INTO {s}.leases AS l (name, holder, expires) VALUES ($1, $2, clock_timestamp() + $3::interval)
		ON CONFLICT (name) DO UPDATE SET holder = EXCLUDED.holder, expires = EXCLUDED.expires
			WHERE l.expires < clock_timestamp() OR l.holder = EXCLUDED.holder
		RETURNING holder`, name, holder, leaseEnds)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		// It may be ours although the answer was lost.
		w.giveUp(ctx, name, holder)
		return nil, false, err
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		w.renew(context.WithoutCancel(ctx), name, holder, done)
	}()
	return func() {
		close(done)
		<-ended
	}, true, nil
}

// renew renews a lease until done, and then gives it up. It stops if the lease is no
// longer its own.
func (w *Workspace) renew(ctx context.Context, name, holder string, done <-chan struct{}) {
	tick := time.NewTicker(leaseRenewed)
	defer tick.Stop()
	for {
		select {
		case <-done:
			w.giveUp(ctx, name, holder)
			return
		case <-tick.C:
		}
		n, err := w.exec(ctx, repeating, `UPDATE {s}.leases SET expires = clock_timestamp() + $3::interval WHERE name = $1 AND holder = $2`, name, holder, leaseEnds)
		if err == nil && n == 0 {
			<-done
			return
		}
	}
}

func (w *Workspace) giveUp(ctx context.Context, name, holder string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseGivenUp)
	defer cancel()
	_, _ = w.exec(ctx, repeating, `DELETE FROM {s}.leases WHERE name = $1 AND holder = $2`, name, holder)
}
