package index

import (
	"context"
	"maps"
	"slices"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/search/internal/index/internal/segment"
)

// A Lister is an [Index] that can list the filter values that its entries have.
type Lister interface {
	// Missing returns at most three filter values that no entry has. It checks
	// only modalities, types, authors and labels, and the first hundred of
	// each.
	Missing(ctx context.Context, f Filters) ([]UnknownValue, error)
}

// An UnknownValue is a value of a filter that no entry has.
type UnknownValue struct {
	Filter string   // "modality", "type", "author" or "label"
	Value  string   // as given in the filter
	Known  []string // values that entries have, at most ten, the most similar ones first; in lower case
	More   bool     // there are more of them
}

const (
	mostMissing = 3
	mostAsked   = 100
	mostKnown   = 10
	mostListed  = 1000 // values that are compared
)

var _ Lister = (*Local)(nil)

// Missing implements [Lister].
func (l *Local) Missing(ctx context.Context, f Filters) (missing []UnknownValue, err error) {
	modalities := make([]string, 0, len(f.Modalities))
	for _, m := range f.Modalities {
		modalities = append(modalities, string(m))
	}
	err = l.read(ctx, func(s *snapshot) error {
		missing = nil
		for _, list := range []struct {
			name, kind string
			values     []string
		}{{"modality", modalityKeyword, modalities}, {"type", typeKeyword, f.Types}, {"author", authorKeyword, f.Authors}, {"label", labelKeyword, f.Labels}} {
			for _, value := range list.values[:min(len(list.values), mostAsked)] {
				has, err := s.has(keyword(list.kind, value))
				if err != nil || ctx.Err() != nil {
					return err
				}
				if has || len(missing) == mostMissing {
					continue
				}
				m := UnknownValue{Filter: list.name, Value: value}
				if m.Known, m.More, err = s.known(list.kind, value); err != nil {
					return err
				}
				missing = append(missing, m)
			}
		}
		return nil
	})
	return missing, err
}

// has reports whether an entry has a keyword.
func (s *snapshot) has(keyword string) (has bool, err error) {
	for i, view := range s.views {
		err := segment.Guard(func() (err error) {
			has, err = view.HasKeyword(keyword)
			return err
		})
		if err != nil {
			return false, &segment.DamageError{View: i}
		}
		if has {
			return true, nil
		}
	}
	return false, nil
}

// known returns some of the keywords of a kind that entries have, the ones most
// like a value first, and whether there are more.
func (s *snapshot) known(kind, value string) (known []string, more bool, err error) {
	all := make(map[string]bool)
	for i, view := range s.views {
		err := segment.Guard(func() error {
			for k := range view.Segment.Keywords(kind) {
				if len(all) == mostListed {
					more = true
					break
				}
				all[k[len(kind):]] = true
			}
			return nil
		})
		if err != nil {
			return nil, false, &segment.DamageError{View: i}
		}
	}
	listed := slices.Sorted(maps.Keys(all))
	like := message.Closest(value, slices.Values(listed), mostKnown, 1)
	for _, k := range append(like, listed...) {
		if slices.Contains(known, k) {
			continue
		}
		has, err := s.has(kind + k)
		if err != nil {
			return nil, false, err
		}
		if has && len(known) == mostKnown {
			return known, true, nil
		}
		if has {
			known = append(known, k)
		}
	}
	return known, more, nil
}
