package plain_test

import (
	"testing"

	"github.com/citekit/citekit/internal/plain"
)

func TestNFC(t *testing.T) {
	for s, want := range map[string]string{
		"":                     "",
		"plain":                "plain",
		"cafe\u0301":           "café",
		"o\u0302\u0323":        "ộ",
		"a\u0323\u0302\u0301b": "ậ\u0301b",
		"\u1112\u1161\u11ab":   "한",
		"\u212b\u212a":         "ÅK",
		"\u0958":               "\u0915\u093c", // excluded from composition
		"a\xff\xffe\u0301":     "a\ufffd\ufffdé",
	} {
		if got := plain.NFC(s); got != want {
			t.Errorf("NFC(%+q) = %+q, want %+q", s, got, want)
		}
	}
}

func TestBaseRune(t *testing.T) {
	for r, want := range map[rune]rune{'a': 'a', 'é': 'e', 'ậ': 'a', '한': '한', 'が': 'か', 'ß': 'ß', 'ø': 'ø', '\U0010ffff': '\U0010ffff'} {
		if got := plain.BaseRune(r); got != want {
			t.Errorf("BaseRune(%q) = %q, want %q", r, got, want)
		}
	}
}
