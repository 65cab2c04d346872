package image

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"strings"

	"github.com/citekit/citekit"
	signature "github.com/citekit/citekit/internal/sniff"
	"github.com/citekit/citekit/modality/image/internal/jpeg"
)

// A format is one kind of image file.
type format struct {
	name      string
	mediaType string
	ext       string

	id string // id of its signature

	// open reads the headers. It is nil for formats that are recognized but
	// cannot be read: their sources can only be returned as a whole.
	open func(ctx context.Context, r *Resolver, src *citekit.Source) (*picture, error)

	// size reads the size of the image, as stored, from its head. It is nil for
	// formats with only a known signature.
	size func(in *input) (width, height int, err error)

	// crop returns a region of the displayed image. It makes one reservation.
	crop func(ctx context.Context, r *Resolver, src *citekit.Source, p *picture, region image.Rectangle) (*crop, error)

	// read calls visit for every row of a region of the image as stored, in
	// pixels of an [image.RGBA] over white, which takes readMemory.
	read       func(ctx context.Context, r *Resolver, src *citekit.Source, p *picture, region image.Rectangle, visit func(rgba []byte) error) error
	readMemory func(r *Resolver, p *picture, region image.Rectangle) int64

	// decode returns all pixels as stored, for formats that are decoded at
	// once.
	decode func(ctx context.Context, src *citekit.Source, p *picture) (image.Image, error)

	// cards reads the metadata that describe the image; it may be nil.
	cards func(in *input, c *cards)
}

// formats returns the formats that can be read.
func formats() []*format {
	return []*format{pngFormat(), jpegFormat(), gifFormat(), webpFormat(), tiffFormat(), bmpFormat()}
}

// unreadFormats returns the formats of images that are only returned whole.
func unreadFormats() []*format {
	return []*format{
		heifFormat("AVIF", "image/avif", ".avif", "avif"),
		heifFormat("HEIC", "image/heic", ".heic", "heic"),
		heifFormat("HEIF", "image/heif", ".heif", "heif"),
		{name: "JPEG XL", mediaType: "image/jxl", ext: ".jxl", id: "jxl"},
		{name: "JPEG 2000", mediaType: "image/jp2", ext: ".jp2", id: "jp2"},
	}
}

// sniff finds the format of src by its content.
func sniff(ctx context.Context, src *citekit.Source) (*format, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if src.Size() == 0 {
		return nil, fmt.Errorf("the source is empty: %w", citekit.ErrFormat)
	}
	found, err := signature.Detect(src, src.Size())
	if err != nil {
		return nil, err
	}
	for _, f := range append(formats(), unreadFormats()...) {
		if f.id == found.ID {
			return f, nil
		}
	}
	switch {
	case found.ID == "":
		return nil, fmt.Errorf("the source is not an image that is known: %w", citekit.ErrFormat)
	case found.Kind == signature.Image || strings.HasPrefix(found.MediaType, "image/"): // a drawing may be text
		return nil, fmt.Errorf("the source is %s, which is not read; convert it to PNG: %w", found.Name, errors.ErrUnsupported)
	}
	return nil, fmt.Errorf("the source is %s, not an image: %w", found.Name, citekit.ErrFormat)
}

// sourceError makes err, found while reading a source of format f, match the
// errors that [citekit.Resolver] promises.
func sourceError(f *format, err error) error {
	switch {
	case err == nil,
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, citekit.ErrFormat), errors.Is(err, citekit.ErrTooLarge), errors.Is(err, citekit.ErrRange):
		return err
	case errors.Is(err, errors.ErrUnsupported):
		return err
	case errors.Is(err, jpeg.ErrUnsupported):
		return fmt.Errorf("%v; convert it to PNG: %w", err, errors.ErrUnsupported)
	case errors.Is(err, jpeg.ErrFormat):
		return fmt.Errorf("%v: %w", err, citekit.ErrFormat)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return damaged(f, err)
	}
	return err
}

// damaged returns the error for a source of format f whose content a decoder
// rejects.
func damaged(f *format, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the %s is truncated: %w", f.name, citekit.ErrFormat)
	}
	return fmt.Errorf("the %s is damaged (%v): %w", f.name, err, citekit.ErrFormat)
}
