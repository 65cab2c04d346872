package slides

import (
	"context"
	"errors"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sniff"
	"github.com/citekit/citekit/modality/document/internal/odf"
	"github.com/citekit/citekit/modality/document/internal/ooxml"
)

// maxSlides is the largest number of slides in a presentation.
const maxSlides = 100_000

// A deck is an open presentation of one format. Slides are counted from 0.
type deck interface {
	format() (mediaType, ext string)

	// count returns the number of slides.
	count() int

	// has reports whether the content of a listed slide exists.
	has(i int) bool

	sections() []section

	// about returns the title in the properties, and the other properties.
	about(ctx context.Context) (title string, other noter, err error)

	readSlide(ctx context.Context, i int) (*content, error)

	// extract returns a presentation with only the slides at indexes.
	extract(ctx context.Context, indexes []int) (*citekit.Content, error)
}

// A noter writes properties into the metadata of a map.
type noter interface {
	Note(metadata map[string]any)
}

// A section is a named group of slides.
type section struct {
	name   string
	slides []int // counted from 0, in the order of the section
}

// openDeck opens a presentation. Every source that is not an ODP is read as PPTX,
// so that errors come from the reader of PPTX.
func openDeck(ctx context.Context, src *citekit.Source) (deck, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	format, err := sniff.Detect(src, src.Size())
	if err != nil {
		return nil, err
	}
	if format.ID == "odp" {
		p, err := odf.Open(ctx, src, src.Size())
		if err != nil {
			return nil, err
		}
		return openODP(ctx, p)
	}
	p, err := ooxml.Open(ctx, src, src.Size())
	if err != nil {
		return nil, err
	}
	return openPPTX(ctx, p)
}

func extentOf(d deck) citekit.Extent {
	mediaType, _ := d.format()
	return citekit.Extent{Modality: citekit.Document, Pages: d.count(), MediaType: mediaType}
}

// known returns ctx.Err() in place of err once ctx is done.
func known(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
		return ctx.Err()
	}
	return err
}
