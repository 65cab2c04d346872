package preview

import (
	"context"

	"github.com/citekit/citekit"
)

// A Boxer is a [citekit.Resolver] that knows where text stands on a page.
type Boxer interface {
	// Boxes returns the boxes around a part of the text at loc, one for each
	// line of it, in the order of the text. Loc selects one page, and no box.
	// The text is what [citekit.TextReader.ReadText] yields for loc; the part is its
	// bytes from from up to to. White space at the ends of a line has no box,
	// nor has text that is recognised in a picture.
	//
	// Errors are as for Resolve. A part that does not lie in the text is an
	// error matching [citekit.ErrRange].
	Boxes(ctx context.Context, src *citekit.Source, loc citekit.Location, from, to int) ([]citekit.Box, error)
}
