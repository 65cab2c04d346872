package image

import (
	"context"
	"fmt"
	"image"
	stdjpeg "image/jpeg"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/exif"
	"github.com/citekit/citekit/internal/jpeg"
)

func jpegFormat() *format {
	return &format{
		name:      "JPEG",
		mediaType: "image/jpeg",
		ext:       ".jpg",
		match:     anyPrefix("\xff\xd8\xff"),
		open:      openJPEG,
		decode:    decodeJPEG,
		crop:      cropJPEG,
	}
}

// openJPEG reads the headers, or finds them warm.
func openJPEG(ctx context.Context, r *Resolver, src *citekit.Source) (*picture, error) {
	in := newInput(ctx, src)
	im, err := r.indexes.Get(ctx, src.Version(), func(ctx context.Context) (*jpeg.Image, int64, error) {
		im, err := jpeg.Open(ctx, in, src.Size())
		if err != nil {
			return nil, 0, err
		}
		return im, im.Cost(), nil
	})
	if err != nil {
		return nil, err
	}
	p := &picture{width: im.Width, height: im.Height, profile: im.Profile, jpeg: im}
	for _, block := range im.Exif {
		if o, ok := exif.Parse(block); ok {
			p.orientation = o
			break
		}
	}
	p.memory = im.Memory()
	return p, nil
}

// cropJPEG decodes only the region, where the file allows that.
func cropJPEG(ctx context.Context, r *Resolver, src *citekit.Source, p *picture, region image.Rectangle) ([]byte, *format, error) {
	stored := p.orientation.StoredRect(region, p.width, p.height)
	if !p.jpeg.CanCut() {
		img, release, err := r.decodeWhole(ctx, src, p)
		if err != nil {
			return nil, nil, err
		}
		defer release()
		return r.encode(upright(img.(subImager).SubImage(stored), p.orientation), p)
	}
	// The result, what it is turned into, and the encoder's output.
	release, err := r.reserve(ctx, 8*int64(region.Dx())*int64(region.Dy()))
	if err != nil {
		return nil, nil, fmt.Errorf("a region of %dx%d pixels: %w", region.Dx(), region.Dy(), err)
	}
	defer release()
	img, err := p.jpeg.DecodeRegion(ctx, newInput(ctx, src), stored)
	if err != nil {
		return nil, nil, err
	}
	return r.encode(upright(img, p.orientation), p)
}

// decodeJPEG decodes a progressive JPEG, or one of several scans.
func decodeJPEG(ctx context.Context, src *citekit.Source, p *picture) (image.Image, error) {
	in := newInput(ctx, src)
	img, err := stdjpeg.Decode(in.all())
	return img, in.blame(p.format, err)
}
