package command

import "testing"

func TestKindOf(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"a.mkv", "b.mp4", false}, {"a.mp3", "b.m4a", false}, {"a.JPG", "b.jpeg", true}, {"a.m4v", "b.mp4", true},
		{"a.db", "b.sqlite", true}, {"a.txt", "b.md", true}, {"a", "b.mp4", false}, {"a.", "b", true},
	} {
		if (kindOf(test.a) == kindOf(test.b)) != test.same {
			t.Errorf("%s and %s: %q and %q", test.a, test.b, kindOf(test.a), kindOf(test.b))
		}
	}
}
