package ctxio_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/ctxio"
)

func TestHashLimit(t *testing.T) {
	ctx := ctxio.WithHashLimit(t.Context(), 10)
	for i, test := range []struct {
		size int
		fits bool
	}{{6, true}, {5, false}, {4, true}, {1, false}, {0, true}} {
		r := strings.NewReader(strings.Repeat("x", test.size))
		hash, _, err := ctxio.Hash(ctx, sized{r})
		if test.fits && (err != nil || hash == "") || !test.fits && (!errors.Is(err, ctxio.ErrHashLimit) || r.Len() != test.size) {
			t.Errorf("%d: %d bytes: %q, %v, %d left", i, test.size, hash, err, r.Len())
		}
	}
	if _, _, err := ctxio.Hash(t.Context(), sized{strings.NewReader(strings.Repeat("x", 100))}); err != nil {
		t.Errorf("without a limit: %v", err)
	}
}

type sized struct{ *strings.Reader }
