package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
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
	if s.users.Add(-1) == 0 {
		for _, h := range s.segments {
			if h != nil {
				h.release()
			}
		}
	}
}

// readManifest reads the manifest with its stamp. A damaged or missing manifest
// is returned as an empty one.
func (l *Local) readManifest(ctx context.Context) (manifest, citekit.Stamp, error) {
	data, stamp, err := l.store.ReadNote(ctx, manifestKind, l.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return manifest{Format: manifestFormat}, citekit.Stamp{}, nil
	case errors.Is(err, citekit.ErrDamaged):
		return manifest{Format: manifestFormat}, stamp, nil
	case err != nil:
		return manifest{}, citekit.Stamp{}, fmt.Errorf("search: read the manifest: %w", err)
	}
	return decodeManifest(data), stamp, nil
}

// loadSnapshot opens the segments that a manifest names, and shares those that
// old has open. The snapshot starts with one user.
func (l *Local) loadSnapshot(ctx context.Context, m manifest, stamp citekit.Stamp, old *snapshot) (*snapshot, error) {
	s := &snapshot{stamp: stamp, manifest: m}
	s.users.Store(1)
	for _, r := range m.Segments {
		h, err := old.take(r), error(nil)
		if h == nil {
			h, err = openHeld(ctx, l.store, r)
		}
		if err != nil && !errors.Is(err, errLost) {
			s.release()
			return nil, err
		}
		s.add(r, h)
	}
	s.divide()
	return s, nil
}

// take returns an open segment of the snapshot, with one more user.
func (s *snapshot) take(r segmentRecord) *heldSegment {
	if s == nil {
		return nil
	}
	for _, h := range s.segments {
		if h != nil && h.key == r.Key {
			h.users.Add(1)
			return h
		}
	}
	return nil
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
	for i, r := range s.manifest.Segments {
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
		var all []string
		_ = segment.Guard(func() error {
			for k := range v.Segment.Keywords(languageKeyword) {
				all = append(all, k[len(languageKeyword):])
			}
			return nil
		})
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
