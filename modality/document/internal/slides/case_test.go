package slides_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// inCapitals returns a package with the names of its parts in another case than
// those that relationships and content types write.
func inCapitals(t testing.TB, data []byte) []byte {
	t.Helper()
	capitals := make(map[string]string)
	for name, content := range doctest.Unzip(t, data) {
		capitals[strings.ToUpper(name)] = content
	}
	return doctest.ZipMap(capitals)
}

// TestCaseOfParts: the names of parts are the same in any case (ISO/IEC 29500-2,
// section 6.2.2.3).
func TestCaseOfParts(t *testing.T) {
	sharedtest.Once(t)
	data := newDeck().bytes()
	other := inCapitals(t, data)
	for n := 1; n <= 5; n++ {
		if got, want := texts(t, other, pages(n, n)), texts(t, data, pages(n, n)); !slices.Equal(got, want) {
			t.Errorf("slide %d: %q, want %q", n, got, want)
		}
		cutOne, _ := cut(t, data, pages(n, n))
		cutOther, _ := cut(t, other, pages(n, n))
		want, got := doctest.Unzip(t, cutOne), doctest.Unzip(t, cutOther)
		if len(got) != len(want) {
			t.Errorf("slide %d: %d parts, want %d", n, len(got), len(want))
		}
		for name, text := range want {
			if name != "[Content_Types].xml" {
				name = strings.ToUpper(name)
			}
			if got[name] != text {
				t.Errorf("slide %d: %s is\n%s, want\n%s", n, name, got[name], text)
			}
		}
	}
}
