package search

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/message"
)

const (
	// alwaysChecked is the number of resources up to which each search checks whether
	// their sources changed. That takes about 0.1 ms for each.
	alwaysChecked = 100

	// maxHashed is how many bytes of sources one check hashes. Only sources are
	// hashed that have the size that was mapped, but were written since.
	maxHashed = 512 << 20

	// A check of more than checkedAnew sources counts for checkAge for each of them,
	// so that searches one after the other do not wait for one each.
	checkedAnew = 5000
	checkAge    = time.Millisecond
)

// leftOut are the resources that are left out, by id: true if the source changed or
// is gone, false if it cannot be read.
type leftOut map[string]bool

// add adds a resource. One that changed stays so.
func (a leftOut) add(id string, changed bool) { a[id] = a[id] || changed }

// changes are what a look at sources found, by the ids of resources.
type changes struct {
	changed   []string // their sources changed or are gone
	unchecked []string // their sources may have changed; maxHashed left no room for them
}

// why says what is not known after a look that may have ended with an error; "" if
// all is known.
func (c changes) why(err error) string {
	switch {
	case err != nil:
		return "there was no time to see whether all sources are as they were mapped; ask again"
	case len(c.unchecked) > 0:
		return message.Count(len(c.unchecked), "source") + " written since they were mapped may have changed, and are too large to see that in a search" +
			listed(len(c.unchecked), c.unchecked[:min(len(c.unchecked), MaxLeftOut)]) + "; an ingest sees it"
	}
	return ""
}

// A check is a look at all sources. The fields below done are set when it is closed.
type check struct {
	began time.Time
	done  chan struct{}

	sources int
	found   changes
	err     error
}

// counts reports whether a check that has ended counts for a search that began at
// start.
func (c *check) counts(start time.Time) bool {
	if !c.began.Before(start) {
		return true
	}
	return c.err == nil && c.sources > checkedAnew && time.Since(c.began) < time.Duration(c.sources)*checkAge
}

// isChanged reports whether an error says that a source changed or is gone.
func isChanged(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, citekit.ErrStale)
}

// unsearched returns the resources that the filters name and that are left out. That
// includes resources that could not be read when the index was brought up to date,
// and, if there are few or all is set, those whose sources changed since. It also says
// what is not known of these; "" if all is known. Those of which an ingest has told that
// they cannot be read count only if they are named, or if none is set as nothing is found.
func (f *searchCall) unsearched(ctx context.Context, all, none bool) (leftOut, string) {
	out := make(leftOut)
	for id, changed := range f.leftOut {
		out.add(id, changed)
	}
	f.mu.Lock()
	for id, failed := range f.failed {
		if !failed.store && !failed.aside {
			out.add(id, failed.changed)
		}
	}
	for id := range f.unread {
		if !f.told[id] || none || slices.Contains(f.req.Filters.Resources, id) {
			out.add(id, false)
		}
	}
	f.mu.Unlock()
	found, err := f.changedSources(ctx, f.req.Filters.Resources, all)
	for _, id := range found.changed {
		out.add(id, true)
	}
	for id := range out {
		if named := f.req.Filters.Resources; len(named) > 0 && !slices.Contains(named, id) || slices.Contains(f.req.Filters.Without, id) || f.isRemoved(ctx, id) {
			delete(out, id)
		}
	}
	return out, found.why(err)
}

// isRemoved reports whether a resource has no map any more: the index may know it
// until the next update.
func (s *Searcher) isRemoved(ctx context.Context, id string) bool {
	_, err := s.lib.Workspace().StatMap(ctx, id)
	return errors.Is(err, fs.ErrNotExist)
}

// changedSources returns the resources whose sources changed since they were mapped,
// or are gone: of those that are named, or of all resources. If they are more than
// alwaysChecked, it looks only if all is set and the workspace is on this machine, as
// elsewhere each is a request. The error is that of a context, after
// half of the time that is left; a look at all sources goes on then.
func (s *Searcher) changedSources(ctx context.Context, named []string, all bool) (changes, error) {
	if deadline, limited := ctx.Deadline(); limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	if len(named) > 0 && len(named) <= alwaysChecked {
		return s.lookAtSources(ctx, named)
	}
	if !all || s.isRemote() {
		if s.hasMany(ctx) {
			return changes{}, ctx.Err()
		}
	}
	for start := time.Now(); ; {
		c := s.startCheck(start)
		select {
		case <-c.done:
		case <-ctx.Done():
			return changes{}, ctx.Err()
		}
		if c.counts(start) {
			return c.found, c.err
		}
	}
}

// hasMany reports whether there are more than alwaysChecked resources, or that is not
// known. The index, which is on this machine, knows of most.
func (s *Searcher) hasMany(ctx context.Context) bool {
	if stats, err := s.index.Stats(ctx); err == nil && s.isRemote() && stats.Resources > alwaysChecked {
		return true
	}
	some, err := s.first(ctx)
	return err != nil || len(some) > alwaysChecked
}

// first returns the first resources, one more than alwaysChecked if there are so many. A
// workspace far away is asked again once its maps have changed.
func (s *Searcher) first(ctx context.Context) ([]string, error) {
	stamp := citekit.Stamp{}
	if s.isRemote() {
		stamp = s.mapsStamp(ctx)
	}
	s.mu.Lock()
	ids, known := s.few, stamp != citekit.Stamp{} && stamp == s.fewAt
	s.mu.Unlock()
	if known {
		return ids, nil
	}
	ids, err := s.lib.ResourcesAfter(ctx, "", alwaysChecked+1)
	if err == nil {
		s.mu.Lock()
		s.few, s.fewAt = ids, stamp
		s.mu.Unlock()
	}
	return ids, err
}

// startCheck returns the check that runs, the last one if it counts for a search that
// began at start, or a new one.
func (s *Searcher) startCheck(start time.Time) *check {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.checked; c != nil {
		select {
		case <-c.done:
			if c.counts(start) {
				return c
			}
		default:
			return c
		}
	}
	c := &check{began: time.Now(), done: make(chan struct{})}
	s.checked = c
	if c.err = s.background.Err(); c.err != nil { // closed
		close(c.done)
		return c
	}
	s.running.Go(func() {
		defer close(c.done)
		var ids []string
		ctx := s.lately(s.background)
		if ids, c.err = s.first(ctx); len(ids) > alwaysChecked {
			ids, c.err = s.lib.Resources(ctx)
		}
		if c.err == nil {
			c.sources = len(ids)
			c.found, c.err = s.lookAtSources(ctx, ids)
		}
	})
	return c
}

// lookAtSources returns which of some resources have sources that changed or are
// gone. A map that cannot be read, or a source that may not be opened, is none.
func (s *Searcher) lookAtSources(ctx context.Context, ids []string) (found changes, err error) {
	limited := ctxio.WithHashLimit(ctx, maxHashed)
	for _, id := range ids {
		var changed bool
		err := exactly(limited, func(ctx context.Context) (err error) {
			changed, err = s.hasChanged(ctx, id)
			return err
		})
		switch {
		case ctx.Err() != nil:
			return found, ctx.Err()
		case errors.Is(err, ctxio.ErrHashLimit):
			found.unchecked = append(found.unchecked, id)
		case changed:
			found.changed = append(found.changed, id)
		}
	}
	return found, nil
}

// hasChanged reports whether the source of a resource changed or is gone. The error
// says why that is not known.
func (s *Searcher) hasChanged(ctx context.Context, id string) (bool, error) {
	m, err := s.lib.Map(ctx, id)
	if err != nil || m.SourcePath == "" || m.Type == citekit.Virtual {
		return false, err
	}
	src, err := s.lib.OpenSource(ctx, m.SourcePath)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist), err
	}
	defer src.Close()
	err = s.lib.CheckFresh(ctx, m, src)
	return errors.Is(err, citekit.ErrStale), err
}

// setLeftOut sets which resources are left out.
func (r *Results) setLeftOut(out leftOut) {
	var ids, unreadable []string
	for id, changed := range out {
		ids = append(ids, id)
		if !changed {
			unreadable = append(unreadable, id)
		}
	}
	slices.Sort(ids)
	slices.Sort(unreadable)
	r.LeftOut, r.LeftOutIDs = len(ids), ids[:min(len(ids), MaxLeftOut)]
	r.Unreadable, r.UnreadableIDs = len(unreadable), unreadable[:min(len(unreadable), MaxLeftOut)]
}

// WhyLeftOut says how many resources are left out and why, and names the first of
// them; "" if none is left out.
func (r *Results) WhyLeftOut() string {
	var all []string
	if n := r.LeftOut - r.Unreadable; n > 0 {
		changed := slices.DeleteFunc(slices.Clone(r.LeftOutIDs), func(id string) bool { return slices.Contains(r.UnreadableIDs, id) })
		all = append(all, message.Count(n, "resource")+" left out, as the sources changed or are gone"+listed(n, changed))
	}
	if r.Unreadable > 0 {
		all = append(all, message.Count(r.Unreadable, "resource")+" left out, as the sources cannot be read"+listed(r.Unreadable, r.UnreadableIDs))
	}
	return strings.Join(all, "; ")
}
