package lookup

import (
	"context"
	"errors"
	"fmt"

	"github.com/citekit/citekit"
)

// Check returns an error if there is nothing at an address: it matches
// [citekit.ErrRange] where the location is outside the source. What resolvers
// alone know, such as the names of sheets, is not checked.
func Check(ctx context.Context, lib *citekit.Library, a citekit.Address) error {
	opened, err := lib.Open(ctx, a)
	if err != nil {
		return err
	}
	defer opened.Source.Close()
	loc := opened.Location
	extent, err := lib.MeasureSource(ctx, loc.Modality, opened.Source)
	if err == nil && extent.Modality != "" {
		err = extent.Check(loc)
	}
	return err
}

// CheckPlace returns an error for an address of another modality than its resource,
// matching [citekit.ErrSyntax], or beyond the size of the source that the map gives,
// matching [citekit.ErrRange]. It opens nothing.
func CheckPlace(m *citekit.ResourceMap, a citekit.Address) error {
	if err := a.Validate(); err != nil {
		return err
	}
	loc, e := a.Location, m.Extent()
	if is := m.Address(nil).Location.Modality; is != "" && loc.Modality != is && loc.Modality != citekit.Virtual && loc.Member == "" {
		return fmt.Errorf("the modality of the resource is %s: %w", is, citekit.ErrSyntax)
	}
	if e.Pages > 0 && len(loc.Pages) > 0 || e.Lines > 0 && !loc.Lines.IsZero() || e.Duration > 0 && !loc.Time.IsZero() {
		return e.Check(loc)
	}
	return nil
}

// CheckTime returns an error matching [citekit.ErrRange] if an address has a
// time beyond the end of its source, which the text of the source does not
// tell. An address without a time passes, and so does one whose source cannot
// be measured.
func CheckTime(ctx context.Context, lib *citekit.Library, a citekit.Address) error {
	if a.Location.Time.IsZero() {
		return nil
	}
	if err := Check(ctx, lib, a); errors.Is(err, citekit.ErrRange) {
		return err
	}
	return nil
}
