package modalitytest

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/citekit/citekit"
)

// checkGood resolves every good case from every kind of source, twice.
func (s *suite) checkGood(t testing.TB) {
	for _, c := range s.Good {
		var before *outcome
		for _, kind := range s.sourceKinds() {
			for _, piece := range []int{largePiece, smallPiece} {
				src := kind.open(t)
				out := s.resolve(t, t.Context(), src, c.request(), piece)
				s.inspectOffset(t, src)
				src.Close()
				if !s.inspectCase(t, c, out) {
					t.Errorf("%s: failed from %s", c.Name, kind.name)
					return
				}
				if before != nil && !bytes.Equal(out.data, before.data) {
					t.Errorf("%s from %s: not the bytes it gave before; evidence must be reproducible", c.Name, kind.name)
				}
				before = &out
			}
		}
	}
}

// inspectCase checks the outcome of a good case.
func (s *suite) inspectCase(t testing.TB, c Case, out outcome) bool {
	t.Helper()
	if out.err != nil {
		t.Errorf("%s: %v, want no error", c.Name, out.err)
		return false
	}
	if !s.inspect(t, c.Location, out, c.Want != nil && len(c.Want) == 0) {
		return false
	}
	if c.Want != nil && !bytes.Equal(out.data, c.Want) {
		t.Errorf("%s: got %s, want %s", c.Name, excerpt(out.data), excerpt(c.Want))
		return false
	}
	if c.Check != nil {
		c.Check(t, out.data, out.extract)
	}
	return true
}

// checkWhole asks for the whole source. The evidence must equal the source,
// byte for byte.
func (s *suite) checkWhole(t testing.TB) {
	for _, kind := range s.sourceKinds() {
		src := kind.open(t)
		out := s.resolve(t, t.Context(), src, citekit.Request{Location: s.whole()}, largePiece)
		src.Close()
		s.inspectWhole(t, s.Source, out)
	}
}

func (s *suite) inspectWhole(t testing.TB, source []byte, out outcome) {
	t.Helper()
	if out.err != nil {
		t.Errorf("the whole resource: %v, want no error", out.err)
		return
	}
	if s.inspect(t, s.whole(), out, len(source) == 0) && !bytes.Equal(out.data, source) {
		t.Errorf("the whole resource: got %s, want the source, %s", excerpt(out.data), excerpt(source))
	}
}

// checkMode checks all modes: a resolver of a format without time must return
// the same bytes in each, other resolvers a well-formed answer.
func (s *suite) checkMode(t testing.TB) {
	timed := s.modality == citekit.Video || s.modality == citekit.Audio
	for _, mode := range []citekit.Mode{citekit.ModeExact, citekit.ModeCopy, citekit.ModeStrict} {
		req := citekit.Request{Location: s.Good[0].Location, Mode: mode}
		out := s.resolve(t, t.Context(), s.memory(s.Source, true), req, largePiece)
		if timed && errors.Is(out.err, errors.ErrUnsupported) {
			continue
		}
		if out.err != nil {
			t.Errorf("mode %s: %v, want no error", mode, out.err)
			continue
		}
		s.inspect(t, req.Location, out, false)
		if want := s.Good[0].Want; !timed && want != nil && !bytes.Equal(out.data, want) {
			t.Errorf("mode %s: got %s, want %s", mode, excerpt(out.data), excerpt(want))
		}
	}
}

// checkNoBody resolves every good case of a modality without bytes.
func (s *suite) checkNoBody(t testing.TB) {
	for _, c := range s.Good {
		touched := &flakyReader{data: s.Source, failAt: -1}
		for _, src := range []*citekit.Source{nil, s.over(touched, s.Source, true)} {
			out := s.resolve(t, t.Context(), src, c.request(), largePiece)
			switch {
			case out.err != nil:
				t.Errorf("%s: %v, want no error", c.Name, out.err)
				continue
			case out.extract == nil:
				t.Errorf("%s: neither an extract nor an error", c.Name)
				continue
			case out.extract.Body != nil || out.extract.Size != 0:
				t.Errorf("%s: Size is %d and Body %v; there are no bytes", c.Name, out.extract.Size, out.extract.Body)
			}
			s.inspectActual(t, c.Location, out.extract.Actual)
			if c.Check != nil {
				c.Check(t, nil, out.extract)
			}
		}
		if touched.reads.Load() > 0 {
			t.Errorf("%s: the source was read", c.Name)
		}
	}
}

// inspectOffset checks that the offset of the open file has not moved.
func (s *suite) inspectOffset(t testing.TB, src *citekit.Source) {
	t.Helper()
	f := src.File()
	if f == nil {
		return
	}
	if offset, err := f.Seek(0, 1); err != nil || offset != 0 {
		t.Errorf("the open file was closed or its offset moved: %d, %v", offset, err)
	}
}

// checkConcurrent resolves all cases at once, from shared sources and from one
// source for each caller, while some callers give up.
func (s *suite) checkConcurrent(t testing.TB) {
	shared := []*citekit.Source{s.memory(s.Source, true), s.memory(s.Source, false), s.file(t)}
	defer shared[2].Close()

	const callers = 4
	var all sync.WaitGroup
	for _, c := range s.Good {
		for i := range callers {
			src := shared[i%len(shared)]
			if i == callers-1 {
				src = s.memory(s.Source, true)
			}
			all.Go(func() {
				out := s.resolve(t, t.Context(), src, c.request(), largePiece)
				if out.err != nil {
					t.Errorf("%s, called concurrently: %v", c.Name, out.err)
				} else if c.Want != nil && !bytes.Equal(out.data, c.Want) {
					t.Errorf("%s, called concurrently: got %s, want %s", c.Name, excerpt(out.data), excerpt(c.Want))
				}
			})
			all.Go(func() { s.resolve(t, cancelled(), src, c.request(), largePiece) })
		}
	}
	all.Wait()
}

// checkClosedEarly closes Bodies that were read partly or not at all.
func (s *suite) checkClosedEarly(t testing.TB) {
	for _, c := range s.Good {
		for _, n := range []int{0, 1} {
			src := s.file(t)
			x, err := s.call(t.Context(), src, c.request())
			if err != nil || x == nil || x.Body == nil {
				t.Errorf("%s: %v, want no error", c.Name, err)
				return
			}
			if _, err := x.Body.Read(make([]byte, n)); n > 0 && err != nil && len(c.Want) > n {
				t.Errorf("%s: the first byte: %v, want no error", c.Name, err)
			}
			if err := x.Body.Close(); err != nil {
				t.Errorf("%s: Close after %d bytes: %v, want no error", c.Name, n, err)
			}
			src.Close()
		}
		s.inspectCase(t, c, s.resolve(t, t.Context(), s.memory(s.Source, true), c.request(), largePiece))
	}
}

const maxExcerpt = 60

// excerpt shows the beginning of data.
func excerpt(data []byte) string {
	if len(data) <= maxExcerpt {
		return fmt.Sprintf("%d bytes %q", len(data), data)
	}
	return fmt.Sprintf("%d bytes %q…", len(data), data[:maxExcerpt])
}
