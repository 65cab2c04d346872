package search

import (
	"context"
	"io/fs"
	"maps"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/search/internal/index"
)

var _ ingest.MappedIndexer = (*Searcher)(nil)

// A mappedGroup is what several calls of IndexMapped put together, while another one is
// put.
type mappedGroup struct {
	resources []*resourceText
	done      chan struct{} // closed when it is put; the other fields are then set
	changed   bool          // a map has another version since
	err       error
}

// IndexMapped implements [ingest.MappedIndexer]. It looks at no other resources, as
// [Searcher.Update] does. After Close the error is [fs.ErrClosed].
func (s *Searcher) IndexMapped(ctx context.Context, ids []string) (all bool, err error) {
	switch {
	case s.err != nil:
		return false, s.err
	case s.background.Err() != nil:
		return false, fs.ErrClosed
	}
	var read []*resourceText
	for _, id := range ids {
		version, err := s.version(ctx, id)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err != nil {
			continue
		}
		r := s.read(ctx, staleResource{id, version})
		if r.err == nil && !r.long {
			read = append(read, r)
		}
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if len(read) == 0 {
		return len(ids) == 0, nil
	}
	g, err := s.putMapped(ctx, read)
	return err == nil && !g.changed && len(read) == len(ids), err
}

// putMapped puts resources together with those of other calls, and returns once they are
// put.
func (s *Searcher) putMapped(ctx context.Context, read []*resourceText) (*mappedGroup, error) {
	g := s.joinMapped(read)
	select {
	case <-ctx.Done():
		return nil, ctx.Err() // the next call puts them
	case <-g.done:
		return g, g.err
	case s.mappedIn <- struct{}{}:
		defer func() { <-s.mappedIn }()
	}
	s.mu.Lock()
	mine := s.mapped == g
	if mine {
		s.mapped = nil
	}
	s.mu.Unlock()
	if mine {
		g.changed, g.err = s.putGroup(g)
		close(g.done)
	}
	<-g.done
	return g, g.err
}

// joinMapped adds resources to the group that is to be put next. Of two versions of one
// resource a group has the later.
func (s *Searcher) joinMapped(read []*resourceText) *mappedGroup {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.mapped
	if g == nil {
		g = &mappedGroup{done: make(chan struct{})}
		s.mapped = g
	}
	g.resources = append(g.resources, read...)
	return g
}

// putGroup puts a group, and reports whether a map has another version by then: what
// others put of it may be gone.
func (s *Searcher) putGroup(g *mappedGroup) (changed bool, err error) {
	last := make(map[string]*resourceText, len(g.resources))
	for _, r := range g.resources {
		last[r.id] = r
	}
	err = s.index.Put(s.background, func(yield func(index.Resource) bool) {
		for _, r := range g.resources {
			if last[r.id] == r && !yield(index.Resource{ID: r.id, Version: r.version, Entries: entriesOf(r.entries)}) {
				return
			}
		}
	})
	if err != nil {
		return false, err
	}
	for id, r := range last {
		s.noteHeld(id, r.version)
	}
	s.embedChanges()
	many, ok := s.lib.Workspace().(interface {
		StatMaps(ctx context.Context, ids []string) (map[string]citekit.Stamp, error)
	})
	if !ok {
		return false, nil
	}
	now, err := many.StatMaps(s.background, slices.Collect(maps.Keys(last)))
	for id, r := range last {
		put, _ := splitVersion(r.version)
		changed = changed || s.versionOf(now[id]) != put
	}
	return changed, err
}
