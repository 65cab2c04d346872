package search

import (
	"context"

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
	for _, p := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		loc := p.node.Location
		if loc.Modality != layer.Modality() || !loc.Box.IsZero() || loc.Validate() != nil {
			continue
		}
		ranges, err := layer.Ranges(loc)
		if err != nil {
			continue // past the end of the text, or no text at all
		}
		for i, r := range ranges {
			if i == 0 && len(loc.Pages) > 0 && !loc.IsWhole() {
				if r.From, err = headingStart(ctx, layer, r, p.node.Title); err != nil {
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

// headingStart returns where on the first page of a part of the text a title
// stands, or where the part begins.
func headingStart(ctx context.Context, layer *textlayer.Layer, part textlayer.Bytes, title string) (int64, error) {
	page, err := layer.Location(part.From, part.From)
	if err != nil {
		return part.From, err
	}
	ranges, err := layer.Ranges(page)
	if err != nil || len(ranges) == 0 || ranges[0].From != part.From {
		return part.From, nil
	}
	end := min(part.To, ranges[0].To, part.From+mostHeading)
	text, err := layer.Text(ctx, part.From, end)
	if err != nil {
		return part.From, err
	}
	if at := findHeading(text, title); at > 0 {
		return part.From + int64(at), nil
	}
	return part.From, nil
}
