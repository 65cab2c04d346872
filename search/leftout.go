package search

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
)

const (
	// alwaysChecked is the number of resources up to which each search checks whether
	// their sources changed. That takes about 0.1 ms for each.
	alwaysChecked = 100

	// checkTime is the most time for the check of all sources in one search.
	checkTime = 3 * time.Second

	// A check that takes longer than slowCheck counts for checkRest times as long as
	// it took, so that searches one after the other do not wait for one each.
	slowCheck = 500 * time.Millisecond
	checkRest = 10
)

// absences are the resources that are left out, by id: true if the source changed or
// is gone, false if it cannot be read.
type absences map[string]bool

// add adds a resource. One that changed stays so.
func (a absences) add(id string, changed bool) { a[id] = a[id] || changed }

// A check is the result of looking at all sources.
type check struct {
	at      time.Time
	took    time.Duration
	changed []string // resources whose sources changed or are gone
}

// isChanged reports whether an error says that a source changed or is gone.
func isChanged(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, citekit.ErrStale)
}

// unsearched returns the resources that the filters name and that are left out. That
// includes resources that could not be read when the index was brought up to date,
// and, if there are few or all is set, those whose sources changed since.
func (f *finding) unsearched(ctx context.Context, all bool) absences {
	out := make(absences)
	for id, changed := range f.leftOut {
		out.add(id, changed)
	}
	f.mu.Lock()
	for id, failed := range f.failed {
		if !failed.store {
			out.add(id, failed.changed)
		}
	}
	f.mu.Unlock()
	for _, id := range f.changedSources(ctx, f.req.Filters.Resources, all) {
		out.add(id, true)
	}
	for id := range out {
		if named := f.req.Filters.Resources; len(named) > 0 && !slices.Contains(named, id) || slices.Contains(f.req.Filters.Without, id) {
			delete(out, id)
		}
	}
	return out
}

// changedSources returns the resources whose sources changed since they were mapped,
// or are gone: of those that are named, or of all resources. If they are more than
// alwaysChecked, it looks only if all is set, for at most checkTime and half of the
// time that is left.
func (s *Searcher) changedSources(ctx context.Context, named []string, all bool) []string {
	if len(named) > 0 && len(named) <= alwaysChecked {
		return s.lookAtSources(ctx, named)
	}
	if !all {
		some, err := s.lib.ResourcesAfter(ctx, "", alwaysChecked+1)
		if err != nil || len(some) > alwaysChecked {
			return nil
		}
	}
	if last := s.checked.Load(); last != nil {
		if last.took > slowCheck && time.Since(last.at) < checkRest*last.took {
			return last.changed
		}
		select {
		case s.checking <- struct{}{}:
		default: // another search looks at the moment
			return last.changed
		}
	} else {
		select {
		case s.checking <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
	}
	defer func() { <-s.checking }()
	ids, err := s.lib.Resources(ctx)
	if err != nil {
		return nil
	}
	start := time.Now()
	changed := s.lookAtSources(ctx, ids)
	s.checked.Store(&check{at: time.Now(), took: time.Since(start), changed: changed})
	return changed
}

// lookAtSources returns which of some resources have sources that changed or are
// gone. A map that cannot be read, or a source that may not be opened, is none.
func (s *Searcher) lookAtSources(ctx context.Context, ids []string) (changed []string) {
	limit := checkTime
	if deadline, limited := ctx.Deadline(); limited {
		limit = min(limit, time.Until(deadline)/2)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for _, id := range ids {
		if ctx.Err() != nil {
			return changed
		}
		if s.hasChanged(ctx, id) {
			changed = append(changed, id)
		}
	}
	return changed
}

func (s *Searcher) hasChanged(ctx context.Context, id string) bool {
	m, err := s.lib.Map(ctx, id)
	if err != nil || m.SourcePath == "" || m.Type == citekit.Virtual {
		return false
	}
	src, err := s.lib.OpenSource(ctx, m.SourcePath)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer src.Close()
	return errors.Is(s.lib.CheckFresh(ctx, m, src), citekit.ErrStale)
}

// setLeftOut sets which resources are left out.
func (r *Results) setLeftOut(out absences) {
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
