package segment

import (
	"context"
	"errors"
)

// Passing returns the documents of a view that are in the set that Only returns and
// meet all Required and none of the Excluded conditions. It ignores q.Words.
func Passing(ctx context.Context, v View, q *Query) (Bitmap, error) {
	passing := NewBitmap(v.Segment.docs)
	err := Guard(func() error {
		s := scans.Get().(*scan)
		defer s.release()
		return s.passing(ctx, v, q, passing)
	})
	if errors.Is(err, ErrDamaged) {
		return nil, ErrDamaged
	}
	return passing, err
}

func (s *scan) passing(ctx context.Context, v View, q *Query, set Bitmap) (err error) {
	s.segment = v.Segment
	if s.only, err = (&plan{query: q}).only(v); err != nil {
		return err
	}
	if s.conditions, err = openConditions(v.Segment, q); err != nil {
		return err
	}
	docs := uint32(v.Segment.docs)
	for s.first = 0; s.first < docs; s.first = s.next {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.next = min(s.first+window, docs)
		selective, err := s.restrict()
		if err != nil {
			return err
		}
		if !selective {
			set.AddRange(Range{First: s.first, End: s.next})
			continue
		}
		copy(set[s.first/64:], s.met[:min(window/64, len(set)-int(s.first/64))])
	}
	return nil
}
