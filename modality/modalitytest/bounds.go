package modalitytest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/citekit/citekit"
)

// checkOutOfRange asks for locations outside the source, before and after a
// good call.
func (s *suite) checkOutOfRange(t testing.TB) {
	for _, loc := range s.OutOfRange {
		for range 2 {
			src := s.memory(s.Source, true)
			out := s.resolve(t, t.Context(), src, citekit.Request{Location: loc}, largePiece)
			s.inspectRefusal(t, loc, out, citekit.ErrRange)
			s.resolve(t, t.Context(), src, s.first(), largePiece)
		}
	}
}

// inspectRefusal checks that the outcome is one of the errors.
func (s *suite) inspectRefusal(t testing.TB, loc citekit.Location, out outcome, want ...error) {
	t.Helper()
	if out.err == nil {
		t.Errorf("%v: success with %s, want the error %q", label(loc), excerpt(out.data), want[0])
		return
	}
	s.inspectError(t, loc, out.err)
	if !matches(out.err, append(want, errPanic)...) {
		t.Errorf("%v: the error %q, want one that matches %q", label(loc), out.err, want[0])
	}
}

// checkForeign asks with the selectors of other modalities, under their own
// name and under the resolver's.
func (s *suite) checkForeign(t testing.TB) {
	src := s.memory(s.Source, true)
	for _, loc := range s.foreign() {
		out := s.resolve(t, t.Context(), src, citekit.Request{Location: loc}, largePiece)
		s.inspectRefusal(t, loc, out, errors.ErrUnsupported, citekit.ErrSyntax)
	}
}

func (s *suite) foreign() []citekit.Location {
	var locations []citekit.Location
	if s.Foreign.Modality != "" {
		locations = append(locations, s.Foreign)
	}
	for _, loc := range []citekit.Location{
		{Modality: citekit.Document, Pages: []citekit.Range{{First: 1, Last: 1}}},
		{Modality: citekit.Video, Time: citekit.Span{Start: 0, End: 0.01}},
		{Modality: citekit.Image, Box: citekit.Box{X1: 0, Y1: 0, X2: 0.5, Y2: 0.5}},
		{Modality: citekit.Text, Lines: citekit.Range{First: 1, Last: 1}},
		{Modality: citekit.Virtual, VirtualAddress: "virtual://elsewhere"},
	} {
		own := loc
		own.Modality = s.modality
		if loc.Modality == s.modality || own.Validate() == nil {
			continue
		}
		locations = append(locations, loc, own)
	}
	return locations
}

// checkCancelled calls with contexts that are done.
func (s *suite) checkCancelled(t testing.TB) {
	late, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	for _, ctx := range []context.Context{cancelled(), late} {
		for _, versioned := range []bool{false, true} {
			src := s.memory(s.Source, versioned)
			for _, req := range s.requests() {
				s.inspectRefusal(t, req.Location, s.resolve(t, ctx, src, req, largePiece), ctx.Err())
			}
			s.cancelledCompanions(t, ctx, src)
		}
	}
	s.inspectFirst(t, "after calls that were cancelled")
}

func (s *suite) requests() []citekit.Request {
	requests := make([]citekit.Request, len(s.Good))
	for i, c := range s.Good {
		requests[i] = c.request()
	}
	if s.NoBody {
		return requests
	}
	return append(requests, citekit.Request{Location: s.whole()})
}

func (s *suite) cancelledCompanions(t testing.TB, ctx context.Context, src *citekit.Source) {
	t.Helper()
	if m, ok := s.resolver.(citekit.Measurer); ok {
		if _, err := m.Measure(ctx, src); !errors.Is(err, ctx.Err()) {
			t.Errorf("Measure: the error %v, want %q", err, ctx.Err())
		}
	}
	if _, ok := s.resolver.(citekit.TextReader); ok {
		_, err := s.readText(t, ctx, src, s.Good[0].Location)
		if !errors.Is(err, ctx.Err()) && !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("ReadText: the error %v, want %q", err, ctx.Err())
		}
	}
}

// inspectFirst checks that the first good case still resolves.
func (s *suite) inspectFirst(t testing.TB, when string) {
	t.Helper()
	if s.NoBody {
		return
	}
	out := s.resolve(t, t.Context(), s.memory(s.Source, true), s.first(), largePiece)
	if !s.inspectCase(t, s.Good[0], out) {
		t.Errorf("that was %s", when)
	}
}

// checkMeasure compares the extent with the fixture and the good cases.
func (s *suite) checkMeasure(t testing.TB) {
	m, ok := s.resolver.(citekit.Measurer)
	if !ok {
		return
	}
	for _, kind := range s.sourceKinds() {
		src := kind.open(t)
		extent, err := m.Measure(t.Context(), src)
		src.Close()
		if err != nil {
			t.Errorf("Measure from %s: %v, want no error", kind.name, err)
			continue
		}
		if s.Extent != (citekit.Extent{}) && extent != s.Extent {
			t.Errorf("Measure from %s: got %+v, want %+v", kind.name, extent, s.Extent)
		}
		for _, c := range s.Good {
			if err := extent.Check(c.Location); err != nil {
				t.Errorf("%s lies outside what Measure says: %v", c.Name, err)
			}
		}
	}
}

// checkVersion checks the name of the output format.
func (s *suite) checkVersion(t testing.TB) {
	v, ok := s.resolver.(citekit.Versioner)
	if !ok {
		return
	}
	if version := v.Version(); version == "" || version != v.Version() {
		t.Errorf("Version: %q; it must say something, and always the same", version)
	}
}
