package table

import (
	"slices"
	"testing"
)

// TestTightBoxes checks that no letter or digit of a word is a mark of a footnote where the
// boxes are of the glyphs alone, and that a raised one is.
func TestTightBoxes(t *testing.T) {
	box := func(x, top, bottom float64) Box { return Box{x, top, x + 5, bottom} }
	for _, test := range []struct {
		boxes map[rune]Box
		text  string
		want  string
		notes []string
	}{
		{nil, "(2,935)", "(2,935)", nil},
		{nil, "leigh", "leigh", nil},
		{map[rune]Box{'a': box(0, 8, 13)}, "17ga", "17g", []string{"a"}},
		{map[rune]Box{'²': box(0, 8, 13)}, "10²", "10²", nil},
		{map[rune]Box{'¹': box(0, 8, 13)}, "7,239¹", "7,239", []string{"1"}},
		{map[rune]Box{'₂': box(0, 17, 22)}, "10₂", "10₂", nil},
		{map[rune]Box{'m': box(0, 13, 18)}, "(m)", "(m)", nil},
	} {
		var chars []Char
		for i, r := range test.text {
			b := box(0, 10, 20)
			switch r {
			case '(', ')':
				b = box(0, 9, 23)
			case ',':
				b = box(0, 18, 22)
			case 'g':
				b = box(0, 13, 23)
			}
			if given, ok := test.boxes[r]; ok {
				b = given
			}
			b.X1, b.X2 = 5*float64(i), 5*float64(i)+5
			chars = append(chars, Char{Rune: r, Box: b})
		}
		got := contentOf(wordsOf(chars, nil))
		if got.text != test.want || !slices.Equal(got.notes, test.notes) {
			t.Errorf("%s: %q with the notes %q, want %q with %q", test.text, got.text, got.notes, test.want, test.notes)
		}
	}
}

// TestUpright has text that runs to the right, up, down and backwards.
func TestUpright(t *testing.T) {
	for _, test := range []struct {
		dx, dy float64
		want   bool
	}{{5, 0, true}, {0, 5, false}, {0, -5, false}, {-5, 0, false}} {
		var chars []Char
		for i, r := range []rune("Fish 910 Salt") {
			x, y := 100+float64(i)*test.dx, 100+float64(i)*test.dy
			c := Char{Rune: r}
			if r != ' ' {
				c.Box = Box{x, y, x + 4, y + 4}
			}
			chars = append(chars, c)
		}
		if got := isUpright(chars); got != test.want {
			t.Errorf("by %v, %v: %t", test.dx, test.dy, got)
		}
	}
	if !isUpright(nil) {
		t.Error("no text is not upright")
	}
}
