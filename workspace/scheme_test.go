package workspace

import (
	"regexp"
	"testing"
)

// TestSchemePrefix compares with an expression that says the same.
func TestSchemePrefix(t *testing.T) {
	expression := regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.,_=-]+:`)
	for _, path := range []string{
		"", ":", "a", "a:", "C:/x", "ab:", "http://a", "HTTP:", "a1+.,_=-z:rest:more", "1a:", "-a:", "a b:", "ab", "a/b:c", "é:", "aé:", "a[:", "a`:", "a@b:", "a{b:",
	} {
		if got, want := schemePrefix(path), expression.FindString(path); got != want {
			t.Errorf("schemePrefix(%q) is %q, want %q", path, got, want)
		}
	}
}
