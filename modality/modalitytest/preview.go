package modalitytest

import (
	"bytes"
	"context"
	"errors"
	"image"
	_ "image/jpeg" // the format of previews
	_ "image/png"
	"sync"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/preview"
)

// smallSide is the longest side of the pictures that the suite asks for.
const smallSide = 160

// checkPreview checks the pictures of all good cases, and asks for pictures
// that cannot exist.
func (s *suite) checkPreview(t testing.TB) {
	if _, ok := s.resolver.(preview.Previewer); !ok {
		return
	}
	for _, loc := range s.previewed() {
		var first *preview.Preview
		for _, kind := range s.sourceKinds() {
			src := kind.open(t)
			p, err := s.preview(t, t.Context(), src, loc, preview.Options{Side: smallSide})
			src.Close()
			if errors.Is(err, errors.ErrUnsupported) {
				continue
			}
			if err != nil {
				t.Errorf("%v: Preview from %s: %v, want no error", label(loc), kind.name, err)
				continue
			}
			s.inspectPreview(t, loc, p, smallSide)
			if first == nil {
				first = p
			} else if p != nil && !bytes.Equal(p.Data, first.Data) {
				t.Errorf("%v: Preview from %s gives other bytes than before", label(loc), kind.name)
			}
		}
	}
	s.refusedPreviews(t)
	s.concurrentPreviews(t)
}

// previewed lists the locations that should have pictures.
func (s *suite) previewed() []citekit.Location {
	locations := []citekit.Location{s.whole()}
	for _, c := range s.Good {
		locations = append(locations, c.Location)
	}
	return locations
}

// preview makes one call. A panic is reported and becomes an error.
func (s *suite) preview(t testing.TB, ctx context.Context, src *citekit.Source, loc citekit.Location, opts preview.Options) (p *preview.Preview, err error) {
	t.Helper()
	defer catch(t, label(loc)+": Preview", &err)
	return s.resolver.(preview.Previewer).Preview(ctx, src, loc, opts)
}

const maxPreview = 32 << 20 // bytes

// inspectPreview checks that a preview matches its description.
func (s *suite) inspectPreview(t testing.TB, loc citekit.Location, p *preview.Preview, side int) {
	t.Helper()
	if p == nil {
		t.Errorf("%v: Preview: neither a picture nor an error", label(loc))
		return
	}
	img, format, err := image.Decode(bytes.NewReader(p.Data))
	switch {
	case err != nil:
		t.Errorf("%v: the preview of %d bytes cannot be decoded: %v", label(loc), len(p.Data), err)
		return
	case p.MediaType != "image/"+format:
		t.Errorf("%v: the preview is %s and says it is %s", label(loc), format, p.MediaType)
	case img.Bounds().Size() != image.Pt(p.Width, p.Height):
		t.Errorf("%v: the preview has %v pixels and says %dx%d", label(loc), img.Bounds().Size(), p.Width, p.Height)
	case max(p.Width, p.Height) > side || len(p.Data) > maxPreview:
		t.Errorf("%v: a preview of %dx%d pixels and %d bytes; at most %d pixels were wanted", label(loc), p.Width, p.Height, len(p.Data), side)
	}
	if len(p.Shown) == 0 {
		t.Errorf("%v: the preview does not say what it shows", label(loc))
	}
	for _, shown := range p.Shown {
		if err := shown.Validate(); err != nil || shown.Modality != s.modality || !loc.Contains(shown) {
			t.Errorf("%v: the preview shows %v (%v)", label(loc), label(shown), err)
		}
	}
}

// refusedPreviews asks for pictures that cannot exist.
func (s *suite) refusedPreviews(t testing.TB) {
	src := s.memory(s.Source, true)
	refused := func(ctx context.Context, loc citekit.Location, opts preview.Options, want ...error) {
		t.Helper()
		_, err := s.preview(t, ctx, src, loc, opts)
		if matches(err, append(want, errors.ErrUnsupported)...) {
			s.inspectError(t, loc, err)
			return
		}
		t.Errorf("%v: Preview: the error %v, want one that matches %q", label(loc), err, want)
	}
	small := preview.Options{Side: smallSide}
	for _, loc := range s.OutOfRange {
		refused(t.Context(), loc, small, citekit.ErrRange)
	}
	for _, loc := range s.foreign() {
		refused(t.Context(), loc, small, citekit.ErrSyntax)
	}
	loc := s.Good[0].Location
	for _, opts := range []preview.Options{
		{Side: -1}, {Side: 1}, {Side: 1 << 20}, {Boxes: make([]citekit.Box, 1)}, {Boxes: []citekit.Box{{X1: .5, X2: .4, Y2: 1}}},
	} {
		refused(t.Context(), loc, opts, citekit.ErrSyntax)
	}
	refused(cancelled(), loc, small, context.Canceled)
}

// concurrentPreviews asks for the first good case several times at once, while
// other callers resolve it.
func (s *suite) concurrentPreviews(t testing.TB) {
	const callers = 4
	loc := s.Good[0].Location
	src := s.memory(s.Source, true)
	want, err := s.preview(t, t.Context(), src, loc, preview.Options{Side: smallSide})
	if err != nil || want == nil {
		return // another check reports this
	}
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			if i%2 == 0 {
				s.resolve(t, t.Context(), src, s.first(), largePiece)
			}
			p, err := s.preview(t, t.Context(), src, loc, preview.Options{Side: smallSide})
			if err != nil || p == nil || !bytes.Equal(p.Data, want.Data) {
				t.Errorf("%v: Preview, called concurrently: other bytes, or %v", label(loc), err)
			}
		})
	}
	all.Wait()
}

// previewHostile makes a picture of a hostile source.
func (s *suite) previewHostile(t testing.TB, src *citekit.Source, loc citekit.Location) {
	t.Helper()
	if _, ok := s.resolver.(preview.Previewer); !ok {
		return
	}
	p, err := s.preview(t, t.Context(), src, loc, preview.Options{Side: smallSide})
	if err != nil {
		s.inspectKnown(t, loc, err)
		return
	}
	s.inspectPreview(t, loc, p, smallSide)
}
