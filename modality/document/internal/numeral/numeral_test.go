package numeral_test

import (
	"testing"

	"github.com/citekit/citekit/modality/document/internal/numeral"
)

func TestNumerals(t *testing.T) {
	for n, want := range map[int][2]string{
		0: {"0", "0"}, 1: {"I", "A"}, 4: {"IV", "D"}, 26: {"XXVI", "Z"}, 27: {"XXVII", "AA"}, 52: {"LII", "ZZ"}, 53: {"LIII", "53"},
		1994: {"MCMXCIV", "1994"}, 4000: {"4000", "4000"},
	} {
		if roman, letters := numeral.Roman(n, 3999), numeral.Letters(n, 2, 'A'); roman != want[0] || letters != want[1] {
			t.Errorf("%d: %s, %s, want %q", n, roman, letters, want)
		}
	}
}
