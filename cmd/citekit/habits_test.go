package main

import (
	"strings"
	"testing"
)

// TestHabits checks that words of other programs lead to commands that exist, and are
// none themselves.
func TestHabits(t *testing.T) {
	root := new(session).root()
	for word, meant := range habits {
		name, flag, _ := strings.Cut(meant, " --")
		c, err := findCommand(root, name)
		if err != nil || flag != "" && c.Flag(flag) == nil {
			t.Errorf("%s: %s: %v", word, meant, err)
		}
		if _, err := findCommand(root, word); err == nil {
			t.Errorf("%s is a command", word)
		}
	}
}
