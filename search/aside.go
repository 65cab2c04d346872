package search

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/search/index"
)

// The limits of the work of indexing one resource. They depend on the size of its
// source, so that a small file cannot stand for a text that takes minutes.
const (
	workPerByte = 64 // of the source, in addition to baseWork

	entryWork = 100 // of each entry, in addition to a unit for each byte of it
	lookWork  = 50  // of each look at a run of the text, and at a node
)

// baseWork is the work for any source. Tests lower it.
var baseWork int64 = 16 << 20

// errTooMuch is the error of a resource that takes more than the limit.
var errTooMuch = errors.New("it takes more work than an index gives a source of its size")

// asideMark stands between the version of a resource that takes too much work, of which
// the index has only the beginning, and the reason.
const asideMark = " only the beginning: "

// versionOf returns the version of the map that a hit was made from.
func versionOf(h *index.Hit) string {
	version, _, _ := strings.Cut(h.Version, asideMark)
	return version
}

// noteHeld notes that the index has a resource in a version, if that has only the
// beginning, or nothing.
func (s *Searcher) noteHeld(id, version string) {
	_, why, isBegun := strings.Cut(version, asideMark)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.told, id)
	switch {
	case strings.Contains(version, unreadMark):
		s.unread[id] = parseUnread(version)
	case isBegun:
		s.aside[id] = why
	}
}

// A meter counts the work of indexing one resource.
type meter struct {
	spent int64
	most  int64                 // baseWork until more is needed
	size  func() (int64, error) // of the source in bytes
}

// spend adds work. It returns errTooMuch if that is too much.
func (m *meter) spend(n int64) error {
	m.spent += n
	if m.spent <= m.most {
		return nil
	}
	if m.size != nil {
		size, err := m.size()
		if err != nil {
			return err
		}
		m.most, m.size = baseWork+workPerByte*size, nil
	}
	if m.spent > m.most {
		return errTooMuch
	}
	return nil
}

// newMeter returns a meter for the resource of a map.
func newMeter(ctx context.Context, lib *citekit.Library, m *citekit.ResourceMap) *meter {
	return &meter{most: baseWork, size: func() (int64, error) {
		src, err := lib.OpenSource(ctx, m.SourcePath)
		if err != nil {
			return 0, err
		}
		defer src.Close()
		return src.Size(), nil
	}}
}

// sizeOf returns how many bytes of an entry are indexed.
func sizeOf(e index.Entry) int {
	n := len(e.Title) + len(e.Summary) + len(e.Text)
	for _, title := range e.Path {
		n += len(title)
	}
	return n
}

// SetAside returns the ids of the resources of which the index has only the beginning,
// as all would take more work than an index gives a source of such a size, in order.
func (s *Searcher) SetAside(ctx context.Context) (ids []string, err error) {
	all, err := s.lib.Resources(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range all {
		held, err := s.index.Holds(ctx, id)
		switch {
		case err == nil && strings.Contains(held, asideMark):
			ids = append(ids, id)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	return ids, nil
}

// asideHint names the resources of which a search sees only the beginning; "" if there
// are none.
func (s *Searcher) asideHint(f index.Filters) string {
	s.mu.Lock()
	ids := slices.Sorted(maps.Keys(s.aside))
	s.mu.Unlock()
	ids = slices.DeleteFunc(ids, func(id string) bool {
		return len(f.Resources) > 0 && !slices.Contains(f.Resources, id) || slices.Contains(f.Without, id)
	})
	if len(ids) == 0 {
		return ""
	}
	return "only the beginning of " + message.Count(len(ids), "resource") + " is searched, as all would take more work than an index gives a source of such a size" +
		listed(len(ids), ids[:min(len(ids), MaxLeftOut)]) + "; read on by address, or split the source"
}
