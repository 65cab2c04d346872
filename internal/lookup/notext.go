package lookup

import "github.com/citekit/citekit"

// NoText says, for a person to read, why a place in a source has no text.
func NoText(loc citekit.Location) string {
	switch {
	case loc.Sheet != "":
		return "these cells have no text; a formula has the value that the file stores, and if a program wrote none, open the file in a spreadsheet program and save it"
	case len(loc.Pages) > 0:
		return "it has no text, as in a scan"
	}
	return "it has no text"
}
