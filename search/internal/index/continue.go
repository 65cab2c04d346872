package index

import (
	"context"
	"errors"
	"slices"
)

// A Continuer is an [Index] that takes a long resource in several calls, so that what is
// indexed stays if the program ends before the last.
type Continuer interface {
	// Begun returns how many entries the index has of a version of a resource whose last
	// entries it does not have yet; 0 if it has none, or all.
	Begun(ctx context.Context, id, version string) (entries int, err error)

	// Continue adds the next entries of a resource, of which the index has some. If it
	// has none, the first entries replace those of other versions. Only after the last
	// ones does the index hold the resource, but searches find all. If the index does
	// not have just the given number of entries of the version, or no longer has them
	// at the end, the error matches [ErrOvertaken], and nothing has changed.
	Continue(ctx context.Context, r Resource, have int, last bool) error
}

// ErrOvertaken reports that another process changed the same resource.
var ErrOvertaken = errors.New("search: another process has changed the resource meanwhile")

var _ Continuer = (*Local)(nil)

// Begun implements [Continuer].
func (l *Local) Begun(ctx context.Context, id, version string) (entries int, err error) {
	err = l.read(ctx, func(s *snapshot) error {
		s = s.having(id)
		entries, _ = begun(s.segments, s.dead, id, version)
		return nil
	})
	return entries, err
}

// Continue implements [Continuer].
func (l *Local) Continue(ctx context.Context, r Resource, have int, last bool) error {
	shards, err := l.toWrite(ctx)
	switch {
	case err != nil:
		return err
	case shards != nil:
		return shards[shardOf(r.ID, len(shards))].Continue(ctx, r, have, last)
	}
	s, err := l.acquire(ctx, 0)
	if err != nil {
		return err
	}
	entries, parts := begun(s.segments, s.dead, r.ID, r.Version)
	s.release()
	if entries != have {
		return ErrOvertaken
	}
	p := newPutting(ctx, l, 1)
	p.part, p.open = parts, !last
	p.feed(slices.Values([]Resource{r}))
	records, err := p.finish()
	if err == nil {
		err = l.change(ctx, func(e *edit) error {
			switch entries, now := begun(e.held, e.dead, r.ID, r.Version); {
			case entries != have || now != parts:
				return ErrOvertaken
			case parts == 0:
				e.outdate(r.ID)
			}
			e.add(records)
			return nil
		})
	}
	if err != nil {
		l.discard(ctx, records)
		return err
	}
	docs := 0
	for _, r := range records {
		docs += r.Entries
	}
	_ = l.mergeAfter(ctx, docs)
	return nil
}

// begun returns how many entries segments have of a version of a resource without its
// last part, and in how many parts; 0 if they do not have them from the first on.
func begun(segments []*heldSegment, dead [][]int, id, version string) (entries, parts int) {
	has := make(map[int]bool)
	for i, h := range segments {
		if h == nil {
			continue
		}
		for n := range h.data.FindResource(id) {
			if isDead(dead[i], n) {
				continue
			}
			r, docs := h.data.Resource(n)
			if r.Version != version || r.Final || has[r.Part] {
				return 0, 0
			}
			has[r.Part] = true
			entries += int(docs.End - docs.First)
		}
	}
	for part := range len(has) {
		if !has[part] {
			return 0, 0
		}
	}
	return entries, len(has)
}
