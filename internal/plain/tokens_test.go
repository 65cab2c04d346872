package plain_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/plain"
)

func TestCount(t *testing.T) {
	for text, want := range map[string]int{
		"":                       0,
		"a":                      1,
		"four":                   1,
		"fours":                  2,
		"検索":                     2,
		"検索 of":                  3,
		"한국어":                    3,
		strings.Repeat("é", 400): 100,
		"\xff\xfe":               1,
	} {
		if got := plain.CountTokens(text); got != want {
			t.Errorf("Count(%q) = %d, want %d", text, got, want)
		}
	}
}

func FuzzFit(f *testing.F) {
	f.Add("some words of 検索", 3)
	f.Add("\xff", 0)
	f.Fuzz(func(t *testing.T, text string, most int) {
		if most < 0 || most > 1<<20 {
			t.Skip()
		}
		n := plain.FitTokens(text, most)
		if got := plain.CountTokens(text[:n]); got > most {
			t.Errorf("the first %d bytes have %d tokens, more than %d", n, got, most)
		}
		end := plain.FitTokensEnd(text, most)
		if got := plain.CountTokens(text[len(text)-end:]); got > most {
			t.Errorf("the last %d bytes have %d tokens, more than %d", end, got, most)
		}
		if n < len(text) {
			if rest := []rune(text[n:]); plain.CountTokens(text[:n]+string(rest[:1])) <= most {
				t.Errorf("%d bytes fit, and one character more does too", n)
			}
		}
	})
}
