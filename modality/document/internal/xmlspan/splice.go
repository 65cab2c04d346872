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
			edits = append(edits, s.Drop())
		}
	}
	if len(edits) == 0 || s.err != nil {
		return s.data, s.err
	}
	return Splice(s.data, 0, len(s.data), edits), nil
}

// Ranges pairs elements that begin ranges with elements that end them, by the keys of
// the ranges. A cut may have only one of the two.
type Ranges map[string]*rangeMarks

// rangeMarks are the edits that remove the elements of one key.
type rangeMarks struct {
	starts []Edit
	paired []Edit // ends with a start before them
	alone  []Edit // ends without a start before them
}

// Add records the edit that removes a start or an end of a range.
func (r Ranges) Add(key string, isStart bool, mark Edit) {
	m := r[key]
	if m == nil {
		m = new(rangeMarks)
		r[key] = m
	}
	switch {
	case isStart:
		m.starts = append(m.starts, mark)
	case len(m.starts) > len(m.paired):
		m.paired = append(m.paired, mark)
	default:
		m.alone = append(m.alone, mark)
	}
}

// Unpaired returns the edits that remove the starts without an end and the ends
// without a start.
func (r Ranges) Unpaired(key string) []Edit {
	m := r[key]
	return slices.Concat(m.starts[len(m.paired):], m.alone)
}

// All returns the edits that remove all starts and ends of a key.
func (r Ranges) All(key string) []Edit {
	m := r[key]
	return slices.Concat(m.starts, m.paired, m.alone)
}
