package modalitytest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citekit/citekit"
)

// checkText reads the text of all good cases and of the whole source. No run of it may
// lie outside what Measure says.
func (s *suite) checkText(t testing.TB) {
	if _, ok := s.resolver.(citekit.TextReader); !ok {
		return
	}
	for _, c := range s.Good {
		for _, kind := range s.sourceKinds() {
			src := kind.open(t)
			text, err := s.readText(t, t.Context(), src, c.Location)
			switch {
			case errors.Is(err, errors.ErrUnsupported) && c.WantText == "":
			case err != nil:
				t.Errorf("%s: ReadText from %s: %v, want no error", c.Name, kind.name, err)
			case c.WantText != "" && text != c.WantText:
				t.Errorf("%s: ReadText from %s: got %s, want %s", c.Name, kind.name, excerpt([]byte(text)), excerpt([]byte(c.WantText)))
			}
			for range s.text(t.Context(), src, c.Location) {
				break
			}
			src.Close()
		}
	}
	if _, err := s.readText(t, t.Context(), s.memory(s.Source, true), s.whole()); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("ReadText of the whole source: %v, want no error", err)
	}
	for _, loc := range s.OutOfRange {
		_, err := s.readText(t, t.Context(), s.memory(s.Source, true), loc)
		if !errors.Is(err, citekit.ErrRange) && !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%v: ReadText: the error %v, want one that matches %q", label(loc), err, citekit.ErrRange)
		}
	}
}

// readText joins all runs at loc and checks each. It stops at the first error,
// and checks that the reader does so too.
func (s *suite) readText(t testing.TB, ctx context.Context, src *citekit.Source, loc citekit.Location) (text string, err error) {
	t.Helper()
	defer catch(t, label(loc)+": ReadText", &err)
	var all strings.Builder
	for run, e := range s.text(ctx, src, loc) {
		if err != nil {
			t.Errorf("%v: ReadText went on after the error %v", label(loc), err)
			break
		}
		if err = e; err != nil {
			continue
		}
		s.inspectRun(t, loc, run)
		all.WriteString(run.Text)
	}
	return all.String(), err
}

func (s *suite) inspectRun(t testing.TB, loc citekit.Location, run citekit.TextRun) {
	t.Helper()
	if !utf8.ValidString(run.Text) {
		t.Errorf("%v: the text at %v is not UTF-8", label(loc), label(run.Location))
	}
	if err := run.Location.Validate(); err != nil {
		t.Errorf("%v: a run of text has an invalid location: %v", label(loc), err)
	}
	if !s.belongs(run.Location) || !within(run.Location, loc) {
		t.Errorf("%v: a run of text is at %v", label(loc), label(run.Location))
	}
	if run.Location.Rows.Len() > 1 {
		t.Errorf("%v: a run of text has several rows, %v; a quote in it must lead to its row", label(loc), label(run.Location))
	}
	if extent := s.extent(); extent != nil {
		if err := extent.Check(run.Location); err != nil {
			t.Errorf("%v: a run of text is at %v, outside what Measure says: %v", label(loc), label(run.Location), err)
		}
	}
}

// extent returns what Measure says of the source, or nil if it says nothing.
func (s *suite) extent() *citekit.Extent {
	s.measure.Do(func() {
		m, ok := s.resolver.(citekit.Measurer)
		if !ok {
			return
		}
		// checkMeasure reports an error.
		if extent, err := m.Measure(context.Background(), s.memory(s.Source, true)); err == nil {
			s.measured = &extent
		}
	})
	return s.measured
}

// within reports whether the lines or pages of part lie in those of all.
func within(part, all citekit.Location) bool {
	if !all.Lines.IsZero() && (part.Lines.First < all.Lines.First || part.Lines.Last > all.Lines.Last) {
		return false
	}
	if len(all.Pages) == 0 {
		return true
	}
	joined := part.WithPages(append(append([]citekit.Range{}, part.Pages...), all.Pages...)...)
	return len(part.Pages) > 0 && joined.PageCount() == all.PageCount()
}
