package image

import (
	"context"
	"image"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/drawing"
	"github.com/citekit/citekit/preview"
)

// Preview implements [preview.Previewer]. The picture is the box as displayed,
// or the whole image, with white behind transparent parts. For an animation it
// is the first frame. Colour profiles are ignored.
func (r *Resolver) Preview(ctx context.Context, src *citekit.Source, loc citekit.Location, opts preview.Options) (*preview.Preview, error) {
	opts, err := opts.WithDefaults()
	if err != nil {
		return nil, err
	}
	f, err := formatAt(ctx, src, loc)
	if err != nil {
		return nil, err
	}
	if f.read == nil {
		return nil, noDecoder("showing " + f.name)
	}
	p, err := r.open(ctx, src, f)
	if err != nil {
		return nil, err
	}
	width, height := p.displayed()
	region := image.Rect(loc.Box.Pixels(width, height))
	if err := r.checkPixels(p, region); err != nil {
		return nil, err
	}
	img, err := r.reduced(ctx, src, p, region, opts.Side)
	if err != nil {
		return nil, sourceError(f, err)
	}
	drawing.Mark(img, opts.Boxes, fractions(region, width, height))
	return drawing.Of(img, loc)
}

// fractions returns the box of a region.
func fractions(region image.Rectangle, width, height int) citekit.Box {
	return citekit.Box{
		X1: float64(region.Min.X) / float64(width), Y1: float64(region.Min.Y) / float64(height),
		X2: float64(region.Max.X) / float64(width), Y2: float64(region.Max.Y) / float64(height),
	}
}

// reduced returns a region, as displayed, scaled down to fit into a square.
func (r *Resolver) reduced(ctx context.Context, src *citekit.Source, p *picture, region image.Rectangle, side int) (*image.RGBA, error) {
	stored := p.orientation.StoredRect(region, p.width, p.height)
	size := drawing.Shrink(stored.Dx(), stored.Dy(), side, side)
	const copies = 2 // one is turned, one encoded
	memory := p.format.readMemory(r, p, stored) + copies*4*int64(size.X)*int64(size.Y)
	held, err := r.reserve(ctx, memory+drawing.ReducerMemory(stored.Dx(), size)+rowMemory*int64(p.width))
	if err != nil {
		return nil, regionError(region, err)
	}
	defer held.release()
	reducer := drawing.NewReducer(stored.Dx(), stored.Dy(), size)
	if err := p.format.read(ctx, r, src, p, stored, reducer.Row); err != nil {
		return nil, err
	}
	return upright(reducer.Image(), p.orientation).(*image.RGBA), nil
}

// rowMemory is the memory for a pixel of a row, in bytes, in addition to the
// read data.
const rowMemory = 8
