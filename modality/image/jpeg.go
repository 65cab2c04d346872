package image

import (
	"context"
	"image"
	stdjpeg "image/jpeg"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/image/internal/exif"
	"github.com/citekit/citekit/modality/image/internal/jpeg"
)

func jpegFormat() *format {
	return &format{
		name:      "JPEG",
		mediaType: "image/jpeg",
		ext:       ".jpg",
		id:        "jpeg",
		open:      openJPEG,
		decode:    decodeJPEG,
		cards:     jpegCards,
		crop:      cropJPEG,
		read:      readJPEG,
		readMemory: func(_ *Resolver, p *picture, region image.Rectangle) int64 {
			if p.jpeg.CanCut() {
				return jpegRegionMemory(bandOf(region, region.Min.Y/32*32))
			}
			return p.memory
		},
		size: func(in *input) (width, height int, err error) { return jpeg.Size(in, in.src.Size()) },
	}
}

// openJPEG reads the headers, or takes them from the cache.
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

// cropJPEG decodes only the region, if the file allows that.
func cropJPEG(ctx context.Context, r *Resolver, src *citekit.Source, p *picture, region image.Rectangle) (*crop, error) {
	stored := p.orientation.StoredRect(region, p.width, p.height)
	around := stored.Inset(-chromaMargin).Intersect(image.Rect(0, 0, p.width, p.height))
	memory := jpegEncodedMost(stored)
	switch {
	case !p.jpeg.CanCut():
		memory += p.memory + 3*area(stored) // turned, or with chroma for each pixel
	case p.canCopyBlocks(stored):
		memory = min(2*src.Size(), 2*memory) // the blocks, and room to grow
	default:
		memory += jpegRegionMemory(around)
	}
	return r.encoded(ctx, memory, region, p.format, func() (*output, error) {
		parts, err := r.jpegRegion(ctx, src, p, stored, around)
		return outputOf(parts...), err
	})
}

// jpegRegion returns an encoded region, in consecutive parts.
func (r *Resolver) jpegRegion(ctx context.Context, src *citekit.Source, p *picture, stored, around image.Rectangle) ([][]byte, error) {
	in := newInput(ctx, src)
	if p.jpeg.CanCut() && p.canCopyBlocks(stored) {
		b, err := p.jpeg.Cut(ctx, in, stored, jpeg.Prelude(p.profile))
		return [][]byte{b}, err
	}
	var img image.Image
	var err error
	if p.jpeg.CanCut() {
		img, err = p.jpeg.DecodeRegion(ctx, in, around)
	} else {
		img, err = r.decodeWhole(ctx, src, p)
	}
	if err != nil {
		return nil, err
	}
	o := jpeg.EncodeOptions{Quality: r.quality(), Profile: p.rgbProfile(), Region: stored}
	if p.orientation != exif.TopLeft {
		img, o.Region = turnedRegion(img, stored, p.orientation), image.Rectangle{}
	}
	return jpeg.Encode(ctx, img, o)
}

func area(r image.Rectangle) int64 { return int64(r.Dx()) * int64(r.Dy()) }

// jpegRegionMemory returns the memory for decoding a region, in bytes: the
// planes and their turned copy, or four inks.
func jpegRegionMemory(r image.Rectangle) int64 { return 7*area(r) + 1<<20 }

// jpegEncodedMost returns the approximate maximum memory for encoding a region,
// in bytes.
func jpegEncodedMost(r image.Rectangle) int64 {
	return area(r) + jpeg.EncodeMemory(max(r.Dx(), r.Dy())) + 1<<20
}

// bandPixels is the approximate number of pixels of a JPEG read at a time.
const bandPixels = 4 << 20

// bandOf returns the rows of a region, from y on, that are read together.
// Blocks of 16 rows are not read twice.
func bandOf(region image.Rectangle, y int) image.Rectangle {
	rows := max(32, bandPixels/region.Dx()/32*32)
	return image.Rect(region.Min.X, y, region.Max.X, min((y/32*32)+rows, region.Max.Y))
}

// readJPEG decodes some rows at a time, if the file allows that.
func readJPEG(ctx context.Context, r *Resolver, src *citekit.Source, p *picture, region image.Rectangle, visit func(rgba []byte) error) error {
	if !p.jpeg.CanCut() {
		return readWhole(ctx, r, src, p, region, visit)
	}
	in := newInput(ctx, src)
	for y := region.Min.Y; y < region.Max.Y; {
		band := bandOf(region, y)
		img, err := p.jpeg.DecodeRegion(ctx, in, band)
		if err != nil {
			return err
		}
		if err := eachRow(img.(subImager).SubImage(band), visit); err != nil {
			return err
		}
		y = band.Max.Y
	}
	return nil
}

// canCopyBlocks reports whether the region can be cut without decoding.
func (p *picture) canCopyBlocks(stored image.Rectangle) bool {
	return p.orientation == exif.TopLeft && p.jpeg.Components != 4 && !p.jpeg.IsRGB() && p.jpeg.OnGrid(stored)
}

// rgbProfile returns the colour profile, unless it is for inks, because inks
// are converted.
func (p *picture) rgbProfile() []byte {
	if p.jpeg.Components == 4 {
		return nil
	}
	return p.profile
}

// turnedRegion returns a region of a decoded JPEG, upright.
func turnedRegion(img image.Image, stored image.Rectangle, o exif.Orientation) image.Image {
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
