package command

import (
	"strings"
	"testing"
)

// TestHabits checks that words of other programs lead to commands that exist, and are
// none themselves.
func TestHabits(t *testing.T) {
	s := new(session)
	root := s.root()
	for _, c := range new(Options).commands() {
		if made := c.make(s).Name(); made != c.name {
			t.Errorf("%s is named %s", c.name, made)
		}
	}
	for word, meant := range habits {
		name, flag, _ := strings.Cut(meant, " --")
		c, err := s.findCommand(root, name)
		if err != nil || flag != "" && c.Flag(flag) == nil {
			t.Errorf("%s: %s: %v", word, meant, err)
		}
		if _, err := s.findCommand(root, word); err == nil {
			t.Errorf("%s is a command", word)
		}
	}
}
