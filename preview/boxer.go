package preview

import (
	"context"

	"github.com/citekit/citekit"
)

// A Boxer is a [citekit.Resolver] that knows the positions of text on a page.
type Boxer interface {
	// Boxes returns the boxes around a part of the text at loc, one for each
	// line of the part, in text order. Loc must select one page, without a box.
	// The text is the one that [citekit.TextReader.ReadText] yields for loc;
	// the part is its bytes from from up to to. White space at the ends of a
	// line has no box; neither has text that was recognised in a picture.
	//
	// Errors are as for Resolve. A part outside the text is an error matching
	// [citekit.ErrRange].
	Boxes(ctx context.Context, src *citekit.Source, loc citekit.Location, from, to int) ([]citekit.Box, error)
}
