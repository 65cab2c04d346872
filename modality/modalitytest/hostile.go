package modalitytest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync/atomic"
	"testing"

	"github.com/citekit/citekit"
)

var errFlaky = errors.New("the disk is on fire")

// A flakyReader reads data, and fails from the read with number failAt on,
// counted from 0. If before is set, it is called before each read.
type flakyReader struct {
	data   []byte
	failAt int64 // -1 means never
	before func(read int64)
	reads  atomic.Int64
}

func (r *flakyReader) ReadAt(p []byte, off int64) (int, error) {
	read := r.reads.Add(1) - 1
	if r.before != nil {
		r.before(read)
	}
	if r.failAt >= 0 && read >= r.failAt {
		return 0, errFlaky
	}
	return bytes.NewReader(r.data).ReadAt(p, off)
}

// earlyReads are the reads at which errors happen.
func (s *suite) earlyReads() []int64 {
	if s.brief() {
		return []int64{0, 1, 5}
	}
	return []int64{0, 1, 2, 3, 5, 9}
}

// brief reports whether checks that repeat many times make fewer rounds.
func (s *suite) brief() bool {
	return testing.Short() || s.Slow && os.Getenv("CITEKIT_LONG") == ""
}

// checkReadErrors makes reads fail. A failure must never look like success with
// other bytes. A resolver may already have read everything it needs.
func (s *suite) checkReadErrors(t testing.TB) {
	for _, failAt := range s.earlyReads() {
		for _, c := range s.Good {
			r := &flakyReader{data: s.Source, failAt: failAt}
			out := s.resolve(t, t.Context(), s.over(r, s.Source, false), c.request(), largePiece)
			switch {
			case out.err == nil:
				s.inspectSame(t, c, out)
			case r.reads.Load() <= failAt:
				t.Errorf("%s: %v, want no error", c.Name, out.err)
			case errors.Is(out.err, citekit.ErrRange):
				t.Errorf("%s: a read failed, but the error is %q", c.Name, out.err)
			}
		}
	}
	s.inspectFirst(t, "after reads that failed")
}

// checkCancelledReading cancels during the reads of a call.
func (s *suite) checkCancelledReading(t testing.TB) {
	for _, at := range s.earlyReads() {
		for _, c := range s.Good {
			ctx, cancel := context.WithCancel(t.Context())
			r := &flakyReader{data: s.Source, failAt: -1, before: func(read int64) {
				if read == at {
					cancel()
				}
			}}
			out := s.resolve(t, ctx, s.over(r, s.Source, false), c.request(), largePiece)
			switch {
			case out.err == nil:
				s.inspectSame(t, c, out)
			case !errors.Is(out.err, ctx.Err()):
				t.Errorf("%s, cancelled at read %d: the error %q, want %v", c.Name, at, out.err, ctx.Err())
			}
			cancel()
		}
	}
	s.inspectFirst(t, "after calls that were cancelled")
}

// inspectSame checks that the outcome of a good case has the same bytes as
// without errors.
func (s *suite) inspectSame(t testing.TB, c Case, out outcome) {
	t.Helper()
	usual := s.resolve(t, t.Context(), s.memory(s.Source, false), c.request(), largePiece)
	if usual.err != nil || !s.inspectCase(t, c, out) {
		return
	}
	if !bytes.Equal(out.data, usual.data) {
		t.Errorf("%s: success with %s, usually it is %s", c.Name, excerpt(out.data), excerpt(usual.data))
	}
}

// checkGarbage resolves damaged sources, and sources of other formats.
func (s *suite) checkGarbage(t testing.TB) {
	requests := []citekit.Request{s.first(), {Location: s.whole()}}
	if len(s.OutOfRange) > 0 {
		requests = append(requests, citekit.Request{Location: s.OutOfRange[0]})
	}
	for i, data := range s.hostileSources() {
		src := s.memory(data, true)
		for _, req := range requests {
			out := s.resolve(t, t.Context(), src, req, largePiece)
			switch {
			case out.err != nil:
				s.inspectKnown(t, req.Location, out.err)
			case req.Location.IsWhole():
				s.inspectWhole(t, data, out)
			default:
				s.inspect(t, req.Location, out, s.EmptyParts)
			}
			if i%compareEvery == 0 {
				s.inspectUnversioned(t, data, req, out)
			}
		}
		s.hostileCompanions(t, src)
	}
	s.inspectFirst(t, "after garbage")
}

// compareEvery: one in so many hostile sources is resolved twice, for comparison.
const compareEvery = 3

// inspectUnversioned checks that a source of unknown version has the same
// outcome as one of known version. Its data cannot be cached, and cached data
// of other sources must not be used for it.
func (s *suite) inspectUnversioned(t testing.TB, data []byte, req citekit.Request, versioned outcome) {
	t.Helper()
	out := s.resolve(t, t.Context(), s.memory(data, false), req, largePiece)
	if (out.err == nil) != (versioned.err == nil) || !bytes.Equal(out.data, versioned.data) {
		t.Errorf("%v of a damaged source: %s, %v where its version is known, and %s, %v where it is not", label(req.Location),
			excerpt(versioned.data), versioned.err, excerpt(out.data), out.err)
	}
}

func (s *suite) hostileCompanions(t testing.TB, src *citekit.Source) {
	t.Helper()
	if m, ok := s.resolver.(citekit.Measurer); ok {
		if _, err := m.Measure(t.Context(), src); err != nil {
			s.inspectKnown(t, s.whole(), err)
		}
	}
	if _, ok := s.resolver.(citekit.TextReader); ok {
		if _, err := s.readText(t, t.Context(), src, s.Good[0].Location); err != nil {
			s.inspectKnown(t, s.Good[0].Location, err)
		}
	}
	s.previewHostile(t, src, s.Good[0].Location)
}

// hostileSources returns nonsense, truncations and bit flips of the source, and the
// garbage of the fixture.
func (s *suite) hostileSources() [][]byte {
	hostile := [][]byte{
		{}, {0}, []byte("\n"), []byte("x"), []byte("PK\x03\x04"), []byte("%PDF-1.7\n"), []byte("<html>"),
		[]byte("\x89PNG\r\n\x1a\n"), []byte("\xff\xd8\xff\xe0"), []byte("RIFF\xff\xff\xff\xffWAVE"),
		[]byte("\x00\x00\x00\x18ftypisom"), bytes.Repeat([]byte{0}, 4096), bytes.Repeat([]byte{0xff}, 4096),
		append(bytes.Clone(s.Source), s.Source...),
	}
	for _, v := range append(s.shortened(), s.altered(32)...) {
		hostile = append(hostile, v.data)
	}
	return hostile
}

// checkOtherSource changes the source under sources of unknown version: cached
// data of one must not be used for another.
func (s *suite) checkOtherSource(t testing.TB) {
	other := append(bytes.Clone(s.Source), s.Source...)
	for range 2 {
		s.inspectWhole(t, s.Source, s.resolve(t, t.Context(), s.memory(s.Source, false), citekit.Request{Location: s.whole()}, largePiece))
		out := s.resolve(t, t.Context(), s.memory(other, false), citekit.Request{Location: s.whole()}, largePiece)
		if out.err == nil {
			s.inspectWhole(t, other, out)
		}
		empty := s.resolve(t, t.Context(), s.memory(nil, false), s.first(), largePiece)
		if empty.err == nil {
			t.Errorf("%v of an empty source: success with %s", label(s.Good[0].Location), excerpt(empty.data))
		}
	}
	s.inspectShortSource(t)
}

// inspectShortSource resolves from a file that is shorter than its stated size,
// as if it was cut after it was opened.
func (s *suite) inspectShortSource(t testing.TB) {
	t.Helper()
	info := citekit.SourceInfo{Name: s.Name, Size: int64(len(s.Source))}
	var missing io.ReaderAt = bytes.NewReader(nil)
	out := s.resolve(t, t.Context(), citekit.NewSource(missing, info), s.first(), largePiece)
	if out.err == nil {
		if out.extract != nil && out.extract.Size >= 0 && out.extract.Size != int64(len(out.data)) {
			return // the Library detects a Body of another length than declared
		}
		t.Errorf("%v of a file that was cut: success with %s", label(s.Good[0].Location), excerpt(out.data))
	}
}
