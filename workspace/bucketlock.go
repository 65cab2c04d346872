package workspace

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/workspace/driver"
)

const (
	leaseKey = "lease-ingest"

	leaseRenewed = 10 * time.Second // how often a holder renews its lease
	leaseEnds    = 30 * time.Second // how long a lease must stay as it is for others to take it over
	leaseLookMin = 20 * time.Millisecond
	leaseLookMax = time.Second

	leaseGivenUp = 10 * time.Second // how long giving up a lease may take: others get it all the same
)

// LockIngest implements [Finder] with an object that its holder renews. No
// clocks are compared: who waits takes over an object that it has seen unchanged
// for half a minute, as its holder was killed. A holder that was only held up for
// so long goes on beside the other; maps and notes are then still safe, as each is
// written only if nobody else has written it.
func (b *Bucket) LockIngest(ctx context.Context) (release func(), err error) {
	if err := concurrent.Acquire(ctx, b.ingesting); err != nil {
		return nil, err
	}
	at, err := b.acquireLease(ctx)
	if err != nil {
		<-b.ingesting
		return nil, err
	}
	done, renewed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(renewed)
		b.renewLease(context.WithoutCancel(ctx), done, at)
	}()
	return func() {
		close(done)
		<-renewed
		<-b.ingesting
	}, nil
}

func (b *Bucket) writeLease(ctx context.Context, opts driver.WriteOptions) (driver.Attributes, error) {
	return b.putIf(ctx, leaseKey, []byte(rand.Text()), opts)
}

func (b *Bucket) acquireLease(ctx context.Context) (driver.Attributes, error) {
	var seen driver.Attributes // of the lease of another, as it was when it was first seen
	var since time.Time
	for wait := leaseLookMin; ; wait = min(2*wait, leaseLookMax) {
		opts := driver.WriteOptions{IfAbsent: true}
		if seen.ETag != "" && time.Since(since) >= leaseEnds {
			opts = driver.WriteOptions{IfMatch: seen.ETag}
		}
		at, err := b.writeLease(ctx, opts)
		if err == nil || !b.refused(err) {
			if err != nil {
				err = b.fault(ctx, "lock of ingest", err)
			}
			return at, err
		}
		now, err := b.driver.Attributes(ctx, leaseKey)
		switch {
		case err != nil && !b.refused(err):
			return at, b.fault(ctx, "lock of ingest", err)
		case err != nil:
			seen = driver.Attributes{} // it was released
		case now.ETag != seen.ETag:
			seen, since = now, time.Now()
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return at, ctx.Err()
		}
	}
}

// renewLease renews a lease until done, and then gives it up. It stops if the lease
// is no longer its own.
func (b *Bucket) renewLease(ctx context.Context, done <-chan struct{}, at driver.Attributes) {
	tick := time.NewTicker(leaseRenewed)
	defer tick.Stop()
	for {
		select {
		case <-done:
			ctx, cancel := context.WithTimeout(ctx, leaseGivenUp)
			defer cancel()
			_ = b.driver.Delete(ctx, leaseKey, at.ETag)
			return
		case <-tick.C:
		}
		now, err := b.writeLease(ctx, driver.WriteOptions{IfMatch: at.ETag})
		switch {
		case err == nil:
			at = now
		case b.refused(err):
			<-done
			return
		}
	}
}
