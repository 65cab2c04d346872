package archive

import "testing"

// SetLimits sets how many entries an archive and how many nodes a map may have,
// until the end of the test.
func SetLimits(t testing.TB, entries, nodes int) {
	wasEntries, wasNodes := maxEntries, maxNodes
	maxEntries, maxNodes = entries, nodes
	t.Cleanup(func() { maxEntries, maxNodes = wasEntries, wasNodes })
}
