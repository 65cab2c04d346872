package search

import (
	"context"
	"errors"
	"io/fs"
	"maps"
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
	index citekit.Stamp // of the index, before the check
}

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
	if s.upToDate && stamp != (citekit.Stamp{}) && stamp == s.seen.stamp && indexStamp == s.seen.index && (time.Since(s.seen.at) < sweepEvery || s.isTrusted()) {
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
func (s *Searcher) isTrusted() bool {
	w, ok := s.lib.Workspace().(interface{ NoteLatency() time.Duration })
	return ok && w.NoteLatency() > 0 && len(s.failed) == 0
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

// outdated returns the resources that are missing or outdated in the index.
func (s *Searcher) outdated(ctx context.Context) (todo []staleResource, err error) {
	ids, err := s.lib.Resources(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.noted = make(map[string]bool)
	s.mu.Unlock()
	listed := make(map[string]string, len(ids))
	aside, cannot := make(map[string]string), make(map[string]unreadText)
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
		put, kind := splitVersion(held)
		switch {
		case put == version && kind != "":
			aside[id] = kind
		case s.isUnread(held, version):
			cannot[id] = parseUnread(held)
		case put != version && !s.hasFailed(id, version):
			todo = append(todo, staleResource{id, version})
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keepPartial(aside, cannot)
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
	f.store, f.changed, f.aside = errors.Is(err, citekit.ErrNotStored), isChanged(err), errors.Is(err, errTooMuch)
	f.err = cause(err)
	f.until = time.Now().Add(retryAfter << min(f.times, 7)) // up to an hour
	f.times++
	s.failed[id] = f
}
