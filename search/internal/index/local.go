package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
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

// Options configure a [Local]. The zero value is ready to use.
type Options struct {
	// Name distinguishes several indexes in one store.
	Name string

	// MergeAll makes Put finish all due merging before it returns. Otherwise
	// merging is done in the background, until [Local.Close]; Put merges some
	// segments only if many small ones are waiting, in about the time that the
	// Put itself took.
	MergeAll bool
}

// A Local is an [Index] in the stores of a workspace. Segments are evidence, so
// they are sealed, checked, and included in the budget of evidence; a note
// lists the current ones. Any number of processes may read and write one index.
// A change by one process is visible to the others within [Latency].
//
// It is safe for concurrent use.
type Local struct {
	store    Store
	name     string
	mergeAll bool

	background context.Context // for merging
	stop       context.CancelFunc
	running    sync.WaitGroup
	turn       chan struct{} // held by whoever does all merging

	mu      sync.Mutex
	merging bool // in the background
	again   bool // more merging may be due than when the present run began
	now     *snapshot
	checked time.Time // last check of the manifest
	touched time.Time // last time the segments were marked as used
	closed  bool
	own     []change // the last changes of this process
}

// A change is the stamps of the manifest before it and after it.
type change struct{ before, after citekit.Stamp }

// maxOwn is how many changes are remembered.
const maxOwn = 1000

var _ Index = (*Local)(nil)

// Latency is the longest time until a search in one process finds what another
// process has put.
const Latency = 10 * time.Millisecond

// touchEvery is how often segments in use are marked as used, so that they are
// not evicted first.
const touchEvery = time.Minute

// New returns the index in a store. A nil opts means the defaults. The caller
// must close the index.
func New(store Store, opts *Options) *Local {
	if opts == nil {
		opts = new(Options)
	}
	l := &Local{store: store, name: opts.Name, mergeAll: opts.MergeAll, turn: make(chan struct{}, 1)}
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
	return nil
}

// acquire returns the present index, or one that was read at most ago before.
// The caller must release it.
func (l *Local) acquire(ctx context.Context, ago time.Duration) (*snapshot, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, fmt.Errorf("search: the index: %w", fs.ErrClosed)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if l.now == nil || ago == 0 || time.Since(l.checked) > ago {
		if err := l.refresh(ctx); err != nil {
			return nil, err
		}
	}
	l.now.users.Add(1)
	return l.now, nil
}

// refresh loads the snapshot of the current manifest. If a segment is lost, it
// reads the manifest again, because the segment may have been merged
// concurrently.
func (l *Local) refresh(ctx context.Context) error {
	for range maxTries {
		began := time.Now()
		m, stamp, err := l.readManifest(ctx)
		if err != nil {
			return err
		}
		if l.now != nil && l.now.stamp == stamp {
			l.checked = began
			break
		}
		next, err := l.loadSnapshot(ctx, m, stamp, l.now)
		if err != nil {
			return err
		}
		l.replace(next)
		l.checked = began
		if next.stats.Lost == 0 {
			break
		}
	}
	l.touch(ctx)
	return nil
}

const maxTries = 10

func (l *Local) replace(next *snapshot) {
	if l.now != nil {
		l.now.release()
	}
	l.now = next
}

// touch marks the segments as used.
func (l *Local) touch(ctx context.Context) {
	if time.Since(l.touched) < touchEvery {
		return
	}
	l.touched = time.Now()
	for _, h := range l.now.segments {
		if h != nil {
			if content, _, err := l.store.OpenEvidence(ctx, h.key); err == nil { // a lost segment is still mapped here
				content.Close()
			}
		}
	}
}

// drop removes a damaged segment from the snapshot until the manifest changes.
func (l *Local) drop(s *snapshot, view int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == s {
		l.replace(s.without(view))
	}
}

// read calls f with the index. If a segment turns out to be damaged, read
// leaves it out and calls f again.
func (l *Local) read(ctx context.Context, f func(*snapshot) error) error {
	for {
		s, err := l.acquire(ctx, Latency)
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
		if version, ok = s.version(id); !ok {
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
