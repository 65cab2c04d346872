package code

import "testing"

// SetMaxSymbols sets how many symbols may be found, until the end of the test.
func SetMaxSymbols(t testing.TB, n int) {
	was := maxSymbols
	maxSymbols = n
	t.Cleanup(func() { maxSymbols = was })
}
