package search

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/citekit/citekit"
)

const (
	// sweepEvery is how long the common stamp of all maps is trusted: writing
	// to a map in place changes only the map's own stamp.
	sweepEvery = 2 * time.Second

	// retryAfter is the delay before a source that could not be read is tried
	// again.
	retryAfter = 30 * time.Second

	// wholeEvery is how often all maps are checked, and not only those that changed,
	// while the index changes: what others put may be of an earlier version, and
	// something may be lost.
	wholeEvery = time.Minute

	// batchTime is the reading time after which a batch is put into the index.
	batchTime = 3 * time.Second

	// settleTime is how long a batch waits for resources that are being read when
	// there are no others to begin.
	settleTime = 100 * time.Millisecond
)

// A mapsStamper is a workspace that can show quickly whether its maps may have
// changed.
type mapsStamper interface {
	// MapsStamp returns a stamp that changes when a map is written, added or
	// deleted through a workspace, or the zero Stamp if changes cannot be
	// detected.
	MapsStamp(ctx context.Context) (citekit.Stamp, error)
}

// A mapsChanger is a workspace that can tell which maps have changed.
type mapsChanger interface {
	// ChangedMaps returns the stamps of the maps that were written since a cursor, the
	// zero Stamp of those that were deleted, and the next cursor. "" is the cursor
	// before all that is there. A map may be returned that has not changed.
	ChangedMaps(ctx context.Context, since string) (changed map[string]citekit.Stamp, next string, err error)
}

// An indexStamper is an index that can show quickly whether another process may have
// changed it.
type indexStamper interface {
	// Stamp returns a stamp that changes when the index does.
	Stamp(ctx context.Context) (citekit.Stamp, error)
}

// A sweep is a check of maps against the index: of all, or of those that have changed
// since the one before.
type sweep struct {
	at    time.Time
	stamp citekit.Stamp // of all maps, before the check
	index citekit.Stamp // of the index, before the check

	cursor string        // of a mapsChanger, before the check; "" if there is none
	whole  time.Time     // of the last check of all
	since  citekit.Stamp // of the index, before that
	unsure bool          // the index has changed since
}

// isDue reports whether all maps are to be checked again, although none has changed.
func (w *sweep) isDue() bool { return w.unsure && time.Since(w.whole) >= wholeEvery }

// A failure is a version of a resource that could not be read.
type failure struct {
	version string
	times   int
	until   time.Time
	store   bool // the store was at fault, not the source
	changed bool // the source changed or is gone
	aside   bool // it is too much for an index
	err     error
}

// An updateRun is a running update; done is closed at its end.
type updateRun struct {
	done  chan struct{}
	err   error
	again chan struct{} // asks for a look at maps that are new since it began
}

// Update brings the index up to date with all maps. Concurrent callers wait for
// the same update. It continues after they give up, until [Searcher.Close], which
// puts what has been read. A resource that takes long delays no other: each is put
// once it is read, and one whose text is long is put by itself.
// Resources whose sources have changed since they were mapped, or cannot be
// read, are removed from the index and tried again later.
func (s *Searcher) Update(ctx context.Context) error {
	if s.err != nil {
		return s.err
	}
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

// startUpdating returns the running update, or starts one. It returns nil if
// nothing changed since the last.
func (s *Searcher) startUpdating(ctx context.Context) (u *updateRun, began bool) {
	stamp, indexStamp := s.mapsStamp(ctx), s.indexStamp(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.updating; u != nil {
		select {
		case u.again <- struct{}{}:
		default: // somebody asked already
		}
		return u, false
	}
	if s.background.Err() != nil { // closed
		return nil, false
	}
	if s.upToDate && stamp != (citekit.Stamp{}) && stamp == s.seen.stamp && indexStamp == s.seen.index && !s.seen.isDue() && (time.Since(s.seen.at) < sweepEvery || s.isTrusted()) {
		return nil, false
	}
	u = &updateRun{done: make(chan struct{}), again: make(chan struct{}, 1)}
	s.updating = u
	s.running.Go(func() {
		u.err = s.update(u)
		s.mu.Lock()
		s.updating = nil
		s.mu.Unlock()
		close(u.done)
	})
	return u, true
}

// isTrusted reports whether the common stamp of all maps is trusted however old it is: the
// workspace is not on this machine, so that maps are only written through a workspace, and
// no resource is to be tried again. It needs the lock.
func (s *Searcher) isTrusted() bool { return s.isRemote() && len(s.failed) == 0 }

// isRemote reports whether the workspace is not on this machine.
func (s *Searcher) isRemote() bool {
	w, ok := s.lib.Workspace().(interface{ NoteLatency() time.Duration })
	return ok && w.NoteLatency() > 0
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

// A changeTracker is an index that can tell its own changes from those of others.
type changeTracker interface {
	// ChangedByOthers reports whether somebody else has changed the index since it
	// had a stamp.
	ChangedByOthers(ctx context.Context, since citekit.Stamp) (bool, error)
}

// indexChanged reports whether another process has changed the index since it was last
// found up to date. What it put may lack words that the maps have.
func (s *Searcher) indexChanged(ctx context.Context) bool {
	s.mu.Lock()
	checked, known := s.seen.index, s.upToDate
	s.mu.Unlock()
	h, ok := s.index.(changeTracker)
	if !known || !ok {
		return false
	}
	changed, err := h.ChangedByOthers(ctx, checked)
	return err == nil && changed
}

// checkAgain has the next update check all maps, although none seems changed.
func (s *Searcher) checkAgain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.upToDate = false
}

// A staleResource is a resource whose entries do not match its map.
type staleResource struct{ id, version string }

// A look is what is compared with the index.
type look struct {
	ids    []string                 // of maps, in order
	stamps map[string]citekit.Stamp // of the maps; nil if they are to be asked for
	whole  bool                     // these are all
}

// lookAt returns the maps to compare: all, or those that have changed since a sweep, with
// those that could not be read. It completes the new sweep.
func (s *Searcher) lookAt(ctx context.Context, now *sweep, before sweep) (l look, err error) {
	changer, ok := s.lib.Workspace().(mapsChanger)
	if !ok {
		ids, err := s.lib.Resources(ctx)
		return look{ids: ids, whole: true}, err
	}
	now.whole, now.since = before.whole, before.since
	now.unsure = now.index != before.since
	if l.whole = before.cursor == "" || now.isDue(); l.whole {
		before.cursor, now.whole, now.since, now.unsure = "", now.at, now.index, false
	}
	if l.stamps, now.cursor, err = changer.ChangedMaps(ctx, before.cursor); err != nil {
		return l, err
	}
	l.ids = slices.Collect(maps.Keys(l.stamps))
	s.mu.Lock()
	for id := range s.failed {
		if _, ok := l.stamps[id]; !ok {
			l.ids = append(l.ids, id)
		}
	}
	s.mu.Unlock()
	slices.Sort(l.ids)
	return l, nil
}

// version returns the version that the entries of a resource must have, or "" if it has
// no map.
func (l *look) version(ctx context.Context, s *Searcher, id string) (string, error) {
	stamp, ok := l.stamps[id]
	if !ok {
		version, err := s.version(ctx, id)
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		return version, err
	}
	if stamp == (citekit.Stamp{}) {
		return "", nil
	}
	return s.versionOf(stamp), nil
}

// outdated returns the resources that are missing or outdated in the index, of those
// that may be so since a sweep. It completes the new sweep.
func (s *Searcher) outdated(ctx context.Context, now *sweep, before sweep) (todo []staleResource, err error) {
	s.mu.Lock()
	s.noted = make(map[string]bool)
	s.mu.Unlock()
	l, err := s.lookAt(ctx, now, before)
	if err != nil {
		return nil, err
	}
	listed := make(map[string]string, len(l.ids))
	aside, cannot := make(map[string]string), make(map[string]unreadText)
	looks := alwaysChecked
	for _, id := range l.ids {
		version, err := l.version(ctx, s, id)
		if err != nil {
			return nil, err
		}
		if listed[id] = version; version == "" {
			continue
		}
		held, err := s.index.Holds(ctx, id)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		put, kind := splitVersion(held)
		switch {
		case put == version && kind != "":
			aside[id] = kind
		case s.isUnread(held, version):
			cannot[id] = parseUnread(held)
		case put != version && (!s.hasFailed(id, version) || s.isBack(ctx, id, &looks)):
			todo = append(todo, staleResource{id, version})
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !l.whole {
		keepOthers(aside, s.aside, listed)
		keepOthers(cannot, s.unread, listed)
	}
	s.keepPartial(aside, cannot)
	maps.DeleteFunc(s.failed, func(id string, f failure) bool {
		version, ok := listed[id]
		return (ok || l.whole) && version != f.version
	})
	return todo, nil
}

// keepOthers adds what was known of resources that were not looked at.
func keepOthers[V any](now, before map[string]V, looked map[string]string) {
	for id, v := range before {
		if _, ok := looked[id]; !ok {
			now[id] = v
		}
	}
}

// version returns the version of a resource that its entries must have.
func (s *Searcher) version(ctx context.Context, id string) (string, error) {
	stamp, err := s.lib.Workspace().StatMap(ctx, id)
	return s.versionOf(stamp), err
}

func (s *Searcher) versionOf(stamp citekit.Stamp) string { return stamp.Identity + " " + s.form }

func (s *Searcher) hasFailed(id, version string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.failed[id]
	return ok && f.version == version && time.Now().Before(f.until)
}

// isBack reports whether the source of a resource, which had changed or was gone, is again
// the one that was mapped. It looks at so many sources in all.
func (s *Searcher) isBack(ctx context.Context, id string, looks *int) bool {
	s.mu.Lock()
	changed := s.failed[id].changed
	s.mu.Unlock()
	if !changed || *looks == 0 {
		return false
	}
	*looks--
	is, err := s.hasChanged(ctx, id)
	return !is && err == nil
}

func (s *Searcher) setFailed(id, version string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.failed[id]
	if f.version != version {
		f = failure{version: version}
	}
	f.store, f.changed, f.aside = errors.Is(err, citekit.ErrNotStored), isChanged(err), errors.Is(err, errTooMuch)
	f.err = cause(err)
	f.until = time.Now().Add(retryAfter << min(f.times, 7)) // up to an hour
	f.times++
	s.failed[id] = f
}
