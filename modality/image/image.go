// Package image resolves regions of images.
//
// It reads PNG, JPEG, GIF, WebP, TIFF and BMP, told apart by their content.
// AVIF, HEIC, JPEG XL and JPEG 2000 are only returned as a whole.
// Regions are of the image as displayed: turned as its Exif orientation says.
// The first page of a TIFF, the default image of an animated PNG and the
// first frame of an animated WebP stand for the whole; an animated GIF is cut
// with all its frames.
//
// The map of an image is the image as a whole, with what its Exif, XMP, IPTC
// and PNG metadata say of it, and below it the blocks of text that the program
// tesseract recognises, if it is installed.
package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"runtime"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/exif"
	"github.com/citekit/citekit/internal/jpeg"
	"github.com/citekit/citekit/internal/tesseract"
	"github.com/citekit/citekit/internal/warm"
)

// Defaults of the fields of [Resolver].
const (
	DefaultMaxPixels = 250_000_000
	DefaultQuality   = 95
	DefaultWarmBytes = 96 << 20
)

// decodeMemory is how many bytes all decoding at one time may take together.
// With DefaultWarmBytes it stays under 512 MiB.
const decodeMemory = 384 << 20

// A Resolver extracts regions of images. The zero value is ready to use. Its
// fields must not change once it is in use.
//
// A region has the format of its source, upright, without metadata but with
// its colour profile, where PNG, JPEG or WebP have one. PNG, GIF, TIFF, BMP
// and lossless WebP keep every pixel; what cannot be encoded in its own
// format becomes PNG. A JPEG region is encoded again with Quality and the
// chroma sampling of the source; if its top left corner lies on the grid of
// blocks and the source is upright, the blocks are copied without any loss.
type Resolver struct {
	// MaxPixels is the largest size of an image, width times height; zero
	// means DefaultMaxPixels. Images that are decoded as a whole are also
	// limited by the memory that takes.
	MaxPixels int

	// Quality is the JPEG quality of regions, from 1 to 100; zero means
	// DefaultQuality.
	Quality int

	// Tesseract is the path of the program tesseract, which recognises text;
	// "" means the one on PATH. Where there is none, images have no blocks
	// and no text.
	Tesseract string

	// Languages are those of the text, by the names of tesseract's language
	// files, such as "deu+eng"; "" means its default, English.
	Languages string

	// NoText leaves text alone: tesseract is not run.
	NoText bool

	// WarmBytes is how much memory decoded images may take between calls;
	// zero means DefaultWarmBytes, negative none.
	WarmBytes int64

	once    sync.Once
	memory  *semaphore.Weighted
	pixels  warm.Cache[image.Image]
	indexes warm.Cache[*jpeg.Image]

	texts   warm.Cache[[]tesseract.Block]
	program func() (*tesseract.Command, error)
}

var (
	_ citekit.Resolver   = (*Resolver)(nil)
	_ citekit.Measurer   = (*Resolver)(nil)
	_ citekit.Mapper     = (*Resolver)(nil)
	_ citekit.TextReader = (*Resolver)(nil)
	_ citekit.Versioner  = (*Resolver)(nil)
)

// setUp makes the caches of a Resolver that is used for the first time.
func (r *Resolver) setUp() {
	r.once.Do(func() {
		r.memory = semaphore.NewWeighted(decodeMemory)
		budget := r.WarmBytes
		if budget == 0 {
			budget = DefaultWarmBytes
		}
		budget = max(0, budget)
		r.texts.MaxCost = min(budget, maxTextCost)
		r.program = sync.OnceValues(func() (*tesseract.Command, error) { return tesseract.Find(r.Tesseract) })
		r.indexes.MaxCost = budget / 8
		r.pixels.MaxCost = budget - budget/8
	})
}

func (r *Resolver) maxPixels() int {
	if r.MaxPixels == 0 {
		return DefaultMaxPixels
	}
	return r.MaxPixels
}

func (r *Resolver) quality() int {
	if r.Quality == 0 {
		return DefaultQuality
	}
	return min(max(r.Quality, 1), 100)
}

// Version implements [citekit.Versioner].
func (r *Resolver) Version() string {
	return fmt.Sprintf("image/1;quality=%d", r.quality())
}

// Measure implements [citekit.Measurer]: it gives the size in pixels as
// displayed.
func (r *Resolver) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	f, err := sniff(ctx, src)
	if err != nil {
		return citekit.Extent{}, err
	}
	p, err := r.open(ctx, src, f)
	if err != nil {
		return citekit.Extent{}, err
	}
	return p.extent(), nil
}

// Resolve implements [citekit.Resolver]. The box is rounded to pixels by
// [citekit.Box.Pixels]. Sources that are not images, or are damaged so that
// the region cannot be decoded, are errors matching [citekit.ErrFormat]; known
// image formats that are not read, [errors.ErrUnsupported]; and images over a
// limit, [citekit.ErrTooLarge].
func (r *Resolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Extract, error) {
	loc := req.Location
	if err := loc.Validate(); err != nil {
		return nil, err
	}
	if err := (citekit.Extent{Modality: citekit.Image}).Check(loc); err != nil {
		return nil, err
	}
	f, err := sniff(ctx, src)
	if err != nil {
		return nil, err
	}
	if loc.IsWhole() && f.open == nil {
		return wholeSource(src, f), nil
	}
	p, err := r.open(ctx, src, f)
	if err != nil {
		return nil, err
	}
	if loc.IsWhole() {
		return wholeSource(src, f), nil
	}
	width, height := p.displayed()
	region := image.Rect(loc.Box.Pixels(width, height))
	b, out, err := r.crop(ctx, src, p, region)
	if err != nil {
		return nil, err
	}
	return &citekit.Extract{
		Body:      io.NopCloser(bytes.NewReader(b)),
		Size:      int64(len(b)),
		MediaType: out.mediaType,
		Ext:       out.ext,
	}, nil
}

func wholeSource(src *citekit.Source, f *format) *citekit.Extract {
	return &citekit.Extract{
		Body:      io.NopCloser(src.Reader()),
		Size:      src.Size(),
		MediaType: f.mediaType,
		Ext:       f.ext,
	}
}

// A picture is what the headers of an image tell.
type picture struct {
	format        *format
	width, height int // stored
	orientation   exif.Orientation

	// memory is how many bytes decoding the whole image takes.
	memory int64

	profile []byte      // ICC profile, or nil
	chunks  []byte      // PNG chunks that say what colours mean, as they are
	jpeg    *jpeg.Image // of a JPEG
	frame   *webpFrame  // of a WebP
}

func (p *picture) displayed() (width, height int) {
	return p.orientation.Displayed(p.width, p.height)
}

func (p *picture) extent() citekit.Extent {
	width, height := p.displayed()
	return citekit.Extent{Modality: citekit.Image, Width: width, Height: height, MediaType: p.format.mediaType}
}

// open reads the headers of src and checks the limits.
func (r *Resolver) open(ctx context.Context, src *citekit.Source, f *format) (*picture, error) {
	r.setUp()
	if f.open == nil {
		return nil, fmt.Errorf("the source is in %s, of which no region can be read; convert it to PNG: %w", f.name, errors.ErrUnsupported)
	}
	p, err := f.open(ctx, r, src)
	if err != nil {
		return nil, sourceError(f, err)
	}
	p.format = f
	if !p.orientation.Valid() {
		p.orientation = exif.TopLeft
	}
	if p.width <= 0 || p.height <= 0 {
		return nil, fmt.Errorf("the %s has a size of %dx%d pixels: %w", f.name, p.width, p.height, citekit.ErrFormat)
	}
	if limit := r.maxPixels(); p.width > limit/p.height {
		return nil, fmt.Errorf("the %s has %dx%d pixels; at most %d are read: %w", f.name, p.width, p.height, limit, citekit.ErrTooLarge)
	}
	return p, nil
}

// crop returns the region of the displayed image, encoded, and its format.
func (r *Resolver) crop(ctx context.Context, src *citekit.Source, p *picture, region image.Rectangle) ([]byte, *format, error) {
	if p.format.crop != nil {
		b, f, err := p.format.crop(ctx, r, src, p, region)
		return b, f, sourceError(p.format, err)
	}
	stored := p.orientation.StoredRect(region, p.width, p.height)
	img, release, err := r.decodeWhole(ctx, src, p)
	if err != nil {
		return nil, nil, sourceError(p.format, err)
	}
	defer release()
	part := img.(subImager).SubImage(stored)
	return r.encode(upright(part, p.orientation), p)
}

type subImager interface {
	SubImage(r image.Rectangle) image.Image
}

// decodeWhole returns all pixels of an image as stored. The caller calls
// release when it needs them no more.
func (r *Resolver) decodeWhole(ctx context.Context, src *citekit.Source, p *picture) (img image.Image, release func(), err error) {
	release, err = r.reserve(ctx, p.memory)
	if err != nil {
		return nil, nil, fmt.Errorf("the %s has %dx%d pixels: %w", p.format.name, p.width, p.height, err)
	}
	img, err = r.pixels.Get(ctx, src.Version(), func(ctx context.Context) (image.Image, int64, error) {
		img, err := p.format.decode(ctx, src, p)
		return img, p.memory, err
	})
	if err == nil && img.Bounds() != image.Rect(0, 0, p.width, p.height) {
		err = fmt.Errorf("its header says %dx%d pixels, it has %v: %w", p.width, p.height, img.Bounds().Size(), citekit.ErrFormat)
	}
	if err != nil {
		release()
		return nil, nil, err
	}
	return img, release, nil
}

// reserve waits until n bytes may be used.
func (r *Resolver) reserve(ctx context.Context, n int64) (release func(), err error) {
	if n > decodeMemory {
		return nil, fmt.Errorf("decoding takes %d MiB of memory, at most %d may be used: %w", n>>20, decodeMemory>>20, citekit.ErrTooLarge)
	}
	if err := r.memory.Acquire(ctx, n); err != nil {
		return nil, err
	}
	return func() {
		if n > decodeMemory/4 {
			runtime.GC() // or the next large image would come on top of this one
		}
		r.memory.Release(n)
	}, nil
}
