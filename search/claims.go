package search

import (
	"cmp"
	"context"
	"errors"

	"github.com/citekit/citekit/textlayer"
)

// claims returns the part of a layer's text that each node is about. Nodes
// whose locations have no text there, such as regions of a page, claim nothing.
//
// A location of pages shows only on which page a node begins. If its title is
// found on that page, the claim begins at the title, so that several nodes can
// share a page.
func claims(ctx context.Context, layer *textlayer.Layer, all []*place, work *meter) ([]claim, error) {
	var claimed []claim
	pages := firstPages{layer: layer, from: -1}
	looked := layer.Looked()
	for _, p := range all {
		now := layer.Looked()
		if err := cmp.Or(ctx.Err(), work.spend(lookWork*(1+now-looked))); err != nil {
			return nil, err
		}
		looked = now
		loc := p.node.Location
		if loc.Modality != layer.Modality() && loc.Member == "" || !loc.Box.IsZero() || loc.Table != "" && len(loc.Pages) > 0 || loc.Validate() != nil {
			continue
		}
		ranges, err := layer.Ranges(loc)
		if errors.Is(err, errors.ErrUnsupported) {
			ranges, err = layer.Ranges(textlayer.Widened(loc))
		}
		if err != nil {
			continue // past the end of the text, or without any text
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

// mostHeading is how much of a page, in bytes, is searched for a title.
const mostHeading = 64 << 10

// firstPages are the pages that nodes begin on. The last one is held for the
// next node that begins there.
type firstPages struct {
	layer *textlayer.Layer
	from  int64 // start of the page that is held, or -1
	text  *foldedText
}

// headingStart returns the position of a title on the first page of a part of
// the text, or the start of the part.
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

// read loads the page that begins at an offset.
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
