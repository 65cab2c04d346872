package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/segment"
)

// A Store is what a [Local] keeps an index in: every [citekit.Workspace] that is
// a [citekit.EvidenceOpener] is one.
type Store interface {
	citekit.EvidenceStore
	citekit.EvidenceOpener
	citekit.NoteStore
}

// Options configure a [Local]. The zero value is ready to use.
type Options struct {
	// Name tells several indexes of one store from each other.
	Name string

	// MergeAll makes Put end all merging that is due before it returns. Else
	// that is done in the background, until [Local.Close]; only where many small
	// segments wait for it does Put merge some, in about the time that it took.
	MergeAll bool
}

// A Local is an [Index] in the stores of a workspace. Segments are evidence, so
// they are sealed, checked, and count in the budget of evidence; a note says
// which of them count. Any number of processes may read and write one index.
// What one has written another finds within [Latency].
//
// It is safe for concurrent use.
type Local struct {
	store    Store
	name     string
	mergeAll bool

	background context.Context // of merging
	stop       context.CancelFunc
	running    sync.WaitGroup
	turn       chan struct{} // of the one that does all merging

	mu      sync.Mutex
	merging bool // in the background
	again   bool // more may be due than when that began
	now     *snapshot
	checked time.Time // when the manifest was last looked at
	touched time.Time // when the segments were last marked as used
	closed  bool
}

var _ Index = (*Local)(nil)

// Latency is how long it takes at most until a search of one process finds what
// another has put.
const Latency = 10 * time.Millisecond

// touchEvery is how often segments in use are marked as used, so that they are
// not the first evidence to be evicted.
const touchEvery = time.Minute

// New returns the index in a store. Opts may be nil. The caller closes it.
func New(store Store, opts *Options) *Local {
	if opts == nil {
		opts = new(Options)
	}
	l := &Local{store: store, name: opts.Name, mergeAll: opts.MergeAll, turn: make(chan struct{}, 1)}
	l.background, l.stop = context.WithCancel(context.Background())
	return l
}

// Close ends merging in the background and releases what the Local has open.
// What is stored stays.
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

// acquire returns the index as it is now, or was at most some time ago. The
// caller releases it.
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

// refresh makes the snapshot that of the manifest. Where a segment is lost the
// manifest is looked at again: it may have been merged away meanwhile.
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
			if content, _, err := l.store.OpenEvidence(ctx, h.key); err == nil { // one that is lost is mapped here still
				content.Close()
			}
		}
	}
}

// drop takes a segment that is damaged out of the snapshot, until the manifest
// changes.
func (l *Local) drop(s *snapshot, view int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == s {
		l.replace(s.without(view))
	}
}

// read calls f with the index. If a segment turns out to be damaged, it is left
// out and f is called again.
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
