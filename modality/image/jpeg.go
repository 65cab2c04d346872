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
		cards:     jpegCards,
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
	in := newInput(ctx, src)
	stored := p.orientation.StoredRect(region, p.width, p.height)
	if p.jpeg.CanCut() && p.canCopyBlocks(stored) {
		release, err := r.reserve(ctx, min(2*src.Size(), 8*int64(stored.Dx())*int64(stored.Dy())))
		if err != nil {
			return nil, nil, err
		}
		defer release()
		b, err := p.jpeg.Cut(ctx, in, stored, jpeg.Prelude(p.profile))
		return b, p.format, err
	}
	around := stored.Inset(-chromaMargin).Intersect(image.Rect(0, 0, p.width, p.height))
	var img image.Image
	if p.jpeg.CanCut() {
		// The planes, what they are turned into, and the encoder's output.
		release, err := r.reserve(ctx, 8*int64(around.Dx())*int64(around.Dy()))
		if err != nil {
			return nil, nil, fmt.Errorf("a region of %dx%d pixels; ask for a smaller one: %w", region.Dx(), region.Dy(), err)
		}
		defer release()
		if img, err = p.jpeg.DecodeRegion(ctx, in, around); err != nil {
			return nil, nil, err
		}
	} else {
		whole, release, err := r.decodeWhole(ctx, src, p)
		if err != nil {
			return nil, nil, err
		}
		defer release()
		img = whole
	}
	b, err := jpeg.Encode(jpegPixels(img, stored, p.orientation), jpeg.EncodeOptions{Quality: r.quality(), Profile: p.rgbProfile()})
	return b, p.format, err
}

// canCopyBlocks reports whether the region can be had without decoding.
func (p *picture) canCopyBlocks(stored image.Rectangle) bool {
	return p.orientation == exif.TopLeft && p.jpeg.Components != 4 && !p.jpeg.IsRGB() && p.jpeg.OnGrid(stored)
}

// rgbProfile returns the colour profile, unless it is of inks: those are
// converted.
func (p *picture) rgbProfile() []byte {
	if p.jpeg.Components == 4 {
		return nil
	}
	return p.profile
}

// jpegPixels returns a region of what a JPEG decodes to, upright.
func jpegPixels(img image.Image, stored image.Rectangle, o exif.Orientation) image.Image {
	if m, ok := img.(*image.YCbCr); ok {
		return uprightYCbCr(m, stored, o)
	}
	return upright(img.(subImager).SubImage(stored), o)
}

// decodeJPEG decodes a progressive JPEG, or one of several scans.
func decodeJPEG(ctx context.Context, src *citekit.Source, p *picture) (image.Image, error) {
	in := newInput(ctx, src)
	img, err := stdjpeg.Decode(in.all())
	return img, in.blame(p.format, err)
}
