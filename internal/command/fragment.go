package command

import (
	"errors"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
)

// parseFragment parses the text after "#" in a file reference: the parameters of an
// address, or a standard fragment: RFC 8118 for PDF ("page=5"), RFC 5147 for text
// ("line=9,25"), W3C Media Fragments ("t=10,20", "xywh=percent:…"). The modality may
// be left open.
func parseFragment(fragment string) (loc citekit.Location, version string, err error) {
	loc, version, err = citekit.ParseFragment(fragment)
	if err == nil {
		return loc, version, nil
	}
	if standard, ok, standardErr := parseStandard(fragment); ok {
		return standard, "", standardErr
	}
	return loc, version, err
}

// parseStandard parses a standard fragment. ok reports whether it looks like one.
func parseStandard(fragment string) (loc citekit.Location, ok bool, err error) {
	first, _, _ := strings.Cut(fragment, "&")
	name, value, _ := strings.Cut(first, "=")
	switch {
	case name == "page":
		loc, err = citation.ParsePDFFragment(fragment)
	case name == "line":
		loc, err = citation.ParseTextFragment(fragment)
	case name == "xywh":
		loc, err = citation.ParseMediaFragment(fragment, citekit.Extent{Modality: citekit.Image})
	case name == "t" && (strings.Contains(value, ",") || strings.HasPrefix(value, "npt:") || !strings.Contains(value, "-")):
		loc, err = parseMediaTime(fragment)
	default:
		return loc, false, nil
	}
	return loc, true, err
}

// parseMediaTime parses a time range, in a video or a recording.
func parseMediaTime(fragment string) (citekit.Location, error) {
	loc, err := citation.ParseMediaFragment(fragment, citekit.Extent{Modality: citekit.Video})
	loc.Modality = ""
	return loc, err
}

// parseAddress parses an address, whose fragment may also be a standard one.
func parseAddress(word string) (citekit.Address, error) {
	a, err := citekit.ParseAddress(word)
	if err == nil || !errors.Is(err, citekit.ErrSyntax) {
		return a, err
	}
	resource, fragment, _ := strings.Cut(word, "#")
	loc, ok, standardErr := parseStandard(fragment)
	if !ok {
		return a, err
	}
	if standardErr != nil {
		return a, standardErr
	}
	if a, err = citekit.ParseAddress(resource); err != nil {
		return a, err
	}
	loc.Modality = a.Location.Modality
	a.Location = loc
	return a, loc.Validate()
}
