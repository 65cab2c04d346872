package term

import (
	"os"
	"testing"
	"unicode"

	"golang.org/x/text/width"
)

func TestCut(t *testing.T) {
	for _, c := range []struct {
		s    string
		max  int
		want string
	}{
		{"short", 5, "short"}, {"longer", 5, "long…"}, {"a word", 3, "a…"}, {"x", 0, ""}, {"", 0, ""},
		{"日本語", 6, "日本語"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"}, {"cafe\u0301s", 5, "cafe\u0301s"}, {"cafe\u0301s", 4, "caf…"},
	} {
		got := Cut(c.s, c.max)
		if got != c.want || Width(got) > c.max {
			t.Errorf("Cut(%q, %d) = %q of %d columns, want %q", c.s, c.max, got, Width(got), c.want)
		}
	}
}

// TestWidth compares with the tables of golang.org/x/text.
func TestWidth(t *testing.T) {
	for r := rune(0xa0); r <= 0x3ffff; r++ {
		if !unicode.IsPrint(r) || unicode.In(r, unicode.M) || r >= 0x1160 && r <= 0x11ff {
			continue
		}
		want := 1
		if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
			want = 2
		}
		if got := runeWidth(r); got != want {
			t.Errorf("%U %c: %d columns, want %d", r, r, got, want)
		}
	}
}

func TestIsTTY(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if IsTTY(null) || IsTTY(nil) {
		t.Error("a file or nil is taken for a terminal")
	}
}

func TestColumns(t *testing.T) {
	t.Setenv("COLUMNS", "42")
	if n := Columns(nil); n != 42 {
		t.Errorf("%d columns", n)
	}
	t.Setenv("COLUMNS", "none")
	if n := Columns(nil); n != 80 {
		t.Errorf("%d columns", n)
	}
}
