package main

import (
	"strings"
	"testing"
)

// TestHabits checks that words of other programs lead to commands that exist, and are
// none themselves.
func TestHabits(t *testing.T) {
	for word, meant := range habits {
		name, flag, _ := strings.Cut(meant, " --")
		c, err := findCommand(name)
		if err != nil || flag != "" && c.flagSet().Lookup(flag) == nil {
			t.Errorf("%s: %s: %v", word, meant, err)
		}
		for _, c := range commands() {
			if c.name == word {
				t.Errorf("%s is a command", word)
			}
		}
	}
}
