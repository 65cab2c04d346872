package search

import (
	"context"
	"errors"

	"github.com/citekit/citekit/textlayer"
)

// claims returns what each node is about in the text of a layer. Nodes whose
// locations have no text there, such as regions of a page, claim nothing.
//
// A location of pages says only on which page a node begins. Where its title is
// found on that page, the claim begins there: so that several nodes can share a
// page.
func claims(ctx context.Context, layer *textlayer.Layer, all []*place) ([]claim, error) {
	var claimed []claim
	pages := firstPages{layer: layer, from: -1}
	for _, p := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		loc := p.node.Location
		if loc.Modality != layer.Modality() || !loc.Box.IsZero() || loc.Validate() != nil {
			continue
		}
		ranges, err := layer.Ranges(loc)
		if errors.Is(err, errors.ErrUnsupported) {
			ranges, err = layer.Ranges(loc.Widened())
		}
		if err != nil {
			continue // past the end of the text, or no text at all
		}
		for i, r := range ranges {
			if i == 0 && len(loc.Pages) > 0 && !loc.IsWhole() {
				if r.From, err = pages.headingStart(ctx, r, p.node.Title); err != nil {
					return nil, err
				}
			}
			claimed = append(claimed, claim{r.From, r.To, p})
		}
	}
	return claimed, nil
}

// mostHeading is how much of a page is searched for a title, in bytes.
const mostHeading = 64 << 10

// firstPages are the pages that nodes begin on, the last one held for the next
// node that begins there.
type firstPages struct {
	layer *textlayer.Layer
	from  int64 // of the page that is held, or -1
	text  *folded
}

// headingStart returns where on the first page of a part of the text a title
// stands, or where the part begins.
func (f *firstPages) headingStart(ctx context.Context, part textlayer.Bytes, title string) (int64, error) {
	if f.from != part.From {
		if err := f.read(ctx, part.From); err != nil {
			return part.From, err
		}
	}
	if at := f.text.findHeading(title); at > 0 && part.From+int64(at) < part.To {
		return part.From + int64(at), nil
	}
	return part.From, nil
}

// read holds the page that begins at an offset.
func (f *firstPages) read(ctx context.Context, from int64) error {
	page, err := f.layer.Location(from, from)
	if err != nil {
		return err
	}
	end := from
	if ranges, err := f.layer.Ranges(page); err == nil && len(ranges) > 0 && ranges[0].From == from {
		end = min(ranges[0].To, from+mostHeading)
	}
	text, err := f.layer.Text(ctx, from, end)
	if err != nil {
		return err
	}
	f.from, f.text = from, foldLetters(text)
	return nil
}
