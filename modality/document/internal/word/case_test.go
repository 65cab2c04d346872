package word_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/doctest"
)

// TestCaseOfParts: the names of parts are the same in any case (ISO/IEC 29500-2,
// section 6.2.2.3).
func TestCaseOfParts(t *testing.T) {
	data := report().pack(t)
	capitals := make(map[string]string)
	for name, text := range doctest.Unzip(t, data) {
		capitals[strings.ToUpper(name)] = text
	}
	other := doctest.ZipMap(capitals)
	if got, want := read(t, other, whole), read(t, data, whole); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for n := range len(texts) {
		cutOne, _ := cut(t, data, blocks(n+1, n+1))
		cutOther, _ := cut(t, other, blocks(n+1, n+1))
		want, got := doctest.Unzip(t, cutOne), doctest.Unzip(t, cutOther)
		if len(got) != len(want) {
			t.Errorf("block %d: %d parts, want %d", n+1, len(got), len(want))
		}
		for name, text := range want {
			if name != "[Content_Types].xml" {
				name = strings.ToUpper(name)
			}
			if got[name] != text {
				t.Errorf("block %d: %s is\n%s, want\n%s", n+1, name, got[name], text)
			}
		}
	}
}
