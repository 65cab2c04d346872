package search

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/search/index"
)

const (
	// sweepEvery is how long the common stamp of all maps is trusted: writing
	// to a map in place changes only the map's own stamp.
	sweepEvery = 2 * time.Second

	// retryAfter is the delay before a source that could not be read is tried
	// again.
	retryAfter = 30 * time.Second

	// batchTime is the reading time after which a batch is put into the index.
	batchTime = 3 * time.Second
)

// A mapsStamper is a workspace that can show quickly whether its maps may have
// changed.
type mapsStamper interface {
	// MapsStamp returns a stamp that changes when a map is written, added or
	// deleted through a workspace, or the zero Stamp if changes cannot be
	// detected.
	MapsStamp(ctx context.Context) (citekit.Stamp, error)
}

// An indexStamper is an index that can show quickly whether another process may have
// changed it.
type indexStamper interface {
	// Stamp returns a stamp that changes when the index does.
	Stamp(ctx context.Context) (citekit.Stamp, error)
}

// A sweep is a check of all maps against the index.
type sweep struct {
	at    time.Time
	stamp citekit.Stamp // of all maps, before the check
	index citekit.Stamp // of the index, before the check; zero if something was put then
}

// A failure is a version of a resource that could not be read.
type failure struct {
	version string
	times   int
	until   time.Time
	store   bool // the store was at fault, not the source
	changed bool // the source changed or is gone
}

// An updating is a running update; done is closed at its end.
type updating struct {
	done chan struct{}
	err  error
}

// Update brings the index up to date with all maps. Concurrent callers wait for
// the same update. It continues after they give up, until [Searcher.Close].
// Resources whose sources have changed since they were mapped, or cannot be
// read, are removed from the index and tried again later.
func (s *Searcher) Update(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		u, began := s.startUpdating(ctx)
		if u == nil {
			return nil
		}
		select {
		case <-u.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		if began {
			return u.err
		}
		// The update may have checked some maps before their last change.
	}
}

// KeepUp is like [Searcher.Update] if something is indexed, and otherwise does
// nothing. It is for callers that changed maps and do not know whether anybody
// searches them.
func (s *Searcher) KeepUp(ctx context.Context) error {
	stats, err := s.index.Stats(ctx)
	if err != nil || stats.Segments+stats.Lost == 0 {
		return err
	}
	return s.Update(ctx)
}

// startUpdating returns the running update, or starts one. It returns nil if
// nothing changed since the last.
func (s *Searcher) startUpdating(ctx context.Context) (u *updating, began bool) {
	stamp, indexStamp := s.mapsStamp(ctx), s.indexStamp(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.updating != nil {
		return s.updating, false
	}
	if s.background.Err() != nil { // closed
		return nil, false
	}
	if stamp != (citekit.Stamp{}) && stamp == s.seen.stamp && indexStamp == s.seen.index && time.Since(s.seen.at) < sweepEvery {
		return nil, false
	}
	u = &updating{done: make(chan struct{})}
	s.updating = u
	s.running.Go(func() {
		at := time.Now()
		var put bool
		put, u.err = s.update(s.background)
		if put {
			indexStamp = citekit.Stamp{}
		}
		s.mu.Lock()
		s.updating = nil
		if u.err == nil {
			s.seen = sweep{at, stamp, indexStamp}
		}
		s.mu.Unlock()
		close(u.done)
	})
	return u, true
}

func (s *Searcher) mapsStamp(ctx context.Context) citekit.Stamp {
	stamper, ok := s.lib.Workspace().(mapsStamper)
	if !ok {
		return citekit.Stamp{}
	}
	stamp, err := stamper.MapsStamp(ctx)
	if err != nil {
		return citekit.Stamp{}
	}
	return stamp
}

func (s *Searcher) indexStamp(ctx context.Context) citekit.Stamp {
	stamper, ok := s.index.(indexStamper)
	if !ok {
		return citekit.Stamp{}
	}
	stamp, err := stamper.Stamp(ctx)
	if err != nil {
		return citekit.Stamp{}
	}
	return stamp
}

// indexChanged reports whether the index is another than the one that was last found
// up to date. What another process put meanwhile may lack words that the maps have.
func (s *Searcher) indexChanged(ctx context.Context) bool {
	s.mu.Lock()
	checked := s.seen.index
	s.mu.Unlock()
	return checked != (citekit.Stamp{}) && checked != s.indexStamp(ctx)
}

// checkAgain has the next update check all maps, although none seems changed.
func (s *Searcher) checkAgain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = sweep{}
}

// A stale is a resource whose entries do not match its map.
type stale struct{ id, version string }

// update puts what is missing or outdated into the index. It reports whether there
// was any.
func (s *Searcher) update(ctx context.Context) (put bool, err error) {
	todo, err := s.outdated(ctx)
	if err != nil {
		return false, err
	}
	of := len(todo)
	for len(todo) > 0 {
		if todo, err = s.putSome(ctx, todo, of); err != nil {
			return true, err
		}
	}
	if of > 0 {
		s.embedChanges()
	}
	return of > 0, nil
}

// outdated returns the resources that are missing or outdated in the index.
func (s *Searcher) outdated(ctx context.Context) (todo []stale, err error) {
	ids, err := s.lib.Resources(ctx)
	if err != nil {
		return nil, err
	}
	listed := make(map[string]string, len(ids))
	for _, id := range ids {
		version, err := s.version(ctx, id)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		listed[id] = version
		held, err := s.index.Holds(ctx, id)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if held != version && !s.hasFailed(id, version) {
			todo = append(todo, stale{id, version})
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.failed, func(id string, f failure) bool { return listed[id] != f.version })
	return todo, nil
}

// version returns the version of a resource that its entries must have.
func (s *Searcher) version(ctx context.Context, id string) (string, error) {
	stamp, err := s.lib.Workspace().StatMap(ctx, id)
	return stamp.Identity + " " + s.form, err
}

func (s *Searcher) hasFailed(id, version string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.failed[id]
	return ok && f.version == version && time.Now().Before(f.until)
}

func (s *Searcher) setFailed(id, version string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.failed[id]
	if f.version != version {
		f = failure{version: version}
	}
	f.store, f.changed = errors.Is(err, citekit.ErrNotStored), isChanged(err)
	f.until = time.Now().Add(retryAfter << min(f.times, 7)) // up to an hour
	f.times++
	s.failed[id] = f
}

// putSome puts the first of some resources into the index, as many as can be
// read in batchTime, and returns the rest.
func (s *Searcher) putSome(ctx context.Context, todo []stale, of int) (left []stale, err error) {
	b := &batch{s: s, todo: todo, of: of}
	b.ctx, b.abort = context.WithCancel(ctx)
	defer b.close()
	err = s.index.Put(b.ctx, b.resources())
	if b.failed != nil { // failed within a resource, so nothing was put
		s.setFailed(b.failed.id, b.failed.version, b.why)
		return without(todo, *b.failed), s.index.Delete(ctx, b.failed.id)
	}
	if err != nil {
		return nil, err
	}
	if len(b.gone) > 0 {
		err = s.index.Delete(ctx, b.gone...)
	}
	return b.todo, err
}

func without(all []stale, one stale) []stale {
	var left []stale
	for _, r := range all {
		if r != one {
			left = append(left, r)
		}
	}
	return left
}

// A batch is a set of resources that are put into the index together.
type batch struct {
	s      *Searcher
	ctx    context.Context
	abort  context.CancelFunc
	todo   []stale
	of     int
	gone   []string // resources that cannot be read
	failed *stale   // its text could not be read to the end
	why    error    // of failed
	stops  []func() // functions that end reading
}

func (b *batch) close() {
	b.abort()
	for _, stop := range b.stops {
		stop()
	}
}

// heldBytes is how much text of a resource is read before any of it is put, so
// that most resources that cannot be read do not spoil the batch.
const heldBytes = 4 << 20

// resources yields the resources of a batch.
func (b *batch) resources() iter.Seq[index.Resource] {
	return func(yield func(index.Resource) bool) {
		for start := time.Now(); len(b.todo) > 0 && time.Since(start) < batchTime; {
			r := b.todo[0]
			entries, err := b.begin(r)
			if b.ctx.Err() != nil {
				return
			}
			if err != nil {
				b.s.setFailed(r.id, r.version, err)
				b.gone = append(b.gone, r.id)
			} else if !yield(index.Resource{ID: r.id, Version: r.version, Entries: entries}) {
				return
			}
			b.todo = b.todo[1:]
			if b.s.progress != nil {
				b.s.progress(b.of-len(b.todo), b.of)
			}
		}
	}
}

// begin reads the first entries of a resource and returns all its entries.
func (b *batch) begin(r stale) (iter.Seq[index.Entry], error) {
	m, err := b.s.lib.Map(b.ctx, r.id)
	if err != nil {
		return nil, err
	}
	next, stop := iter.Pull2(func(yield func(index.Entry, error) bool) {
		err := makeEntries(b.ctx, b.s.layers, m, func(e index.Entry) bool { return yield(e, nil) })
		if err != nil {
			yield(index.Entry{}, err)
		}
	})
	var first []index.Entry
	for size := 0; size < heldBytes; {
		e, err, ok := next()
		if !ok || err != nil {
			stop()
			return func(yield func(index.Entry) bool) { yieldAll(first, yield) }, err
		}
		first = append(first, e)
		size += len(e.Text)
	}
	b.stops = append(b.stops, stop)
	return func(yield func(index.Entry) bool) {
		defer stop()
		for ok := yieldAll(first, yield); ok; {
			e, err, more := next()
			if err != nil {
				b.failed, b.why = &r, err
				b.abort()
				return
			}
			ok = more && yield(e)
		}
	}, nil
}

func yieldAll(entries []index.Entry, yield func(index.Entry) bool) bool {
	for _, e := range entries {
		if !yield(e) {
			return false
		}
	}
	return true
}
