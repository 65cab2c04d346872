package child_test

import (
	"testing"

	"github.com/citekit/citekit/internal/child"
)

func TestHead(t *testing.T) {
	full := 0
	h := child.Head{Max: 5, Full: func() { full++ }}
	for _, text := range []string{"ab", "cde"} {
		if n, err := h.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("Write(%q) = %d, %v", text, n, err)
		}
	}
	if h.Over || full != 0 {
		t.Error("what fits is too much")
	}
	for _, text := range []string{"", "fg", "h"} {
		if n, err := h.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("Write(%q) = %d, %v", text, n, err)
		}
	}
	if string(h.Kept) != "abcde" || !h.Over || full != 1 {
		t.Errorf("kept %q, over %v, told %d times", h.Kept, h.Over, full)
	}
}

func TestTail(t *testing.T) {
	tail := child.Tail{Max: 4}
	for _, step := range []struct{ text, want string }{
		{"ab", "ab"}, {"cd", "abcd"}, {"e", "bcde"}, {"123456789", "6789"}, {"", "6789"},
	} {
		if n, err := tail.Write([]byte(step.text)); n != len(step.text) || err != nil {
			t.Errorf("Write(%q) = %d, %v", step.text, n, err)
		}
		if string(tail.Kept) != step.want {
			t.Errorf("after %q: kept %q, want %q", step.text, tail.Kept, step.want)
		}
	}
}
