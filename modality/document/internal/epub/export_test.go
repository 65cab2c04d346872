package epub

import "testing"

// DivideLimits divides the limits of what is read by n, until the end of the test.
func DivideLimits(t testing.TB, n int) {
	limits := []*int{&maxMarkup, &maxRead, &maxMapRead}
	for _, limit := range limits {
		was := *limit
		*limit /= n
		t.Cleanup(func() { *limit = was })
	}
}
