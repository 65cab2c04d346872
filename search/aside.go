package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/textlayer"
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

// What an index lacks of a resource of a kind, as errors.
var lacking = map[string]error{
	begun:  errTooMuch,
	cut:    fmt.Errorf("its text is too large, so only the beginning is read: %w", citekit.ErrTooLarge),
	partly: fmt.Errorf("some of it cannot be read: %w", errors.ErrUnsupported),
}

// partMark stands between the version of a resource of which the index has only a part,
// and the kind of that part.
const partMark = " in part: "

// The kinds of parts.
const (
	begun  = "begun"  // the beginning, as all takes too much work
	cut    = "cut"    // the text ends early: [textlayer.Layer.Incomplete]
	partly = "partly" // some of the text cannot be read: [textlayer.Layer.Missing]
)

// inPart returns the version of a resource of which only a part is put; the version
// itself if the kind is "".
func inPart(version, kind string) string {
	version, _ = splitVersion(version)
	if kind == "" {
		return version
	}
	return version + partMark + kind
}

// splitVersion returns the version of the map of what is put, and of which kind that is.
func splitVersion(put string) (version, kind string) {
	version, kind, _ = strings.Cut(put, partMark)
	return version, kind
}

// versionOf returns the version of the map that a hit was made from.
func versionOf(h *index.Hit) string {
	version, _ := splitVersion(h.Version)
	return version
}

// kindOf returns the kind of what is kept of a text.
func kindOf(layer *textlayer.Layer) string {
	switch {
	case layer.Incomplete():
		return cut
	case layer.Missing(citekit.Location{}) != "":
		return partly
	}
	return ""
}

// noteHeld notes that the index has a resource in a version, if that has only a part, or
// nothing.
func (s *Searcher) noteHeld(id, version string) {
	_, kind := splitVersion(version)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.failed, id) // what is put could be read
	delete(s.aside, id)
	delete(s.unread, id)
	delete(s.told, id)
	s.noted[id] = true
	switch {
	case strings.Contains(version, unreadMark):
		s.unread[id] = parseUnread(version)
	case kind != "":
		s.aside[id] = kind
	}
}

// A meter counts the work of indexing one resource.
type meter struct {
	kind  string // of what can be indexed; "" if that is all
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

// Parts are the resources of which the index has only a part: their ids, in order.
type Parts struct {
	Begun  []string // the beginning: all would take more work than an index gives a source of such a size
	Cut    []string // the beginning of the text: [textlayer.Layer.Incomplete]
	Unread []string // what can be read of the text: [textlayer.Layer.Missing] names the rest
}

// SetAside returns the resources of which the index has only a part.
func (s *Searcher) SetAside(ctx context.Context) (*Parts, error) {
	all, err := s.lib.Resources(ctx)
	if err = cmp.Or(s.err, err); err != nil {
		return nil, err
	}
	kinds := make(map[string]string)
	for _, id := range all {
		held, err := s.index.Holds(ctx, id)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if _, kind := splitVersion(held); err == nil && kind != "" {
			kinds[id] = kind
		}
	}
	return partsOf(kinds), nil
}

func partsOf(kinds map[string]string) *Parts {
	var p Parts
	for _, id := range slices.Sorted(maps.Keys(kinds)) {
		switch kinds[id] {
		case begun:
			p.Begun = append(p.Begun, id)
		case cut:
			p.Cut = append(p.Cut, id)
		case partly:
			p.Unread = append(p.Unread, id)
		}
	}
	return &p
}

// asideHint names the resources of which a search sees only a part; "" if there are
// none.
func (s *Searcher) asideHint(f Filters) string {
	s.mu.Lock()
	kinds := maps.Clone(s.aside)
	s.mu.Unlock()
	maps.DeleteFunc(kinds, func(id, _ string) bool {
		return len(f.Resources) > 0 && !slices.Contains(f.Resources, id) || slices.Contains(f.Without, id)
	})
	var hints []string
	add := func(ids []string, format string) {
		if len(ids) > 0 {
			hints = append(hints, fmt.Sprintf(format, message.Count(len(ids), "resource"), listed(len(ids), ids[:min(len(ids), MaxLeftOut)])))
		}
	}
	p := partsOf(kinds)
	add(p.Begun, "only the beginning of %s is searched, as all would take more work than an index gives a source of such a size%s; read on by address, or split the source")
	add(p.Cut, "only the beginning of the text of %s is searched, as it is too large%s; read on by address, or split the source")
	add(p.Unread, "left out: some pages of %s are pictures, or cannot be read as text%s; read tells which, and --ocr may read them")
	return strings.Join(hints, "; ")
}
