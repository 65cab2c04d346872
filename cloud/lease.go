package cloud

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/jackc/pgx/v5"
)

// A term says how long leases last.
type term struct {
	renewed time.Duration // how often a holder renews its lease
	ends    time.Duration // how long a lease lasts that is not renewed, by the clock of the database
	lookMax time.Duration // the longest time between two looks of who waits for it
}

var (
	longTerm = term{10 * time.Second, 30 * time.Second, time.Second}

	// To make evidence twice does no harm, so that nobody waits long for a holder that
	// was killed.
	evidenceTerm = term{2 * time.Second, 6 * time.Second, 200 * time.Millisecond}
)

const (
	leaseLookMin = 20 * time.Millisecond
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
	for wait := leaseLookMin; ; wait = min(2*wait, longTerm.lookMax) {
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
	err = w.row(ctx, repeating, []any{&got}, takeLease, name, holder, longTerm.ends)
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
		w.renew(ctx, name, holder, longTerm, done)
	}()
	return func() {
		close(done)
		<-ended
	}, true, nil
}

const takeLease = `
	INSERT INTO {s}.leases AS l (name, holder, expires) VALUES ($1, $2, clock_timestamp() + $3::interval)
	ON CONFLICT (name) DO UPDATE SET holder = EXCLUDED.holder, expires = EXCLUDED.expires
		WHERE l.expires < clock_timestamp() OR l.holder = EXCLUDED.holder
	RETURNING holder`

// LeaseEvidence implements [workspace.EvidenceLeaser]. It takes one trip to the database,
// which does not wait for its disk, if nobody else makes the evidence. Nobody waits for
// a lease to be given up.
func (w *Workspace) LeaseEvidence(ctx context.Context, key string) (stored *citekit.StoredEvidence, release func(), err error) {
	name, holder := "evidence "+key, rand.Text()
	for wait := leaseLookMin; ; wait = min(2*wait, evidenceTerm.lookMax) {
		held, there, err := w.tryEvidence(ctx, name, holder, key)
		if there {
			stored, _ = w.FindEvidence(ctx, key) // if it is damaged, it is made again
		}
		release := func() {}
		if held || err != nil { // it may be ours although the answer was lost
			done := make(chan struct{})
			w.leases.Go(func() { w.renew(ctx, name, holder, evidenceTerm, done) })
			release = sync.OnceFunc(func() { close(done) })
		}
		switch {
		case ctx.Err() != nil:
			release()
			return nil, nil, ctx.Err()
		case stored != nil || err != nil:
			release()
			return stored, func() {}, nil
		case held:
			return nil, release, nil
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// tryEvidence tries to take the lease of evidence, and reports whether it did and, as of
// then, whether the evidence is there.
func (w *Workspace) tryEvidence(ctx context.Context, name, holder, key string) (held, there bool, err error) {
	err = w.try(ctx, repeating, func() error {
		var b pgx.Batch // one transaction
		b.Queue(`SELECT set_config('synchronous_commit', 'off', true)`)
		b.Queue(w.sql(takeLease), name, holder, evidenceTerm.ends).QueryRow(func(row pgx.Row) error {
			err := row.Scan(&holder)
			if held = err == nil; errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			return err
		})
		b.Queue(w.sql(`SELECT EXISTS (SELECT FROM {s}.evidence WHERE key = $1)`), key).QueryRow(func(row pgx.Row) error { return row.Scan(&there) })
		return w.pool.SendBatch(ctx, &b).Close()
	})
	return held, there, err
}

// renew renews a lease until done, and then gives it up. It stops if the lease is no
// longer its own.
func (w *Workspace) renew(ctx context.Context, name, holder string, t term, done <-chan struct{}) {
	ctx = context.WithoutCancel(ctx)
	tick := time.NewTicker(t.renewed)
	defer tick.Stop()
	for {
		select {
		case <-done:
			w.giveUp(ctx, name, holder)
			return
		case <-tick.C:
		}
		n, err := w.exec(ctx, repeating, `UPDATE {s}.leases SET expires = clock_timestamp() + $3::interval WHERE name = $1 AND holder = $2`, name, holder, t.ends)
		if err == nil && n == 0 {
			<-done
			return
		}
	}
}

func (w *Workspace) giveUp(ctx context.Context, name, holder string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseGivenUp)
	defer cancel()
	_, _ = w.exec(ctx, repeating, `
		DELETE FROM {s}.leases USING (SELECT set_config('synchronous_commit', 'off', true)) AS unsynced
		WHERE name = $1 AND holder = $2`, name, holder)
}
