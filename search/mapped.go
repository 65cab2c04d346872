package search

import (
	"context"

	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/search/internal/index"
)

var _ ingest.MappedIndexer = (*Searcher)(nil)

// A mappedGroup is what several calls of IndexMapped put together, while another one is
// put.
type mappedGroup struct {
	resources []*resourceText
	done      chan struct{} // closed when it is put
	err       error         // set before done is closed
}

// IndexMapped implements [ingest.MappedIndexer]. It looks at no other resources, as
// [Searcher.Update] does.
func (s *Searcher) IndexMapped(ctx context.Context, ids []string) (all bool, err error) {
	if s.err != nil {
		return false, s.err
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
	return len(read) == len(ids), s.putMapped(ctx, read)
}

// putMapped puts resources together with those of other calls, and returns once they are
// put.
func (s *Searcher) putMapped(ctx context.Context, read []*resourceText) error {
	g := s.joinMapped(read)
	select {
	case <-ctx.Done():
		return ctx.Err() // the next call puts them
	case <-g.done:
		return g.err
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
		g.err = s.putGroup(g)
		close(g.done)
	}
	<-g.done
	return g.err
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

func (s *Searcher) putGroup(g *mappedGroup) error {
	last := make(map[string]*resourceText, len(g.resources))
	for _, r := range g.resources {
		last[r.id] = r
	}
	err := s.index.Put(s.background, func(yield func(index.Resource) bool) {
		for _, r := range g.resources {
			if last[r.id] == r && !yield(index.Resource{ID: r.id, Version: r.version, Entries: entriesOf(r.entries)}) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	for id, r := range last {
		s.noteHeld(id, r.version)
	}
	s.embedChanges()
	return nil
}
