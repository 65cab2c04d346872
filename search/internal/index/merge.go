package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/search/internal/index/internal/segment"
)

// Segments are merged by tiers: mergeWidth segments of about the same size, in the same
// languages, become one segment of the next tier. Large segments stay unchanged, unless
// much of them is outdated.
const (
	mergeWidth   = 8
	smallestTier = 1000 // entries; smaller segments are of the same tier
	maxMerged    = 500_000
	maxMergedLen = maxSegment / 2 // bytes

	// mostWaiting is how many segments of one tier may wait for the background.
	// If there are more, Put merges some: mergeShare and mergeBase limit how
	// many entries, relative to those that it put.
	mostWaiting = 3 * mergeWidth
	mergeShare  = 2
	mergeBase   = 10_000
)

// Merge does all due merging, and waits for merging that is already running. It
// may take seconds for each hundred thousand entries. Once ctx is done, it ends
// early, and nothing is lost. Searches and changes can run concurrently.
func (l *Local) Merge(ctx context.Context) error {
	shards, err := l.settled(ctx)
	if err != nil {
		return err
	}
	if shards != nil {
		return each(shards, func(s *Local) error { return s.Merge(ctx) })
	}
	if err := concurrent.Acquire(ctx, l.turn); err != nil {
		return err
	}
	defer func() { <-l.turn }()
	if err := l.mergeUpTo(ctx, maxMerged); err != nil {
		return err
	}
	return l.sweep(ctx)
}

// sweep deletes parts of the manifest that no root names, which a process that was killed
// may have left, once. It replaces the root by the same one: a part that is about to be
// named is then made again.
func (l *Local) sweep(ctx context.Context) error {
	l.mu.Lock()
	swept := l.swept
	l.swept = true
	l.mu.Unlock()
	if swept {
		return nil
	}
	s, err := l.acquire(ctx, 0)
	if err != nil {
		return err
	}
	defer s.release()
	if s.parts != nil { // it was sharded meanwhile
		return nil
	}
	var left []citekit.NoteChange
	for n, err := range l.store.Notes(ctx, manifestKind) {
		if err != nil {
			return err
		}
		if isPartOf(n.Name, l.name) && s.manifest.part(strings.TrimPrefix(n.Name, l.partName(""))) == nil {
			left = append(left, citekit.NoteChange{Name: n.Name, Stamp: n.Stamp})
		}
	}
	if len(left) == 0 {
		return nil
	}
	m := manifest{parts: slices.Clip(s.manifest.parts), segments: slices.Clone(s.manifest.segments)}
	root, err := m.encode()
	if err == nil {
		err = l.write(ctx, s, &m, root, left...)
	}
	if errors.Is(err, citekit.ErrConflict) {
		return nil // it is done another time
	}
	return err
}

// mergeAfter does or starts the merging that is due after some entries were
// put.
func (l *Local) mergeAfter(ctx context.Context, docs int) error {
	switch {
	case l.mergeNot:
		return nil
	case l.mergeAll:
		return l.Merge(ctx)
	}
	s, err := l.acquire(ctx, l.latency)
	if err != nil {
		return err
	}
	waiting := s.waiting()
	s.release()
	if waiting > mostWaiting { // short-lived processes leave the merging to others
		return l.mergeUpTo(ctx, min(mergeShare*docs+mergeBase, maxMerged))
	}
	if waiting >= mergeWidth {
		l.startMerging()
	}
	return nil
}

// startMerging starts all due merging in the background, in a single goroutine.
// If a merge fails, it is tried again after the next change.
func (l *Local) startMerging() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.again = true
	if l.merging || l.closed {
		return
	}
	l.merging = true
	l.running.Go(func() {
		for l.isMergingDue() {
			_ = l.Merge(l.background)
		}
	})
}

// isMergingDue reports whether merging was requested since its last call. If
// not, merging in the background ends.
func (l *Local) isMergingDue() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.merging = l.again && !l.closed
	l.again = false
	return l.merging
}

func (l *Local) mergeUpTo(ctx context.Context, docs int) error {
	for {
		s, err := l.acquire(ctx, 0)
		if err != nil {
			return err
		}
		due := s.due(docs)
		if len(due) == 0 || s.parts != nil { // it was sharded meanwhile
			s.release()
			return nil
		}
		err = l.merge(ctx, s, due)
		s.release()
		if damage, ok := errors.AsType[*segment.DamageError](err); ok {
			l.drop(s, damage.View)
			continue
		}
		if err != nil && !errors.Is(err, errOvertaken) && !errors.Is(err, errResharded) {
			return fmt.Errorf("search: merge: %w", err)
		}
	}
}

// waiting returns the largest number of segments in one tier. If a segment has
// many outdated entries, it returns at least mergeWidth, because such segments
// are merged too.
func (s *snapshot) waiting() int {
	most, tiers := 0, make(map[tier]int)
	for i, v := range s.views {
		if hasMuchDead(v) {
			most = max(most, mergeWidth)
		}
		tier := s.tierOf(i)
		tiers[tier]++
		most = max(most, tiers[tier])
	}
	return most
}

// A tier is what segments to merge have in common.
type tier struct {
	languages string
	size      int
}

func (s *snapshot) tierOf(view int) tier {
	return tier{s.languages[view], bits.Len(uint(s.views[view].Docs()/smallestTier)) / 3}
}

// hasMuchDead reports whether a view is worth rewriting by itself.
func hasMuchDead(v segment.View) bool { return 3*(v.Segment.Docs()-v.Docs()) > v.Segment.Docs() }

// due returns the indexes of views to merge, with at most limit documents, or
// none if nothing is due.
func (s *snapshot) due(limit int) []int {
	tiers := make(map[tier][]int)
	for i, v := range s.views {
		if hasMuchDead(v) && v.Docs() <= limit {
			return []int{i}
		}
		tier := s.tierOf(i)
		tiers[tier] = append(tiers[tier], i)
	}
	for _, views := range tiers {
		if len(views) < mergeWidth {
			continue
		}
		slices.SortStableFunc(views, func(a, b int) int { return cmp.Compare(s.views[a].Docs(), s.views[b].Docs()) })
		views = views[:mergeWidth]
		docs, size := 0, 0
		for _, i := range views {
			docs += s.views[i].Docs()
			size += s.views[i].Segment.Size()
		}
		if docs <= limit && size <= maxMergedLen {
			slices.Sort(views)
			return views
		}
	}
	return nil
}

// errOvertaken reports that another process merged or lost the same segments.
var errOvertaken = errors.New("search: the segments were replaced meanwhile")

// merge replaces some views by one segment.
func (l *Local) merge(ctx context.Context, s *snapshot, due []int) error {
	views := make([]segment.View, len(due))
	for i, v := range due {
		views[i] = s.views[v]
	}
	r, err := l.mergeViews(ctx, views)
	if errors.Is(err, segment.ErrDamaged) {
		return l.findDamage(ctx, s, due, err)
	}
	if err != nil {
		return err
	}
	h, err := openHeld(ctx, l.store, r)
	if err != nil {
		return err
	}
	defer h.release()
	err = l.change(ctx, func(e *edit) error { return e.replace(s, due, r, h) })
	if err != nil {
		l.discard(ctx, []segmentRecord{r})
	}
	return err
}

// findDamage returns an error that names a view that cannot be read, or err.
func (l *Local) findDamage(ctx context.Context, s *snapshot, due []int, err error) error {
	for _, v := range due {
		if errors.Is(s.views[v].Segment.Check(ctx), segment.ErrDamaged) {
			return &segment.DamageError{View: v}
		}
	}
	return err
}

// replace puts a merged segment in place of the views of a snapshot that it was
// made from. Entries that became outdated in them since are outdated in it too.
func (e *edit) replace(s *snapshot, due []int, r segmentRecord, merged *heldSegment) error {
	var dead []int
	for _, v := range due {
		from := s.of[v]
		i := slices.IndexFunc(e.records, func(r segmentRecord) bool { return r.Key == s.manifest.segments[from].Key })
		if i < 0 {
			return errOvertaken
		}
		for _, n := range e.dead[i] {
			if isDead(s.dead[from], n) {
				continue
			}
			resource, _ := e.held[i].data.Resource(n)
			dead = slices.AppendSeq(dead, merged.data.FindResource(resource.ID)) // all its parts became outdated together
		}
		e.remove(i)
	}
	slices.Sort(dead)
	dead = slices.Compact(dead)
	e.records, e.held, e.dead = append(e.records, r), append(e.held, merged), append(e.dead, dead)
	return nil
}
