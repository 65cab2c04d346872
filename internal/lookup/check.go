package lookup

import (
	"context"
	"errors"

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
