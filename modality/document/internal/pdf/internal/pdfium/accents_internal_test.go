package pdfium

import "testing"

// TestAccentsOfParts: the text of a part of a page has no places of its characters.
func TestAccentsOfParts(t *testing.T) {
	left, right := Box{X1: 10, Y1: 10, X2: 20, Y2: 20}, Box{X1: 110, Y1: 10, X2: 120, Y2: 20}
	a := accents{all: []accented{{"`a", "à", left, true}, {"´e", "é", left, true}, {"´e", "é", right, false}}}
	for _, test := range []struct {
		part Box
		want string
	}{
		{Box{X2: 50, Y2: 50}, "voilà é"},
		{Box{X2: 200, Y2: 50}, "voilà ´e"},
		{Box{X1: 100, X2: 200, Y2: 50}, "voil`a ´e"},
	} {
		if got := a.join("voil`a ´e", test.part); got != test.want {
			t.Errorf("in %v: %q, want %q", test.part, got, test.want)
		}
	}
}
