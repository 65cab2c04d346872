package cloud

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
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

// holdings are the leases of evidence that this process has, by the key of the evidence:
// what is closed at their end.
type holdings struct {
	mu   sync.Mutex
	ends map[string]chan struct{}
}

// of returns what is closed at the end of a lease; nil if there is none.
func (h *holdings) of(key string) <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ends[key]
}

// add adds a lease until end.
func (h *holdings) add(key string) (done <-chan struct{}, end func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ends == nil {
		h.ends = make(map[string]chan struct{})
	}
	ended := make(chan struct{})
	h.ends[key] = ended
	return ended, sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.ends[key] == ended {
			delete(h.ends, key)
		}
		close(ended)
	})
}

// LeaseEvidence implements [workspace.EvidenceLeaser]. It takes one trip to the database,
// which does not wait for its disk, and one to the bucket if the evidence is there. Nobody
// waits for a lease to be given up.
func (w *Workspace) LeaseEvidence(ctx context.Context, key string) (stored *citekit.StoredEvidence, release func(), err error) {
	f, release, err := w.findOrLease(ctx, key)
	w.count(err)
	switch {
	case err == nil:
		return f.stored(), release, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, release, nil
	}
	return nil, release, err
}

// findOrLease finds evidence. If it is missing, there is a lease until release, or none can
// be had.
func (w *Workspace) findOrLease(ctx context.Context, key string) (f found, release func(), err error) {
	none := func() {}
	if _, was := w.recent.Peek(key); was || w.readOnly {
		if f, err = w.find(ctx, key); w.readOnly || !errors.Is(err, fs.ErrNotExist) {
			return f, none, err
		}
	}
	name, holder, damaged := "evidence "+key, rand.Text(), false
	giveUp := func() { w.leases.Go(func() { w.giveUp(ctx, name, holder) }) }
	for wait := leaseLookMin; ; wait = min(2*wait, evidenceTerm.lookMax) {
		end := w.held.of(key)
		if end == nil {
			held, there, damage, err := w.tryEvidence(ctx, name, holder, key, damaged, &f)
			if err != nil { // the lease may be ours although the answer was lost
				giveUp()
				f, err = w.find(ctx, key)
				return f, none, err
			}
			if err = cmp.Or(damage, missing("evidence")); there && damage == nil {
				err = w.checkObject(ctx, key, f)
			}
			switch isMissing := errors.Is(err, fs.ErrNotExist); {
			case isMissing && held:
				done, release := w.held.add(key)
				w.leases.Go(func() { w.renew(ctx, name, holder, evidenceTerm, done) })
				return f, release, err
			case held:
				giveUp()
				return f, none, err
			case !isMissing:
				return f, none, err
			case there && !damaged:
				damaged = true
				continue
			}
		}
		select {
		case <-end:
		case <-time.After(wait):
		case <-ctx.Done():
			return f, none, ctx.Err()
		}
	}
}

// takeEvidence takes the lease of evidence that is not there, or $5 says that it is
// damaged.
const takeEvidence = `
	WITH unsynced AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
	INSERT INTO {s}.leases AS l (name, holder, expires) SELECT $1, $2, clock_timestamp() + $3::interval FROM unsynced
		WHERE $5::bool OR NOT EXISTS (SELECT FROM {s}.evidence WHERE key = $4)
	ON CONFLICT (name) DO UPDATE SET holder = EXCLUDED.holder, expires = EXCLUDED.expires
		WHERE l.expires < clock_timestamp() OR l.holder = EXCLUDED.holder
	RETURNING holder`

// tryEvidence tries to take the lease of evidence that is missing or damaged, and reports
// whether it did. As of then, the evidence is there, and in what damage its row is.
func (w *Workspace) tryEvidence(ctx context.Context, name, holder, key string, damaged bool, f *found) (held, there bool, damage, err error) {
	var meta []byte
	err = w.try(ctx, repeating, func() error {
		scan := func(ok *bool, into ...any) func(pgx.Row) error {
			return func(row pgx.Row) error {
				err := row.Scan(into...)
				if *ok = err == nil; errors.Is(err, pgx.ErrNoRows) {
					return nil
				}
				return err
			}
		}
		var b pgx.Batch // one transaction
		*f = found{}
		b.Queue(w.sql(takeEvidence), name, holder, evidenceTerm.ends, key, damaged).QueryRow(scan(&held, &holder))
		b.Queue(w.sql(findEvidence), key, markEvery).QueryRow(scan(&there, f.columns(&meta)...))
		return w.pool.SendBatch(ctx, &b).Close()
	})
	if err == nil && there {
		damage = f.check(meta)
	}
	return held, there, damage, err
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
