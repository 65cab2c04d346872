package segment

import (
	"context"
	"errors"
)

// Passing returns, for each view, the documents that are in the set that Only returns and
// meet all Required and none of the Excluded conditions. It ignores q.Words. An error is a
// [*DamageError], or what Only or ctx returns.
func Passing(ctx context.Context, views []View, q *Query) ([]Bitmap, error) {
	sets := make([]Bitmap, len(views))
	for v := range views {
		sets[v] = NewBitmap(views[v].Segment.docs)
	}
	return sets, pass(ctx, views, q, func(view int, docs Range, met Bitmap) bool {
		set := sets[view]
		if met == nil {
			set.AddRange(docs)
		} else {
			copy(set[docs.First/64:], met[:min(window/64, len(set)-int(docs.First/64))])
		}
		return true
	})
}

// AnyPassing reports whether [Passing] would return any document.
func AnyPassing(ctx context.Context, views []View, q *Query) (found bool, err error) {
	err = pass(ctx, views, q, func(int, Range, Bitmap) bool {
		found = true
		return false
	})
	return found, err
}

// pass calls f with each range of documents of which some pass, until it returns false. In
// a set, documents count from the first of the range; a nil set means all.
func pass(ctx context.Context, views []View, q *Query, f func(view int, docs Range, met Bitmap) bool) error {
	p := &plan{views: views, query: q, lookup: q.Lookup}
	if p.lookup == nil {
		p.lookup = NewLookup(views)
	}
	if err := p.planConditions(); err != nil {
		return err
	}
	for v, goes := 0, true; goes && v < len(views); v++ {
		err := Guard(func() error {
			s := scans.Get().(*scan)
			defer s.release()
			return s.pass(ctx, p, v, func(docs Range, met Bitmap) bool {
				goes = f(v, docs, met)
				return goes
			})
		})
		if errors.Is(err, ErrDamaged) {
			return &DamageError{v}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *scan) pass(ctx context.Context, p *plan, view int, f func(Range, Bitmap) bool) error {
	s.segment, s.view = p.views[view].Segment, view
	may, err := s.openConditions(p)
	if err != nil || !may {
		return err
	}
	if s.only, err = p.only(p.views[view]); err != nil {
		return err
	}
	docs := uint32(s.segment.docs)
	for s.first = 0; s.first < docs; s.first = s.next {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.next = min(s.first+window, docs)
		selective, err := s.restrict()
		if err != nil {
			return err
		}
		var met Bitmap
		if selective {
			if s.met == [window / 64]uint64{} {
				continue
			}
			met = s.met[:]
		}
		if !f(Range{First: s.first, End: s.next}, met) {
			return nil
		}
	}
	return nil
}
