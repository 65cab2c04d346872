package citekit_test

import "testing"

func TestContains(t *testing.T) {
	for _, test := range []struct {
		outer, inner string
		want         bool
	}{
		{"doc://a", "doc://a#pages=3", true},
		{"doc://a#pages=3", "doc://a", false},
		{"doc://a#pages=1-5,9", "doc://a#pages=2-4,9", true},
		{"doc://a#pages=1-5,9", "doc://a#pages=4-6", false},
		{"doc://a#pages=1-5,7-9", "doc://a#pages=5,7", true},
		{"doc://a#pages=1-5,7-9", "doc://a#pages=5-7", false},
		{"doc://a#pages=2", "doc://a#pages=2&bbox=0.1,0.1,0.5,0.5", true},
		{"doc://a#pages=2&bbox=0.1,0.1,0.5,0.5", "doc://a#pages=2", false},
		{"doc://a#pages=2&bbox=0.1,0.1,0.5,0.5", "doc://a#pages=2&bbox=0.2,0.1,0.5,0.4", true},
		{"doc://a#pages=2&bbox=0.1,0.1,0.5,0.5", "doc://a#pages=2&bbox=0.2,0.1,0.6,0.4", false},
		{"text://a#lines=3-9", "text://a#lines=3-9", true},
		{"text://a#lines=3-9", "text://a#lines=2-4", false},
		{"video://a#t=10-20", "video://a#t=12-20.05", true},
		{"video://a#t=10-20", "video://a#t=12-21", false},
		{"video://a#t=10-20", "video://a#t=12-", false},
		{"video://a#t=10-", "video://a#t=12-", true},
		{"image://a#bbox=0,0,0.5,0.5", "image://a#bbox=0.25,0.25,0.75,0.5", false},
		{"image://a#bbox=0,0,0.5,0.5", "image://a", false},
		{"doc://a#part=2-4", "doc://a#part=3&blocks=2", true},
		{"doc://a#part=2-4", "doc://a#part=2-3", true},
		{"doc://a#part=2-4", "doc://a#part=4-5", false},
		{"doc://a#part=2", "doc://a#part=2-3", false},
		{"doc://a#part=2-4", "doc://a", false},
		{"text://a#part=1", "text://a#part=1.2", true},
		{"text://a#lines=3-9", "doc://a#pages=100", true}, // not comparable
	} {
		outer, inner := parse(t, test.outer).Location, parse(t, test.inner).Location
		if got := outer.Contains(inner); got != test.want {
			t.Errorf("%s contains %s: %v, want %v", test.outer, test.inner, got, test.want)
		}
	}
}
