// Package image resolves regions of images.
//
// It reads PNG, JPEG, GIF, WebP, TIFF and BMP, and recognises them by their
// content. It reads only the size and the metadata of AVIF and HEIC; these,
// JPEG XL and JPEG 2000 are returned only as a whole. Regions refer to the
// image as displayed: turned by its Exif orientation. The first page of a TIFF,
// the default image of an animated PNG and the first frame of an animated WebP
// stand for the whole; an animated GIF is cut with all its frames.
//
// The map of an image has a node for the whole image, with its Exif, XMP, IPTC
// and PNG metadata, and below it the blocks of text that the program tesseract
// recognises, if it is installed.
package image

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/modality/image/internal/exif"
	"github.com/citekit/citekit/modality/image/internal/jpeg"
	"github.com/citekit/citekit/modality/internal/tesseract"
	"github.com/citekit/citekit/preview"
)

// Defaults of the fields of [Resolver].
const (
	DefaultMaxPixels = 250_000_000 // of MaxPixels
	DefaultQuality   = 95          // of Quality
	DefaultWarmBytes = 96 << 20    // of WarmBytes
)

// A Resolver extracts regions of images. The zero value is ready to use. Its
// fields must not change once it is in use.
//
// A region has the format of its source, upright, without metadata but with its
// colour profile, if the PNG, JPEG, TIFF or WebP has one. PNG, TIFF and BMP
// keep every stored sample unchanged, GIF and lossless WebP every pixel; a
// region of a WebP is a PNG. A JPEG region is encoded again with Quality and
// the chroma sampling of the source; if its top left corner lies on the grid of
// blocks and the source is upright, the blocks are copied without any loss.
type Resolver struct {
	// MaxPixels is the largest size, width times height; zero means
	// DefaultMaxPixels. For formats decoded in parts, TIFF and JPEG of one
	// scan, it limits the region; for others, the image. The memory of a job is
	// a further limit for all.
	MaxPixels int

	// Quality is the JPEG quality of regions, from 1 to 100; zero means
	// DefaultQuality.
	Quality int

	// Tesseract is the path of the program tesseract, which recognises text; ""
	// means the one in PATH. Without it, images have no blocks and no text.
	Tesseract string

	// OCRProgram is the path of another program that recognises text instead of
	// tesseract: it is run with the path of a PNG, and writes hOCR, ALTO or the TSV of
	// tesseract to standard output. "" means tesseract.
	OCRProgram string

	// Languages are the languages of the text, as names of tesseract's language
	// files, such as "deu+eng"; "" means its default, English.
	Languages string

	// Children limits how many child processes run at a time. Other resolvers
	// may share it. Nil means two for this resolver.
	Children *citekit.Slots

	// NoText turns the recognition of text off: tesseract is not run.
	NoText bool

	// WarmBytes is the memory limit for decoded images kept between calls, in
	// bytes; zero means DefaultWarmBytes, negative none. Kept images are
	// dropped when jobs need the memory.
	WarmBytes int64

	// DecodeBytes is the memory limit for all jobs at a time, in bytes; zero
	// means 384 MiB. A job that needs more fails as too large.
	DecodeBytes int64

	once    sync.Once
	memory  *semaphore.Weighted
	budget  int64        // bytes of memory; zero means DecodeBytes
	held    atomic.Int64 // bytes reserved of memory
	pixels  concurrent.Cache[any]
	indexes concurrent.Cache[*jpeg.Image]

	texts   concurrent.Cache[[]tesseract.Block]
	program func() (*tesseract.Command, error)
}

var (
	_ citekit.Resolver   = (*Resolver)(nil)
	_ citekit.Measurer   = (*Resolver)(nil)
	_ citekit.Mapper     = (*Resolver)(nil)
	_ citekit.TextReader = (*Resolver)(nil)
	_ preview.Previewer  = (*Resolver)(nil)
	_ citekit.Versioner  = (*Resolver)(nil)
)

// setUp makes the caches of a Resolver at its first use.
func (r *Resolver) setUp() {
	r.once.Do(func() {
		if r.budget == 0 {
			r.budget = cmp.Or(max(0, r.DecodeBytes), decodeMemory)
		}
		r.memory = semaphore.NewWeighted(r.budget)
		budget := r.WarmBytes
		if budget == 0 {
			budget = DefaultWarmBytes
		}
		budget = max(0, budget)
		r.texts.MaxCost = min(budget, maxTextCost)
		r.program = sync.OnceValues(r.findProgram)
		r.indexes.MaxCost = budget / 8
		r.pixels.MaxCost = budget - budget/8
	})
}

func (r *Resolver) findProgram() (*tesseract.Command, error) {
	find, path := tesseract.Find, r.Tesseract
	if r.OCRProgram != "" {
		find, path = tesseract.FindProgram, r.OCRProgram
	}
	command, err := find(path)
	if err == nil && r.Children != nil {
		command.Slots = r.Children
	}
	return command, err
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

// Programs implements stats.ProgramUser with tesseract.
func (r *Resolver) Programs(ctx context.Context) (found map[string]string, missing []string) {
	return tesseract.Programs(ctx, r.Tesseract)
}

// Version implements [citekit.Versioner].
func (r *Resolver) Version() string {
	version := fmt.Sprintf("image/4;quality=%d", r.quality())
	if r.Languages != "" {
		version += ";languages=" + r.Languages
	}
	if r.OCRProgram != "" {
		version += ";ocr=" + r.OCRProgram
	}
	return version
}

// Measure implements [citekit.Measurer]: it returns the size in pixels as
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
// [citekit.Box.Pixels]. Errors match [citekit.ErrFormat] if the source is not
// an image, or is so damaged that the region cannot be decoded;
// [errors.ErrUnsupported] for known image formats, or variants of them, that
// cannot be read; and [citekit.ErrTooLarge] if the image exceeds a limit. The
// whole image is the bytes of the source; only its head is read to check it.
//
// The Body holds a share of the memory of r until it is closed.
func (r *Resolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	loc := req.Location
	f, err := formatAt(ctx, src, loc)
	if err != nil {
		return nil, err
	}
	if loc.IsWhole() {
		return wholeSource(ctx, src, f)
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
	c, err := p.format.crop(ctx, r, src, p, region)
	if err != nil {
		return nil, sourceError(p.format, err)
	}
	content := &citekit.Content{
		Body:      c.out.body(c.held),
		Size:      c.out.size,
		MediaType: c.format.mediaType,
		Ext:       c.format.ext,
	}
	if p.animated {
		content.Changes = []string{"of the animation, the first picture alone"}
	}
	return content, nil
}

// formatAt checks a location, and finds the format of src.
func formatAt(ctx context.Context, src *citekit.Source, loc citekit.Location) (*format, error) {
	if err := loc.Validate(); err != nil {
		return nil, err
	}
	if err := (citekit.Extent{Modality: citekit.Image}).Check(loc); err != nil {
		return nil, err
	}
	return sniff(ctx, src)
}

// A crop is an encoded region.
type crop struct {
	out    *output
	format *format
	held   *reservation
}

// wholeSource returns the source itself, after reading the size of the image
// from its head.
func wholeSource(ctx context.Context, src *citekit.Source, f *format) (*citekit.Content, error) {
	if f.size != nil {
		in := newInput(ctx, src)
		width, height, err := f.size(in)
		if err == nil && (width <= 0 || height <= 0) {
			err = fmt.Errorf("the %s has a size of %dx%d pixels: %w", f.name, width, height, citekit.ErrFormat)
		}
		if err != nil {
			return nil, sourceError(f, in.blame(f, err))
		}
	}
	return &citekit.Content{
		Body:      io.NopCloser(src.Reader()),
		Size:      src.Size(),
		MediaType: f.mediaType,
		Ext:       f.ext,
	}, nil
}

// A picture holds the data in the headers of an image.
type picture struct {
	format        *format
	width, height int // stored
	orientation   exif.Orientation

	// memory is the memory for decoding the whole image, in bytes, if it is
	// decoded at once.
	memory int64

	animated bool // a region is cut out of its first picture alone

	profile []byte      // ICC profile, or nil
	chunks  []byte      // PNG chunks that define the colours, unchanged
	jpeg    *jpeg.Image // of a JPEG
	frame   *webpFrame  // of a WebP
	png     *pngPixels
	tiff    *tiffPage
	bmp     *bmpPixels
}

func (p *picture) displayed() (width, height int) {
	return p.orientation.Displayed(p.width, p.height)
}

// bounds returns all of p, as stored.
func (p *picture) bounds() image.Rectangle { return image.Rect(0, 0, p.width, p.height) }

func (p *picture) extent() citekit.Extent {
	width, height := p.displayed()
	return citekit.Extent{Modality: citekit.Image, Width: width, Height: height, MediaType: p.format.mediaType}
}

// open reads the headers of src.
func (r *Resolver) open(ctx context.Context, src *citekit.Source, f *format) (*picture, error) {
	r.setUp()
	if f.open == nil {
		return nil, fmt.Errorf("the source is in %s, and regions of that format cannot be read; cite the whole image, or convert it to PNG or JPEG first: %w", f.name, errors.ErrUnsupported)
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
	return p, nil
}

// checkPixels checks that a region of p, or p itself, is not too large to be
// decoded.
func (r *Resolver) checkPixels(p *picture, region image.Rectangle) error {
	limit := r.maxPixels()
	if p.tiff != nil || p.jpeg != nil && p.jpeg.CanCut() {
		if region.Dx() > limit/region.Dy() {
			return fmt.Errorf("a region of %dx%d pixels; at most %d are read, so ask for a smaller one: %w", region.Dx(), region.Dy(), limit, citekit.ErrTooLarge)
		}
		return nil
	}
	if p.width > limit/p.height {
		return fmt.Errorf("the %s has %dx%d pixels, and at most %d are read; cite the whole image: %w", p.format.name, p.width, p.height, limit, citekit.ErrTooLarge)
	}
	return nil
}

// regionError returns an error that names the region.
func regionError(region image.Rectangle, err error) error {
	if errors.Is(err, citekit.ErrTooLarge) {
		return fmt.Errorf("a region of %dx%d pixels; ask for a smaller one: %w", region.Dx(), region.Dy(), err)
	}
	return err
}

type subImager interface {
	SubImage(r image.Rectangle) image.Image
}

// decodeWhole returns all pixels of an image as stored. The caller has reserved
// p.memory.
func (r *Resolver) decodeWhole(ctx context.Context, src *citekit.Source, p *picture) (image.Image, error) {
	kept, err := r.pixels.Get(ctx, src.Version(), func(ctx context.Context) (any, int64, error) {
		img, err := p.format.decode(ctx, src, p)
		return img, r.keepCost(p.memory), err
	})
	if err != nil {
		return nil, err
	}
	img, ok := kept.(image.Image)
	if !ok || img.Bounds() != image.Rect(0, 0, p.width, p.height) {
		return nil, fmt.Errorf("its header says %dx%d pixels, and it has others: %w", p.width, p.height, citekit.ErrFormat)
	}
	return img, nil
}

// keepCost returns the cost of keeping n bytes of pixels. If jobs need the
// memory, the cost exceeds the limit.
func (r *Resolver) keepCost(n int64) int64 {
	if r.roomToKeep() {
		return n
	}
	return math.MaxInt64
}
