package selector

import "cmp"

// What a location is made with may be a variable that was not set. Its zero would select
// everything; these values stand for it, and Check of their types refuses them.
const (
	noName = "\x00"
	noUnit = -1
)

var noBox = Box{-1, -1, -1, -1}

// Counted returns the run from first to last, which is not zero.
func Counted(first, last int) Run {
	if first == 0 && last == 0 {
		last = noUnit
	}
	return Run{first, last}
}

// Region returns a box that is not zero.
func Region(x1, y1, x2, y2 float64) Box { return cmp.Or(Box{x1, y1, x2, y2}, noBox) }

// Named returns a name or a number of a part that is not empty.
func Named(name string) string { return cmp.Or(name, noName) }
