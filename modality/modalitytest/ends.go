package modalitytest

import (
	"errors"
	"slices"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/selector"
)

// checkEnds moves the ends of the good cases, and of the locations out of range,
// further out. What Resolve refuses as out of range, ReadText must refuse too, and
// nothing else.
func (s *suite) checkEnds(t testing.TB) {
	if _, ok := s.resolver.(citekit.TextReader); !ok {
		return
	}
	from := slices.Clone(s.OutOfRange)
	for _, c := range s.Good {
		from = append(from, c.Location)
	}
	src := s.memory(s.Source, true)
	for _, loc := range from {
		for _, further := range Further(loc) {
			out := s.resolve(t, t.Context(), src, citekit.Request{Location: further}, largePiece)
			_, err := s.readText(t, t.Context(), src, further)
			refused, unread := errors.Is(out.err, citekit.ErrRange), errors.Is(err, citekit.ErrRange)
			switch {
			case errors.Is(out.err, errors.ErrUnsupported) || errors.Is(err, errors.ErrUnsupported):
			case refused != unread:
				t.Errorf("%v: Resolve gives %v, and ReadText %v; both or none must match %q", label(further), out.err, err, citekit.ErrRange)
			case refused && out.err.Error() != err.Error():
				t.Errorf("%v: Resolve says %q, and ReadText %q; they must say the same", label(further), out.err, err)
			}
		}
	}
}

// Further returns valid locations that begin like a location and end further out
// by one unit, and by many, one for each of its selectors that count.
func Further(loc citekit.Location) []citekit.Location {
	var all []citekit.Location
	for _, n := range []int{1, 2, 999} {
		add := func(move func(*citekit.Location)) {
			further := loc
			further.Pages = slices.Clone(loc.Pages)
			if move(&further); further.Validate() == nil {
				all = append(all, further)
			}
		}
		if i := len(loc.Pages) - 1; i >= 0 {
			add(func(l *citekit.Location) { l.Pages[i].Last += n })
		}
		if !loc.Lines.IsZero() {
			add(func(l *citekit.Location) { l.Lines.Last += n })
		}
		if !loc.Blocks.IsZero() {
			add(func(l *citekit.Location) { l.Blocks.Last += n })
		}
		if !loc.Rows.IsZero() {
			add(func(l *citekit.Location) { l.Rows.Last += n })
		}
		if !loc.Cells.IsZero() {
			add(func(l *citekit.Location) { l.Cells.Last.Row += int32(n) })
			add(func(l *citekit.Location) { l.Cells.Last.Col += int32(n) })
		}
		if loc.Sheet != "" && len(loc.Cols) > 0 {
			first, last := loc.SheetCols()
			add(func(l *citekit.Location) {
				l.Cols = []string{selector.ColName(first) + ":" + selector.ColName(last+n)}
			})
		}
		if parts := loc.Parts(); !parts.IsZero() {
			parts.Last += n
			add(func(l *citekit.Location) { l.Part = parts.String() })
		}
		if loc.Message != 0 {
			add(func(l *citekit.Location) { l.Message += n })
		}
		if loc.Time.End != 0 {
			add(func(l *citekit.Location) { l.Time.End += float64(n) })
		}
	}
	return all
}
