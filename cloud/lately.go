package cloud

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/ctxio"
)

const (
	maxKnown  = 1 << 17         // maps whose versions are in memory
	maxOpened = 64 << 20        // bytes of evidence in memory that is in rows
	knownFor  = 2 * noticePoll  // how long changes count as known that were asked for
	followFor = 2 * time.Minute // after a search, changes are followed so long
	followGap = noticeGap * 2   // the least time between two questions for changes
)

// Lately returns a context in which what this process knows of maps, sources and evidence
// counts as it was a moment ago, without a request: that of maps as it was at most about a
// second ago, or two if notices get lost; that of a source as it was when this process last
// looked, at most a minute ago, and it looks again afterwards if that was more than five
// seconds ago; and evidence, which is made from these, for an hour. What this process
// itself has written counts at once. What is not known is asked for as ever.
func (w *Workspace) Lately(ctx context.Context) context.Context {
	k := &w.feed.known
	k.wanted.Store(time.Now().UnixNano())
	k.following.Do(func() { w.notices.running.Go(w.follow) })
	if !k.isNew() {
		if _, err := w.MapsStamp(ctx); err != nil {
			return ctx
		}
	}
	return ctxio.Lately(ctx)
}

// follow asks for changes of maps when there may be some, while searches are made.
func (w *Workspace) follow() {
	ctx := w.notices.ctx
	for ctx.Err() == nil {
		changed := w.notices.next()
		if time.Since(time.Unix(0, w.feed.known.wanted.Load())) < followFor {
			_, _ = w.MapsStamp(ctx)
		}
		for _, wait := range []<-chan struct{}{after(followGap), changed} {
			select {
			case <-ctx.Done():
			case <-wait:
			}
		}
	}
}

func after(d time.Duration) <-chan struct{} {
	done := make(chan struct{})
	time.AfterFunc(d, func() { close(done) })
	return done
}

// A feedState is what was known of maps when their changes were last asked for.
type feedState struct {
	stamp   citekit.Stamp
	began   time.Time
	written int64 // changes by this process before
}

// knownMaps are the versions of maps, as far as this process knows them.
type knownMaps struct {
	following sync.Once    // starts follow
	wanted    atomic.Int64 // when a call last wanted to know, in Unix nanoseconds
	written   atomic.Int64 // changes by this process
	state     atomic.Pointer[feedState]

	mu       sync.Mutex
	epoch    int64                   // what was asked before the last change is not kept
	versions concurrent.Cache[int64] // by id; zero is unknown
}

// isNew reports whether what is known is as it was a moment ago.
func (k *knownMaps) isNew() bool {
	s := k.state.Load()
	return s != nil && s.written == k.written.Load() && time.Since(s.began) < knownFor
}

// lately returns the stamp of all maps as it was a moment ago, in a context of
// [Workspace.Lately].
func (k *knownMaps) lately(ctx context.Context) (stamp citekit.Stamp, ok bool) {
	if !ctxio.IsLately(ctx) || !k.isNew() {
		return stamp, false
	}
	return k.state.Load().stamp, true
}

// version returns the version of a map, zero if it is not known, and the epoch for add.
func (k *knownMaps) version(id string) (version, epoch int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	version, _ = k.versions.Peek(id)
	return version, k.epoch
}

// add adds a version that was asked for after an epoch was read. Before the first look at
// changes, and after a change since, it is not kept.
func (k *knownMaps) add(id string, version, epoch int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.state.Load() != nil && epoch == k.epoch {
		k.versions.Put(id, version)
	}
}

// update takes the maps that may have changed.
func (k *knownMaps) update(changed []changeRow, s feedState) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range changed {
		if version, ok := k.versions.Peek(string(r.ID)); ok && version != r.Version {
			k.versions.Put(string(r.ID), 0)
		}
	}
	if was := k.state.Load(); was == nil || was.stamp != s.stamp {
		k.epoch++
	}
	k.state.Store(&s)
}

// forget notes that this process has changed a map.
func (k *knownMaps) forget(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.epoch++
	k.written.Add(1)
	k.versions.Put(id, 0)
}

const (
	openedFor   = time.Hour // the bytes of evidence stay for a day after its row has gone
	openedTouch = markEvery // how often it is marked as used
)

// openedEvidence is evidence that was opened; the zero value is none.
type openedEvidence struct {
	found
	at, touched time.Time
}

func (e openedEvidence) cost() int64 { return int64(1<<10 + len(e.inline)) }

// foundLately returns evidence that was opened a while ago, in a context of
// [Workspace.Lately].
func (w *Workspace) foundLately(ctx context.Context, key string) (found, bool) {
	e, ok := w.opened.Peek(key)
	if !ok || !ctxio.IsLately(ctx) || time.Since(e.at) > openedFor {
		return found{}, false
	}
	if time.Since(e.touched) > openedTouch {
		e.touched = time.Now()
		w.opened.PutAt(key, e, e.cost())
		w.notices.running.Go(func() { _, _ = w.findRow(w.notices.ctx, key) })
	}
	return e.found, true
}

// noteFound notes what was opened in a context of [Workspace.Lately].
func (w *Workspace) noteFound(ctx context.Context, key string, f found) {
	if ctxio.IsLately(ctx) {
		now := time.Now()
		e := openedEvidence{f, now, now}
		w.opened.PutAt(key, e, e.cost())
	}
}
