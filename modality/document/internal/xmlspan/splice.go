package xmlspan

import (
	"cmp"
	"slices"
	"strings"
)

// An Edit replaces the bytes from Pos to Stop of a document by Text.
type Edit struct {
	Pos, Stop int
	Text      string
}

// Splice returns the bytes of a document from pos to stop, with edits. Edits may come
// in any order. An edit inside another, or reaching outside the bytes, is ignored.
// Edits at the same place are applied in the order given.
func Splice(data string, pos, stop int, edits []Edit) string {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(min(a.Stop-a.Pos, 1), min(b.Stop-b.Pos, 1)))
	})
	var b strings.Builder
	b.Grow(max(stop-pos, 0))
	for _, e := range sorted {
		if e.Pos < pos || e.Stop > stop || e.Stop < e.Pos {
			continue
		}
		b.WriteString(data[pos:e.Pos])
		b.WriteString(e.Text)
		pos = e.Stop
	}
	b.WriteString(data[pos:stop])
	return b.String()
}

// Without returns a document without the elements for which drop returns true, with
// their content. The scanner must be at the beginning of the document. The root is
// kept.
func Without(s *Scanner, drop func(*Scanner) bool) (string, error) {
	var edits []Edit
	for s.Next() {
		if s.Kind == Start && s.Depth > 1 && drop(s) {
			pos := s.Pos
			s.Skip()
			edits = append(edits, Edit{Pos: pos, Stop: s.Stop})
		}
	}
	if len(edits) == 0 || s.err != nil {
		return s.data, s.err
	}
	return Splice(s.data, 0, len(s.data), edits), nil
}
