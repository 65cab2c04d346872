package sentence

import (
	"slices"
	"testing"
)

func TestEnds(t *testing.T) {
	for text, want := range map[string][]int{
		"":                       nil,
		"One. Two.":              {5, 9},
		"a\nb\n":                 {2, 4},
		"See Dr. Who. He is in.": {13, 22},
		"これは文です。次の文です。": {21, 39},
	} {
		if got := slices.Collect(Ends(text)); !slices.Equal(got, want) {
			t.Errorf("Ends(%q) = %v, want %v", text, got, want)
		}
	}
}
