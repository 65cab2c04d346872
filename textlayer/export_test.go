package textlayer

import "testing"

// Expansion is how many times as long as its source a text may be.
const Expansion = expansion

// SetFairText sets the text that a source of any size may have, until the test ends.
func SetFairText(t testing.TB, bytes int64) {
	was := fairText
	fairText = bytes
	t.Cleanup(func() { fairText = was })
}
