package selector

import (
	"cmp"
	"fmt"
)

// A Unit is what a source has a number of, and what a location selects of it.
type Unit struct {
	Name     string // in the plural
	Selected bool
	Last     int // the last one that is selected; zero if that is not checked
	Bound    int // how many there are; zero means none
}

// CheckUnits says what is wrong with a location, or nothing, and whether it lies outside
// the source. Without strict, units that the source has none of are not checked.
func CheckUnits(units []Unit, strict bool) (fault string, outside bool) {
	counted := "" // the first unit that the source has
	for _, u := range units {
		if u.Bound > 0 {
			counted = cmp.Or(counted, u.Name)
		}
	}
	for _, u := range units {
		switch {
		case !u.Selected || u.Bound == 0 && !strict:
		case u.Bound == 0 && u.Name == "tables" && counted == "pages":
			return "a table is on a page: write such as pages=5&table=2; the map has those that are known", false
		case u.Bound == 0 && counted != "" && counted != u.Name:
			return fmt.Sprintf("the source has no %s; it has %s", u.Name, counted), false
		case u.Bound == 0 && u.Name != "pages":
			return "the source has no " + u.Name, false
		case u.Last > u.Bound:
			return fmt.Sprintf("%s %d of %d; %s", u.Name, u.Last, u.Bound, Have(u.Name, u.Bound)), true
		}
	}
	return "", false
}

// Have says which of n units a source has.
func Have(units string, n int) string {
	if n == 0 {
		return "the source has no " + units
	}
	return fmt.Sprintf("%s run 1-%d", units, n)
}
