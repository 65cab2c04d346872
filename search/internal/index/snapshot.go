package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/terms"
	"github.com/citekit/citekit/search/internal/index/internal/segment"
)

// A snapshot is the index of one manifest. It does not change, and its data
// stays readable until it is released.
type snapshot struct {
	stamp    citekit.Stamp
	manifest manifest
	segments []*heldSegment // nil for a lost segment
	dead     [][]int        // outdated resources of each segment
	views    []segment.View // of the segments that are not lost
	of       []int          // index of the segment of each view
	stats    Stats

	languages []string // of the texts in each view, joined by spaces; usually one
	groups    []*group
	users     atomic.Int64

	parts []*snapshot // those of the shards that it joins; nil if it has its own segments
}

// A group is the views of texts in the same languages. How rare words are, and how long
// entries, is counted in each group by itself, so that entries in one language rank as
// they do without those in others.
type group struct {
	languages []terms.Language
	views     []segment.View
	at        []int // indexes of the views in the snapshot
}

// damageOf returns the error of a search of the group with the view's index in the
// snapshot.
func (g *group) damageOf(err error) error {
	if damage, ok := errors.AsType[*segment.DamageError](err); ok {
		return &segment.DamageError{View: g.at[damage.View]}
	}
	return err
}

func (s *snapshot) release() {
	if s.users.Add(-1) != 0 {
		return
	}
	if releaseAll(s.parts); s.parts == nil {
		for _, h := range s.segments {
			if h != nil {
				h.release()
			}
		}
	}
}

// readManifest reads the manifest with its stamp. It takes parts from known, a snapshot or
// nil, and all if the stamp is that of known. A damaged or missing root is returned as an
// empty manifest; a part may be missing because the manifest was replaced meanwhile.
func (l *Local) readManifest(ctx context.Context, known *snapshot) (m manifest, stamp citekit.Stamp, err error) {
	data, stamp, err := l.store.ReadNote(ctx, manifestKind, l.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return manifest{}, citekit.Stamp{}, nil
	case errors.Is(err, citekit.ErrDamaged):
		return manifest{}, stamp, nil
	case err != nil:
		return manifest{}, citekit.Stamp{}, fmt.Errorf("search: read the manifest: %w", err)
	case known != nil && known.stamp == stamp:
		return known.manifest, stamp, nil
	}
	root := decodeRoot(data)
	if root.Shards > 1 {
		return manifest{shards: root.Shards}, stamp, nil
	}
	parts := make([]*manifestPart, len(root.Parts))
	err = atOnce(ctx, len(parts), func(ctx context.Context, i int) (err error) {
		if known != nil {
			parts[i] = known.manifest.part(root.Parts[i].Name)
		}
		if parts[i] == nil || parts[i].lost > 0 {
			parts[i], err = l.readPart(ctx, root.Parts[i])
		}
		return err
	})
	if err != nil {
		return manifest{}, citekit.Stamp{}, fmt.Errorf("search: read the manifest: %w", err)
	}
	for _, p := range parts {
		m.addPart(p)
	}
	m.segments = append(m.segments, root.Segments...)
	return m, stamp, nil
}

// readPart reads a part of the manifest.
func (l *Local) readPart(ctx context.Context, r partRecord) (*manifestPart, error) {
	p := &manifestPart{name: r.Name}
	data, stamp, err := l.store.ReadNote(ctx, manifestKind, l.partName(r.Name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, citekit.ErrDamaged) {
		return nil, err
	}
	p.stamp, p.segments = stamp, decodeRoot(data).Segments
	for i := range p.segments {
		p.segments[i].part = p
	}
	if len(p.segments) != r.Segments {
		p.segments, p.lost = nil, max(r.Segments, 1)
	}
	return p, nil
}

// fetchers is how many parts of the manifest, or segments, are fetched at a time.
const fetchers = 8

// atOnce calls f with each number below n, some at a time. After an error it calls f no
// more, and returns the error.
func atOnce(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(n, fetchers) {
		wait.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := f(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}

// mostWaited is how many bytes of new segments a search waits for if the store is not on
// this machine. If there are more, it searches without them until they are here. A test
// lowers it.
var mostWaited int64 = 8 << 20

// loadSnapshot opens the segments that a manifest names, and shares those that
// old has open. The snapshot starts with one user. If much must be fetched first,
// loadSnapshot calls slow.
func (l *Local) loadSnapshot(ctx context.Context, m manifest, stamp citekit.Stamp, old *snapshot, slow func()) (*snapshot, error) {
	held := make([]*heldSegment, len(m.segments))
	var missing []int
	size, open := int64(0), old.open()
	for i, r := range m.segments {
		if held[i] = open[r.Key]; held[i] != nil {
			held[i].users.Add(1)
		} else {
			missing = append(missing, i)
			size += r.Size
		}
	}
	if size > mostWaited {
		slow()
	}
	l.here.Store(int64(len(held) - len(missing)))
	l.wanted.Store(int64(len(held)))
	err := atOnce(ctx, len(missing), func(ctx context.Context, i int) (err error) {
		i = missing[i]
		if held[i], err = openHeld(ctx, l.store, m.segments[i]); errors.Is(err, errLost) {
			err = nil
		}
		l.here.Add(1)
		return err
	})
	if err != nil {
		for _, h := range held {
			if h != nil {
				h.release()
			}
		}
		return nil, err
	}
	s := &snapshot{stamp: stamp, manifest: m}
	s.users.Store(1)
	s.stats.Lost = m.lost()
	for i, r := range m.segments {
		s.add(r, held[i])
	}
	s.divide()
	return s, nil
}

// open returns the open segments of a snapshot by their keys.
func (s *snapshot) open() map[string]*heldSegment {
	if s == nil {
		return nil
	}
	all := make(map[string]*heldSegment, len(s.segments))
	for _, h := range s.segments {
		if h != nil {
			all[h.key] = h
		}
	}
	return all
}

// add adds a segment; h is nil if the segment is lost.
func (s *snapshot) add(r segmentRecord, h *heldSegment) {
	var dead []int
	if h != nil {
		var err error
		if dead, err = readNumbers(r.Dead, h.data.Resources()); err != nil {
			h.release()
			h = nil
		}
	}
	s.segments, s.dead = append(s.segments, h), append(s.dead, dead)
	if h == nil {
		s.stats.Lost++
		return
	}
	view := segment.NewView(h.data, dead)
	s.views = append(s.views, view)
	s.of = append(s.of, len(s.segments)-1)
	s.stats.Segments++
	s.stats.Bytes += int64(h.data.Size())
	s.stats.Outdated += h.data.Docs() - view.Docs()
	s.stats.Entries += view.Docs()
	s.stats.Resources += h.resources(dead)
}

// without returns the snapshot without a damaged segment. It starts with one
// user.
func (s *snapshot) without(view int) *snapshot {
	next := &snapshot{stamp: s.stamp, manifest: s.manifest}
	next.users.Store(1)
	next.stats.Lost = s.manifest.lost()
	for i, r := range s.manifest.segments {
		h := s.segments[i]
		if i == s.of[view] {
			h = nil
		}
		if h != nil {
			h.users.Add(1)
		}
		next.add(r, h)
	}
	next.divide()
	return next
}

// divide divides the views into groups.
func (s *snapshot) divide() {
	groups := make(map[string]*group)
	for i, v := range s.views {
		all := s.segments[s.of[i]].languages
		key := strings.Join(all, " ")
		if s.languages = append(s.languages, key); len(all) == 0 {
			continue // it has no entries
		}
		g := groups[key]
		if g == nil {
			g = new(group)
			for _, l := range all {
				g.languages = append(g.languages, terms.Language(l))
			}
			groups[key] = g
		}
		g.views, g.at = append(g.views, v), append(g.at, i)
	}
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		s.groups = append(s.groups, groups[key])
	}
}

// version returns the version of a resource if all its parts are present.
func (s *snapshot) version(id string) (string, bool) {
	var parts []segment.Resource
	for i, h := range s.segments {
		if h == nil {
			continue
		}
		for n := range h.data.FindResource(id) {
			if !isDead(s.dead[i], n) {
				r, _ := h.data.Resource(n)
				parts = append(parts, r)
			}
		}
	}
	slices.SortFunc(parts, func(a, b segment.Resource) int { return a.Part - b.Part })
	for i, p := range parts {
		if p.Part != i || p.Version != parts[0].Version || p.Final != (i == len(parts)-1) {
			return "", false
		}
	}
	if len(parts) == 0 {
		return "", false
	}
	return parts[0].Version, true
}

func isDead(dead []int, n int) bool {
	_, ok := slices.BinarySearch(dead, n)
	return ok
}
