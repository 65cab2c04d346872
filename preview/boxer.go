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

// MaxLayouts is the largest number of pages in one call of a [Layouter].
const MaxLayouts = 12

// A Layouter is a [citekit.Resolver] that knows the sizes of pages, and where their lines
// stand.
type Layouter interface {
	// Layout returns the pages that loc selects, 1 to [MaxLayouts], in their order. If lines
	// is true, it finds their lines too, as [Boxer] does: text that was recognised in a
	// picture has none. Errors are as for Resolve.
	Layout(ctx context.Context, src *citekit.Source, loc citekit.Location, lines bool) ([]PageLayout, error)
}

// A PageLayout is the size of a page, and where its lines stand.
type PageLayout struct {
	Page          int     // from 1
	Width, Height float64 // points, as displayed
	Lines         []LineLayout
}

// A LineLayout is where a line of a page stands.
type LineLayout struct {
	From, To int // bytes of the text that [citekit.TextReader] yields for the page
	Box      citekit.Box
}
