package preview

import (
	"context"

	"github.com/citekit/citekit"
)

// A Boxer is a [citekit.Resolver] that knows the positions of text on a page.
type Boxer interface {
	// Boxes returns the boxes around a part of the text at loc, one for each
	// line of the part, in text order. Loc must select one page, without a box.
	// The text is the one that [citekit.TextReader] yields for loc; the part is
	// the bytes [start, end) of that text. White space at the ends of a line
	// has no box, and neither has text that was recognised in a picture.
	//
	// Errors are as for Resolve. If the part is outside the text, the error
	// matches [citekit.ErrRange].
	Boxes(ctx context.Context, src *citekit.Source, loc citekit.Location, start, end int) ([]citekit.Box, error)
}
