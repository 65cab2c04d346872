package citekit

import (
	"errors"
	"fmt"

	"github.com/citekit/citekit/internal/decimal"
)

// timeSlack is by how many seconds the end of a span may lie past the end of
// its source, for durations that were rounded. What the evidence then holds
// is reported as its actual location.
const timeSlack = 0.1

// An Extent is how large a source is, in the units of its modality; what does
// not apply is zero.
type Extent struct {
	Modality Modality `json:"modality"`

	Pages    int     `json:"pages,omitempty"`
	Lines    int     `json:"lines,omitempty"`
	Duration float64 `json:"duration,omitempty"` // seconds
	Width    int     `json:"width,omitempty"`    // pixels as displayed
	Height   int     `json:"height,omitempty"`   // pixels as displayed

	MediaType string `json:"media_type,omitempty"`
	Charset   string `json:"charset,omitempty"` // IANA name, lower case

	// CharsetGuessed says that Charset was inferred from the bytes.
	CharsetGuessed bool `json:"guessed,omitempty"`
}

// Check returns an error matching [ErrRange] if loc lies outside e, or
// [errors.ErrUnsupported] if it belongs to another modality. The location
// must have passed [Location.Validate]. Of a modality that is not built in, a
// bound of zero is one that does not apply.
func (e Extent) Check(loc Location) error {
	if loc.Modality != e.Modality {
		return fmt.Errorf("a %s location in a %s source: %w", loc.Modality, e.Modality, errors.ErrUnsupported)
	}
	known := func(bound bool) bool { return bound || e.Modality.builtIn() }
	if n := len(loc.Pages); n > 0 && loc.Pages[n-1].Last > e.Pages && known(e.Pages != 0) {
		page := max(loc.Pages[n-1].First, e.Pages+1)
		return rangeError("page %d of %d; pages run %s", page, e.Pages, upTo(e.Pages))
	}
	if loc.Lines.Last > e.Lines && known(e.Lines != 0) {
		return rangeError("%s of %d; lines run %s", describeLines(loc.Lines), e.Lines, upTo(e.Lines))
	}
	if t := loc.Time; !t.IsZero() && known(e.Duration != 0) && (t.Start >= e.Duration || t.End > e.Duration+timeSlack) {
		return rangeError("t=%v of %s seconds", t, decimal.Format(e.Duration))
	}
	return nil
}

func describeLines(lines Range) string {
	if lines.Len() == 1 {
		return "line " + lines.String()
	}
	return "lines " + lines.String()
}

func upTo(n int) string {
	if n == 0 {
		return "nowhere, it is empty"
	}
	return fmt.Sprintf("1-%d", n)
}

func rangeError(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, ErrRange)...)
}
