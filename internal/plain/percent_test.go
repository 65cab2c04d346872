package plain_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/plain"
)

func TestEncode(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "Lecture_01-a.b~c": "Lecture_01-a.b~c", "a b": "a%20b", "a+b&c=d": "a%2Bb%26c%3Dd",
		"ü": "%C3%BC", "#/?%:@": "%23%2F%3F%25%3A%40", "\x00\xff": "%00%FF",
	} {
		if got := plain.PercentEncode(s); got != want {
			t.Errorf("Encode(%q) = %q, want %q", s, got, want)
		}
	}
}

func FuzzEncode(f *testing.F) {
	f.Add("a b/ü#")
	f.Fuzz(func(t *testing.T, s string) {
		encoded := plain.PercentEncode(s)
		if back, err := url.PathUnescape(encoded); err != nil || back != s {
			t.Errorf("%q is written %q, which is read as %q, %v", s, encoded, back, err)
		}
		if back, err := url.QueryUnescape(encoded); err != nil || back != s {
			t.Errorf("%q is written %q, which a query has as %q, %v", s, encoded, back, err)
		}
		if strings.ContainsAny(encoded, "/?#&=+:@ ") {
			t.Errorf("%q is written %q", s, encoded)
		}
	})
}
