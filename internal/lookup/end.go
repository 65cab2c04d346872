package lookup

import (
	"context"
	"errors"
	"strings"

	"github.com/citekit/citekit"
)

// CheckEnd returns an error matching [citekit.ErrRange] if an address begins or
// ends outside its source, in the words of the resolver, or matching
// [errors.ErrUnsupported] if the source has no such parts. It measures the source
// and, where only the resolver knows the end, such as that of a sheet or of a part
// of a mail, reads the text there. An address passes if its source cannot be
// opened, measured or read.
func CheckEnd(ctx context.Context, lib *citekit.Library, a citekit.Address) error {
	if a.Location.IsWhole() || a.Location.Modality == citekit.Virtual {
		return nil
	}
	err := Check(ctx, lib, a)
	if errors.Is(err, citekit.ErrRange) || errors.Is(err, errors.ErrUnsupported) {
		return Reason(err)
	}
	if err != nil || isMeasured(a.Location) {
		return nil
	}
	end := readError(ctx, lib, a.Resource, lastOf(a.Location), 1)
	if !errors.Is(end, citekit.ErrRange) {
		return nil
	}
	if all := readError(ctx, lib, a.Resource, a.Location, maxReworded); errors.Is(all, citekit.ErrRange) {
		return Reason(all) // it names all that was asked for
	}
	return Reason(end)
}

// maxReworded is how many runs are read for the words of an error.
const maxReworded = 1000

// readError returns the error of reading at most some runs of text, or nil.
func readError(ctx context.Context, lib *citekit.Library, resource string, loc citekit.Location, most int) error {
	for _, err := range lib.ReadText(ctx, resource, loc) {
		if most--; err != nil || most == 0 {
			return err
		}
	}
	return nil
}

// Reason returns what was wrong in an error of a Library, without the address
// around it.
func Reason(err error) error {
	var failed *citekit.ResolveError
	if errors.As(err, &failed) && failed.Err != nil {
		return failed.Err
	}
	return err
}

// isMeasured reports whether an extent of the source, or of the member, bounds all
// selectors of a location.
func isMeasured(loc citekit.Location) bool {
	if strings.HasSuffix(loc.Member, "/") {
		return true // a folder
	}
	return loc.Sheet == "" && loc.Table == "" && loc.Message == 0 && loc.Cells.IsZero() && len(loc.Cols) == 0 &&
		(loc.Part == "" || !loc.Parts().IsZero() && loc.Blocks.IsZero() && loc.Lines.IsZero() && loc.Modality == citekit.Document)
}

// lastOf returns the last page, line, block, row, column, cell and part of a
// location: there is such a place if the whole location lies in the source.
func lastOf(loc citekit.Location) citekit.Location {
	last := func(r *citekit.Range) {
		if !r.IsZero() {
			r.First = r.Last
		}
	}
	if n := len(loc.Pages); n > 0 {
		loc.Pages = []citekit.Range{{First: loc.Pages[n-1].Last, Last: loc.Pages[n-1].Last}}
	}
	last(&loc.Lines)
	last(&loc.Blocks)
	last(&loc.Rows)
	if !loc.Cells.IsZero() {
		loc.Cells.First = loc.Cells.Last
	}
	if _, end, ok := strings.Cut(loc.Part, "-"); ok {
		loc.Part = end
	}
	return loc
}
