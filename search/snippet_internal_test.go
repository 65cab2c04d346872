package search

import "testing"

// A snippet keeps words and numbers whole, also where no spaces stand between them.
func TestWordEnds(t *testing.T) {
	for _, c := range []struct {
		text       string
		at         int
		start, end int
	}{
		{"one two three", 5, 8, 3},
		{"one two three", 4, 4, 3},
		{"W-03,Lindau,61.25,1400,x", 20, 22, 18},
		{"W-03,Lindau,61.25,1400,x", 14, 17, 12},
		{"数量为1400个单位", 11, 13, 9},
		{"数量为一千四百个单位", 12, 12, 12},
		{"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 36, 36, 36},
	} {
		if start, end := wordStart(c.text, c.at, len(c.text)), wordEnd(c.text, c.at, 0); start != c.start || end != c.end {
			t.Errorf("%q at %d: %d and %d, want %d and %d", c.text, c.at, start, end, c.start, c.end)
		}
	}
}
