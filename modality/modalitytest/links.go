package modalitytest

import (
	"context"
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/relations"
)

// checkLinks reads the links from every kind of source, and from truncated
// sources, which may fail.
func (s *suite) checkLinks(t testing.TB) {
	linker, ok := s.resolver.(relations.Linker)
	if !ok {
		return
	}
	for _, kind := range s.sourceKinds() {
		src := kind.open(t)
		if err := s.readLinks(t, t.Context(), src); err != nil {
			t.Errorf("ReadLinks from %s: %v, want no error", kind.name, err)
		}
		for range linker.ReadLinks(t.Context(), src) {
			break
		}
		src.Close()
	}
	for n := range 8 {
		_ = s.readLinks(t, t.Context(), s.memory(s.Source[:len(s.Source)*n/8], true))
	}
	if err := s.readLinks(t, cancelled(), s.memory(s.Source, true)); !errors.Is(err, context.Canceled) {
		t.Errorf("ReadLinks once its context is done: the error %v", err)
	}
}

// readLinks checks each link, and that nothing comes after an error.
func (s *suite) readLinks(t testing.TB, ctx context.Context, src *citekit.Source) (err error) {
	t.Helper()
	defer catch(t, "ReadLinks", &err)
	for link, e := range s.resolver.(relations.Linker).ReadLinks(ctx, src) {
		if err != nil {
			t.Errorf("ReadLinks went on after the error %v", err)
			break
		}
		if err = e; err == nil {
			s.inspectLink(t, link)
		}
	}
	return err
}

func (s *suite) inspectLink(t testing.TB, link relations.Link) {
	t.Helper()
	for _, loc := range []citekit.Location{link.From, link.To} {
		if loc.Modality == "" && loc.IsWhole() {
			continue // has no place in the source
		}
		if err := loc.Validate(); err != nil || loc.Modality != s.modality {
			t.Errorf("the link to %q has the location %v: %v", link.Target, label(loc), err)
		}
	}
	const longestText, longestTarget = 200, 4 << 10
	if link.Kind == "" || len(link.Text) > longestText || len(link.Target) > longestTarget || !utf8.ValidString(link.Text+link.Target) {
		t.Errorf("a link that is not as documented: %+v", link)
	}
	if link.From.Modality == "" || link.Target == "" && link.To.Modality == "" {
		t.Errorf("a link from or to nowhere: %+v", link)
	}
}
