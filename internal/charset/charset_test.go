package charset_test

import (
	"testing"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/charset"
)

func TestGuess(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "",
		"plain":                        "plain",
		"\xef\xbb\xbfm\xc3\xa4rk":      "märk",
		"\xff\xfeh\x00\xe9\x00":        "hé",
		"\xfe\xff\x00h\x00\xe9":        "hé",
		"h\x00e\x00y\x00":              "hey",
		"\x00h\x00e\x00y":              "hey",
		"\x93caf\xe9\x94 \x80\xff":     "“café” €ÿ",
		"\xff\xfe\x3d\xd8\x00\xde\x41": "😀",
		"a\x00b":                       "a\x00b",
		"第二\xe7\xab":                   "第二\uFFFD", // cut within a character
		"café naïve \xff":              "café naïve \uFFFD",
		"\xc3\xa9 \xe9\xe8":            "Ã© éè", // more that is not UTF-8
	} {
		if got := charset.Guess([]byte(in)); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestLatin1(t *testing.T) {
	if got := charset.Latin1([]byte("caf\xe9 \x80")); got != "café \u0080" {
		t.Errorf("got %q", got)
	}
}

func FuzzGuess(f *testing.F) {
	f.Add([]byte("\xff\xfe\x00\xd8"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got := charset.Guess(b); !utf8.ValidString(got) {
			t.Errorf("%q is not UTF-8", got)
		}
	})
}
