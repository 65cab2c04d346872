package citekit

import (
	"errors"
	"fmt"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	form "github.com/citekit/citekit/internal/selector"
)

// timeSlack is by how many seconds the end of a span may lie past the end of its
// source, for durations that were rounded. What the evidence then holds is reported as
// its actual location.
const timeSlack = 0.1

// An Extent is the size of a source in the units of its modality. Others are zero.
type Extent struct {
	Modality Modality `json:"modality"` // of the source

	Pages    int     `json:"pages,omitempty"`    // pages, or slides of a presentation
	Blocks   int     `json:"blocks,omitempty"`   // of the body of a structured text
	Sheets   int     `json:"sheets,omitempty"`   // of a workbook
	Rows     int     `json:"rows,omitempty"`     // of comma-separated values, with the header
	Parts    int     `json:"parts,omitempty"`    // of a book or a mail
	Messages int     `json:"messages,omitempty"` // of a mailbox
	Tables   int     `json:"tables,omitempty"`   // of a database
	Members  int     `json:"members,omitempty"`  // of an archive
	Lines    int     `json:"lines,omitempty"`    // of a text
	Duration float64 `json:"duration,omitempty"` // seconds
	Width    int     `json:"width,omitempty"`    // pixels as displayed
	Height   int     `json:"height,omitempty"`   // pixels as displayed

	MediaType string `json:"media_type,omitempty"` // such as "text/plain"; "" if the resolver does not give it
	Charset   string `json:"charset,omitempty"`    // IANA name, lower case

	// CharsetGuessed says that Charset was inferred from the bytes.
	CharsetGuessed bool `json:"guessed,omitempty"`
}

// Check returns an error matching [ErrRange] if loc lies outside e, or
// [errors.ErrUnsupported] if loc belongs to another modality. The location must have
// passed [Location.Validate]. For a built-in modality, a bound of zero means that the
// source has none of that unit: for a location with that unit, Check returns an error
// matching ErrUnsupported, or, for pages, lines and time, ErrRange. For other
// modalities, a bound of zero is not checked, and neither is which selectors loc has,
// nor for any what lies in a sheet, a table, a part, a message or a member.
func (e Extent) Check(loc Location) error {
	if loc.Member != "" {
		return nil
	}
	if loc.Modality != e.Modality {
		return fmt.Errorf("%s location in %s source: %w", message.Article(loc.Modality), message.Article(e.Modality), errors.ErrUnsupported)
	}
	if err := e.checkStructure(loc); err != nil {
		return err
	}
	known := func(bound bool) bool { return bound || e.Modality.BuiltIn() }
	if n := len(loc.Pages); n > 0 && loc.Pages[n-1].Last > e.Pages && known(e.Pages != 0) {
		return rangeError("page %d of %d; %s", max(loc.Pages[n-1].First, e.Pages+1), e.Pages, form.Have("pages", e.Pages))
	}
	inPart := loc.Part != "" || loc.Message != 0 // what lies in it is for the resolver
	if loc.Lines.Last > e.Lines && known(e.Lines != 0) && !inPart {
		return rangeError("%s of %d; %s", form.Run(loc.Lines).Named("line"), e.Lines, form.Have("lines", e.Lines))
	}
	if t := loc.Time; !t.IsZero() && known(e.Duration != 0) && (t.Start >= e.Duration || t.End > e.Duration+timeSlack) {
		return rangeError("t=%v of %s seconds", t, plain.FormatDecimal(e.Duration))
	}
	return nil
}

// checkStructure checks everything counted, except pages and lines. The resolver checks
// names, such as that of a sheet, and whatever lies in a part or a message.
func (e Extent) checkStructure(loc Location) error {
	fault, outside := form.CheckUnits([]form.Unit{
		{Name: "pages", Selected: len(loc.Pages) > 0, Bound: e.Pages},
		{Name: "blocks", Selected: !loc.Blocks.IsZero() && loc.Part == "", Last: loc.Blocks.Last, Bound: e.Blocks},
		{Name: "sheets", Selected: loc.Sheet != "", Bound: e.Sheets},
		{Name: "parts", Selected: loc.Part != "" && loc.Message == 0, Last: loc.Parts().Last, Bound: e.Parts},
		{Name: "messages", Selected: loc.Message != 0, Last: loc.Message, Bound: e.Messages},
		{Name: "tables", Selected: loc.Table != "" && len(loc.Pages) == 0 && loc.Part == "" && (e.Blocks == 0 || loc.TableNumber() == 0), Bound: e.Tables},
		{Name: "members", Selected: false, Bound: e.Members},
		{Name: "rows", Selected: !loc.Rows.IsZero() && loc.Sheet == "" && loc.Table == "", Last: loc.Rows.Last, Bound: e.Rows},
		{Name: "lines", Selected: false, Bound: e.Lines},
	}, e.Modality.BuiltIn())
	switch {
	case fault == "":
		return nil
	case outside:
		return rangeError("%s", fault)
	}
	return fmt.Errorf("%s: %w", fault, errors.ErrUnsupported)
}

func rangeError(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, ErrRange)...)
}
