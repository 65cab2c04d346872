package modalitytest

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/citekit/citekit"
)

// strangers are beginnings of sources that only the resolver for them may claim.
var strangers = [][]byte{
	nil,
	make([]byte, 512),
	[]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"),
	[]byte("%PDF-1.7\n"),
	[]byte("PK\x03\x04\x14\x00"),
}

// checkDetect asks a [citekit.Detector] about the source and about others: it is asked
// about every source before anything else, so one that claims too much takes the
// sources of all other resolvers.
func (s *suite) checkDetect(t testing.TB) {
	d, ok := s.resolver.(citekit.Detector)
	if !ok {
		return
	}
	for _, kind := range s.sourceKinds() {
		src := kind.open(t)
		if own, err := s.detect(t, t.Context(), d, src); err != nil || !own {
			t.Errorf("Detect of the source from %s: %v, %v; want true", kind.name, own, err)
		}
		src.Close()
	}
	for _, data := range strangers {
		if len(data) > 0 && len(s.Source) > 4 && bytes.HasPrefix(data, s.Source[:4]) {
			continue
		}
		for _, name := range []string{"stranger", "stranger.bin"} {
			src := citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: name, Size: int64(len(data))})
			if own, err := s.detect(t, t.Context(), d, src); err != nil || own {
				t.Errorf("Detect of a source that begins with %q: %v, %v; want false", data[:min(len(data), 8)], own, err)
			}
		}
	}
	if _, err := s.detect(t, cancelled(), d, s.memory(s.Source, true)); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("Detect: the error %v, want %q or none", err, context.Canceled)
	}
}

// detect calls Detect. A panic is reported and becomes an error.
func (s *suite) detect(t testing.TB, ctx context.Context, d citekit.Detector, src *citekit.Source) (own bool, err error) {
	t.Helper()
	defer catch(t, "Detect", &err)
	return d.Detect(ctx, src)
}
