package lazyregexp_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/lazyregexp"
)

func TestRegexp(t *testing.T) {
	word := lazyregexp.New(`(\w)\w*`)
	if got := word.FindStringSubmatch("a bc"); len(got) != 2 || got[0] != "a" {
		t.Errorf("got %q", got)
	}
	if got := word.ReplaceAllStringFunc("a bc", strings.ToUpper); got != "A BC" {
		t.Errorf("got %q", got)
	}
}

// TestFault checks that tests find an expression that cannot be compiled even
// if they do not use it.
func TestFault(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	lazyregexp.New("(")
}
