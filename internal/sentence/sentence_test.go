package sentence_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/sentence"
)

func TestLead(t *testing.T) {
	for _, test := range []struct {
		text string
		max  int
		want string
	}{
		{"", 10, ""},
		{"One. Two.", 100, "One. Two."},
		{"One is here. Two is there. Three.", 20, "One is here."},
		{"One\n  is\there. Two is there.", 14, "One is here."},
		{"See e.g. Smith et al. for this. And that is all.", 33, "See e.g. Smith et al. for this."},
		{"Averylongsentence, without an end in sight", 20, "Averylongsentence"},
		{"Unbreakable", 4, "Unbr"},
		{"日本語の文です。次の文です。", 24, "日本語の文です。"},
		{"a\x00b\u202ec", 10, "abc"},
	} {
		if got := sentence.Lead(test.text, test.max); got != test.want {
			t.Errorf("Lead(%q, %d) = %q, want %q", test.text, test.max, got, test.want)
		}
	}
}

func TestFirst(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"One. Two.", "One."},
		{"Dr. Who is in. Two.", "Dr. Who is in."},
		{"no end", "no end"},
		{"[From the U.S. Printing Office] An act. Two.", "[From the U.S. Printing Office] An act."},
		{"A smile :( is one. Two.", "A smile :( is one."},
	} {
		if got := sentence.First(test.text, 100); got != test.want {
			t.Errorf("First(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}

func FuzzLead(f *testing.F) {
	f.Add("One. Two.", 5)
	f.Add("\xff\xfe.", 1)
	f.Fuzz(func(t *testing.T, text string, max int) {
		max %= 1000
		for _, got := range []string{sentence.Lead(text, max), sentence.First(text, max)} {
			if len(got) > 0 && len(got) > max || !utf8.ValidString(got) || strings.Contains(got, "  ") {
				t.Errorf("%q from %q, %d", got, text, max)
			}
		}
	})
}
