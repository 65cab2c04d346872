package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/search/internal/index/internal/segment"
)

// A Store is the storage of a [Local]. Every [citekit.Workspace] that is a
// [citekit.EvidenceOpener] is a Store.
type Store interface {
	citekit.EvidenceStore
	citekit.EvidenceOpener
	citekit.NoteStore
}

// A sharedStore is a [Store] that is not on this machine.
type sharedStore interface {
	// NoteLatency returns how long a change of a note by another process may stay
	// unseen; zero if looking for one costs nothing.
	NoteLatency() time.Duration
}

// Options configure a [Local]. The zero value is ready to use.
type Options struct {
	// Name distinguishes several indexes in one store.
	Name string

	// Latency is the longest time until a search finds what another process has put.
	// Until then a search reads nothing from the store. Zero means what the store says
	// in NoteLatency, or else 10 ms.
	Latency time.Duration

	// MergeAll makes Put finish all due merging before it returns. Otherwise
	// merging is done in the background, until [Local.Close]; Put merges some
	// segments only if many small ones are waiting, in about the time that the
	// Put itself took.
	MergeAll bool

	// Shards is the number of shards, at most 256, of an index that this one makes; zero
	// means one. An index that is there has the number that its manifest says, until
	// [Local.Reshard].
	Shards int

	neverMerge bool // for tests
}

// A Local is an [Index] in the stores of a workspace. Segments are evidence, so
// they are sealed, checked, and included in the budget of evidence; notes
// list the current ones. Any number of processes may read and write one index.
// A change by one process is visible to the others within [Options.Latency], and once
// its segments are fetched from a store that is not on this machine.
//
// It is safe for concurrent use.
type Local struct {
	store    Store
	name     string
	latency  time.Duration
	shared   bool // the store is not on this machine
	mergeAll bool
	mergeNot bool
	opts     Options                  // as given
	shards   atomic.Pointer[[]*Local] // nil if it is not sharded; else it has no segments itself

	background context.Context // for looks and merging
	stop       context.CancelFunc
	running    sync.WaitGroup
	turn       chan struct{} // held by whoever does all merging

	here, wanted atomic.Int64 // segments that are open, of those of the latest manifest

	follows  sync.Once   // starts follow
	followed atomic.Bool // follow has looked, and nothing failed

	mu       sync.Mutex
	merging  bool // in the background
	again    bool // more merging may be due than when the present run began
	swept    bool // parts of the manifest that are left over were looked for
	now      *snapshot
	look     *look     // that runs, or nil
	checked  time.Time // beginning of the last look that has ended
	adopted  int       // manifests of this process
	doubtful bool      // the parts of the present manifest must be read again
	touched  time.Time // last time the segments were marked as used
	closed   bool
	own      []change // the last changes of this process
	retired  []*Local // former shards
}

// A change is the stamps of the manifest before it and after it.
type change struct{ before, after citekit.Stamp }

// maxOwn is how many changes are remembered.
const maxOwn = 1000

var _ Index = (*Local)(nil)

// Latency is the longest time until a search in one process finds what another
// process has put, in a store on this machine.
const Latency = 10 * time.Millisecond

// How often segments in use are marked as used, so that they are not evicted first.
const (
	touchEvery       = time.Minute
	touchSharedEvery = time.Hour
)

// New returns the index in a store. A nil opts means the defaults. The caller
// must close the index.
func New(store Store, opts *Options) *Local {
	if opts == nil {
		opts = new(Options)
	}
	l := &Local{store: store, name: opts.Name, latency: opts.Latency, mergeAll: opts.MergeAll, mergeNot: opts.neverMerge, opts: *opts, turn: make(chan struct{}, 1)}
	if s, ok := store.(sharedStore); ok {
		l.shared = s.NoteLatency() > 0
		l.latency = cmp.Or(l.latency, s.NoteLatency())
	}
	l.latency = cmp.Or(l.latency, Latency)
	l.background, l.stop = context.WithCancel(context.Background())
	return l
}

// Close ends merging in the background and releases open resources. Stored data
// stays.
func (l *Local) Close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.stop()
	l.running.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now != nil {
		l.now.release()
		l.now = nil
	}
	return errors.Join(each(l.spread(), (*Local).Close), each(l.retired, (*Local).Close))
}

// errClosed reports a use after Close.
var errClosed = fmt.Errorf("search: the index: %w", fs.ErrClosed)

// A tellingStore is a [Store] that tells of changes.
type tellingStore interface {
	// Changed returns a channel that is closed once a note may have changed, by any
	// process, at the latest after about a second.
	Changed() <-chan struct{}
}

const (
	followedFor = 2 * time.Second        // how long a look of follow counts
	followGap   = 100 * time.Millisecond // the least time between two
)

// inBackground calls f in the background, which ends at Close.
func (l *Local) inBackground(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.running.Go(f)
	}
}

// follow looks at the manifest when it may have changed, so that no search waits for a look.
func (l *Local) follow(store tellingStore) {
	for l.background.Err() == nil {
		changed := store.Changed()
		s, err := l.acquire(l.background, 0)
		if l.followed.Store(err == nil); err == nil {
			s.release()
		}
		gap := time.NewTimer(followGap)
		select {
		case <-gap.C:
		case <-l.background.Done():
			gap.Stop()
		}
		select {
		case <-changed:
		case <-l.background.Done():
		}
	}
}

// A look is one reading of the manifest, and of the segments that are new in it. It
// continues when its caller gives up.
type look struct {
	began  time.Time
	enough chan struct{} // closed if a search need not wait for the end
	done   chan struct{} // closed at the end
	err    error
}

// acquire returns the present index, or one that was read at most ago before; if many
// segments must be fetched first, it may be older, unless ago is zero.
// The caller must release it.
func (l *Local) acquire(ctx context.Context, ago time.Duration) (*snapshot, error) {
	for {
		s, shards, err := l.settle(ctx, time.Now().Add(-ago), ago == 0)
		if shards != nil && err == nil {
			if s = l.joinedSince(time.Now().Add(-ago), shards); s == nil {
				s, err = l.join(ctx, shards, ago)
			}
		}
		if s != nil || err != nil {
			return s, err
		}
	}
}

// settle returns the index as a manifest says that was read since a moment, or an older one
// if many segments must be fetched first, unless all are wanted; or, if it is sharded, the
// shards.
func (l *Local) settle(ctx context.Context, since time.Time, all bool) (*snapshot, []*Local, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		l.mu.Lock()
		if l.closed {
			l.mu.Unlock()
			return nil, nil, errClosed
		}
		if shards := l.spread(); !l.checked.Before(since) && (shards != nil || l.now != nil) {
			defer l.mu.Unlock()
			if shards != nil {
				return nil, shards, nil
			}
			return l.holding(), nil, nil
		}
		k := l.look
		if k == nil {
			k = l.startLook()
		}
		l.mu.Unlock()
		enough := k.enough
		if all {
			enough = nil
		}
		select {
		case <-k.done:
			if k.err != nil && l.background.Err() == nil && !k.began.Before(since) {
				return nil, nil, k.err
			}
		case <-enough:
			l.mu.Lock()
			s := l.holding()
			l.mu.Unlock()
			if s != nil {
				return s, nil, nil
			}
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// holding returns the snapshot to search with one more user, or nil. It needs the lock.
func (l *Local) holding() *snapshot {
	if l.now != nil {
		l.now.users.Add(1)
	}
	return l.now
}

// startLook starts a look. It needs the lock.
func (l *Local) startLook() *look {
	k := &look{began: time.Now(), enough: make(chan struct{}), done: make(chan struct{})}
	l.look = k
	l.running.Go(func() {
		k.err = l.refresh(l.background, k)
		l.mu.Lock()
		l.look = nil
		l.mu.Unlock()
		close(k.done)
	})
	return k
}

// refresh loads the snapshot of the current manifest. If a segment is lost, it
// reads the manifest again, because the segment may have been merged
// concurrently.
func (l *Local) refresh(ctx context.Context, k *look) error {
	slow := sync.OnceFunc(func() { close(k.enough) })
	for range maxTries {
		again, err := l.refreshOnce(ctx, slow)
		if err != nil {
			return err
		}
		if !again {
			break
		}
	}
	if l.spread() == nil {
		l.touch()
	}
	return nil
}

const maxTries = 10

// refreshOnce reads the manifest once. It reports whether that should be done again.
func (l *Local) refreshOnce(ctx context.Context, slow func()) (again bool, err error) {
	began := time.Now()
	l.mu.Lock()
	old, adopted, doubtful := l.holding(), l.adopted, l.doubtful
	l.doubtful = false
	l.mu.Unlock()
	known := old
	if old != nil {
		defer old.release()
	}
	if doubtful {
		known = nil
	}
	m, stamp, err := l.readManifest(ctx, known)
	if err != nil {
		return false, err
	}
	if l.setShards(m.shards); m.shards > 0 || known != nil && known.stamp == stamp {
		return !l.install(nil, began, adopted), nil
	}
	if old == nil || !l.shared {
		slow = func() {}
	}
	next, err := l.loadSnapshot(ctx, m, stamp, old, slow)
	if err != nil {
		return false, err
	}
	lost := next.stats.Lost
	return !l.install(next, began, adopted) || lost > 0, nil
}

// install makes a snapshot the one to search; nil stands for the present one. It returns
// false if this process has written a manifest since: the snapshot may be an earlier one.
func (l *Local) install(next *snapshot, began time.Time, adopted int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.adopted != adopted {
		if next != nil {
			next.release()
		}
		return false
	}
	if next != nil {
		l.replace(next)
	}
	l.checked = began
	return true
}

// replace makes a snapshot the one to search. It needs the lock.
func (l *Local) replace(next *snapshot) {
	if l.now != nil {
		l.now.release()
	}
	l.now = next
}

// lookAgain has the next search look at the manifest.
func (l *Local) lookAgain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.checked = time.Time{}
}

// distrust has the next look read all parts of the manifest.
func (l *Local) distrust() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.doubtful, l.checked = true, time.Time{}
}

// Ready waits until all segments are here, so that a search need not fetch them. It then
// returns nil, also later, when others come. Fetching goes on when ctx is done.
func (l *Local) Ready(ctx context.Context) error {
	s, err := l.acquire(ctx, forever)
	if err != nil {
		if ctx.Err() != nil {
			here, wanted := l.here.Load(), l.wanted.Load()
			for _, shard := range l.spread() {
				here, wanted = here+shard.here.Load(), wanted+shard.wanted.Load()
			}
			err = fmt.Errorf("search: %d of %d segments of the index are here: %w", here, wanted, ctx.Err())
		}
		return err
	}
	s.release()
	return nil
}

// forever is longer than any process runs.
const forever = 1 << 62

// touch marks the segments as used, in the background.
func (l *Local) touch() {
	every := touchEvery
	if l.shared {
		every = touchSharedEvery
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.touched) < every || l.now == nil || l.closed {
		return
	}
	l.touched = time.Now()
	keys := slices.Collect(maps.Keys(l.now.open())) // a lost segment may still be mapped here
	l.running.Go(func() {
		for _, key := range keys {
			if l.background.Err() != nil {
				return
			}
			if l.shared {
				_, _ = l.store.FindEvidence(l.background, key)
			} else if content, _, err := l.store.OpenEvidence(l.background, key); err == nil {
				content.Close()
			}
		}
	})
}

// drop removes a damaged segment from the snapshot until the manifest changes.
func (l *Local) drop(s *snapshot, view int) {
	if s.parts != nil {
		l.dropJoined(s, view)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == s {
		l.replace(s.without(view))
	}
}

// read calls f with the index. If a segment turns out to be damaged, read
// leaves it out and calls f again.
func (l *Local) read(ctx context.Context, f func(*snapshot) error) error {
	ago := l.latency
	if l.followed.Load() {
		ago = max(ago, followedFor)
	}
	for {
		s, err := l.acquire(ctx, ago)
		if err != nil {
			return err
		}
		err = f(s)
		if damage, ok := errors.AsType[*segment.DamageError](err); ok && len(s.views) > 0 {
			l.drop(s, damage.View)
			s.release()
			continue
		}
		s.release()
		return err
	}
}

// Stamp returns a stamp that changes when any process changes the index. The index
// without entries may have the zero Stamp.
func (l *Local) Stamp(ctx context.Context) (stamp citekit.Stamp, err error) {
	err = l.read(ctx, func(s *snapshot) error {
		stamp = s.stamp
		return nil
	})
	return stamp, err
}

// ChangedByOthers reports whether another process, or another Local, has changed the
// index since it had a stamp. It may also do so after a thousand changes of l.
func (l *Local) ChangedByOthers(ctx context.Context, since citekit.Stamp) (bool, error) {
	now, err := l.Stamp(ctx)
	if err != nil {
		return false, err
	}
	if shards := l.spread(); shards != nil {
		for i, stamp := range splitStamp(since, len(shards)) {
			if changed, err := shards[i].ChangedByOthers(ctx, stamp); changed || err != nil {
				return changed, err
			}
		}
		return false, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range slices.Backward(l.own) {
		if c.after == now && now != since {
			now = c.before
		}
	}
	return now != since, nil
}

// Holds implements [Index].
func (l *Local) Holds(ctx context.Context, id string) (version string, err error) {
	err = l.read(ctx, func(s *snapshot) error {
		var ok bool
		if version, ok = s.having(id).version(id); !ok {
			return fmt.Errorf("search: resource %q: %w", id, fs.ErrNotExist)
		}
		return nil
	})
	return version, err
}

// Stats implements [Index].
func (l *Local) Stats(ctx context.Context) (stats Stats, err error) {
	err = l.read(ctx, func(s *snapshot) error {
		stats = s.stats
		return nil
	})
	return stats, err
}
