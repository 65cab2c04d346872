package plain_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/plain"
)

func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"as it is":               "as it is",
		"Größe in 日本":            "Größe in 日本",
		" a\t b\u00a0c\r\n":      "a b c",
		"a\u2028b\u2029c\u0085d": "a b c d",
		"a \u200b b":             "a b", // no second space where something is left out
		"a\u200bb\ufeffc":        "abc",
		"so\u00adft":             "soft",
		"\u202aleft\u202c":       "left",
		"\x1b[31mred \x07":       "[31mred",
		"\u200b \x00":            "",
		"\xffa\xc3 b\xe2\x82":    "a b",
		"a\ufffdb":               "a\ufffdb",
		"می\u200cخواهم":          "می\u200cخواهم",
		"👩\u200d🔬 \u200d ":       "👩\u200d🔬",
		"\u200cx":                "x",
		"\U000e0041tag":          "tag",
	} {
		if got := plain.Line(text); got != want {
			t.Errorf("Line(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, test := range []struct {
		s    string
		n    int
		want string
	}{
		{"abc", 3, "abc"}, {"abc", 2, "ab"}, {"abc", 0, ""}, {"abc", -1, ""},
		{"aöb", 2, "a"}, {"aöb", 3, "aö"},
		{"日本", 5, "日"}, {"日本", 2, ""}, {"😀😀", 7, "😀"}, {"😀😀", 8, "😀😀"},
		{strings.Repeat("\x80", 9), 5, strings.Repeat("\x80", 5)},
		{"a\xe2\x82b", 3, "a\xe2\x82"},
	} {
		if got := plain.Cut(test.s, test.n); got != test.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", test.s, test.n, got, test.want)
		}
	}
}

func TestCutRunes(t *testing.T) {
	for _, test := range []struct {
		s    string
		n    int
		want string
	}{
		{"日本語", 3, "日本語"}, {"日本語", 2, "日本"}, {"日本語", 0, ""}, {"", 2, ""}, {"\xffab", 2, "\xffa"},
	} {
		if got := plain.CutRunes(test.s, test.n); got != test.want {
			t.Errorf("CutRunes(%q, %d) = %q, want %q", test.s, test.n, got, test.want)
		}
	}
}

func TestShorten(t *testing.T) {
	for _, test := range []struct {
		s    string
		n    int
		want string
	}{
		{"four", 4, "four"}, {"fives", 4, "f…"}, {"a word", 5, "a…"}, {"日本語", 8, "日…"}, {"abcd", 3, "…"},
	} {
		if got := plain.Shorten(test.s, test.n); got != test.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", test.s, test.n, got, test.want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, test := range []struct {
		text string
		n    int
		want string
	}{
		{"one two", 7, "one two"},
		{"one two", 6, "one"},
		{"one two three", 7, "one two"}, // a word that fits to the byte stays
		{"one, (two)", 7, "one"},
		{"one – two", 8, "one"},
		{"one\n\n two\tthree", 9, "one two"},
		{"Unbreakable", 4, "Unbr"},
		{"日本語", 7, "日本"},
		{"a\u202e b", 3, "a b"},
		{"------", 4, "----"}, // not nothing
		{"one", 0, ""},
		{"one", -1, ""},
		{"a                 b", 4, "a"}, // b is too far behind
		{"\x00\x00\x00\x00\x00\x00ab cd", 3, "ab"},
		{"\x00\x00\x00\x00\x00a bcde", 2, "a"}, // what is read ends within bcde
	} {
		if got := plain.Words(test.text, test.n); got != test.want {
			t.Errorf("Words(%q, %d) = %q, want %q", test.text, test.n, got, test.want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	for _, seed := range []string{"One, two.", "\xff\xfe.", " a\u200d\u200d b", "\u2028é\xc3", "日本 👩\u200d🔬"} {
		f.Add(seed, 5)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		n %= 1000
		line := plain.Line(text)
		if !utf8.ValidString(line) || strings.Contains(line, "  ") || strings.TrimSpace(line) != line || strings.ContainsFunc(line, unicode.IsControl) || len(line) > len(text) {
			t.Errorf("Line(%q) = %q", text, line)
		}
		if again := plain.Line(line); again != line {
			t.Errorf("Line(%q) = %q, and of that %q", text, line, again)
		}
		cut := plain.Cut(text, n)
		if len(cut) > max(n, 0) || !strings.HasPrefix(text, cut) || len(cut) < min(len(text), n-utf8.UTFMax+1) {
			t.Errorf("Cut(%q, %d) = %q", text, n, cut)
		}
		runes := plain.CutRunes(text, n)
		if utf8.RuneCountInString(runes) != min(utf8.RuneCountInString(text), max(n, 0)) || !strings.HasPrefix(text, runes) {
			t.Errorf("CutRunes(%q, %d) = %q", text, n, runes)
		}
		words := plain.Words(text, n)
		if len(words) > max(n, 0) || !strings.HasPrefix(line, words) || words == "" && line != "" && n >= len(text) {
			t.Errorf("Words(%q, %d) = %q", text, n, words)
		}
		if short := plain.Shorten(text, n); n >= 3 && len(short) > n || len(text) <= n && short != text {
			t.Errorf("Shorten(%q, %d) = %q", text, n, short)
		}
		if utf8.ValidString(text) && !utf8.ValidString(cut+plain.Shorten(text, n)) {
			t.Errorf("%q of %q, %d, is not UTF-8", cut, text, n)
		}
	})
}

func BenchmarkLine(b *testing.B) {
	for name, text := range map[string]string{
		"line":    strings.Repeat("A sentence as most are. ", 20) + "End.",
		"lines":   strings.Repeat("A sentence\nas most are. ", 20),
		"unicode": strings.Repeat("Größe, 日本語 und\nmehr ", 20),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				plain.Line(text)
			}
		})
	}
}

func TestShortenAddress(t *testing.T) {
	long := strings.Repeat("x", 40)
	for in, want := range map[string]string{
		"doc://a#pages=3": "doc://a#pages=3", "doc://a#sheet=" + long: "doc://a (at selectors of 46 bytes)",
		"doc://" + long: plain.Shorten(long, 20), long: plain.Shorten(long, 20),
	} {
		if got := plain.ShortenAddress(in, 20); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestNameOutside(t *testing.T) {
	for in, want := range map[string]string{
		"a/b.txt": "a/b.txt", "/home/me/b.txt": "b.txt", `C:\me\b.txt`: "b.txt", "c:/me/b.txt": "b.txt", `\\host\b.txt`: "b.txt", "": "",
	} {
		if got := plain.NameOutside(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
