package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/jpeg"
)

// A format is one kind of image file.
type format struct {
	name      string
	mediaType string
	ext       string

	// match reports whether a file of the format begins with head.
	match func(head []byte) bool

	// open reads the headers. It is nil for formats that are recognized but
	// cannot be read: their sources can only be had as a whole.
	open func(ctx context.Context, r *Resolver, src *citekit.Source) (*picture, error)

	// decode returns all pixels as stored.
	decode func(ctx context.Context, src *citekit.Source, p *picture) (image.Image, error)

	// cards reads the metadata that describe the image; it may be nil.
	cards func(in *input, c *cards)

	// crop returns a region of the displayed image, for formats that need
	// not be decoded as a whole; it may be nil.
	crop func(ctx context.Context, r *Resolver, src *citekit.Source, p *picture, region image.Rectangle) ([]byte, *format, error)
}

// formats returns the formats that are read.
func formats() []*format {
	return []*format{pngFormat(), jpegFormat(), gifFormat(), webpFormat(), tiffFormat(), bmpFormat()}
}

// unreadFormats returns the formats of images that are only returned whole.
func unreadFormats() []*format {
	return []*format{
		{name: "AVIF", mediaType: "image/avif", ext: ".avif", match: isoBrand("avif", "avis")},
		{name: "HEIC", mediaType: "image/heic", ext: ".heic", match: isoBrand("heic", "heix", "heim", "heis", "hevc", "hevx")},
		{name: "HEIF", mediaType: "image/heif", ext: ".heif", match: isoBrand("mif1", "msf1")},
		{name: "JPEG XL", mediaType: "image/jxl", ext: ".jxl", match: anyPrefix("\xff\x0a", "\x00\x00\x00\x0cJXL \r\n\x87\n")},
		{name: "JPEG 2000", mediaType: "image/jp2", ext: ".jp2", match: anyPrefix("\x00\x00\x00\x0cjP  \r\n\x87\n")},
	}
}

// headLen is how much of a file tells its format.
const headLen = 1024

// sniff tells the format of src from its content.
func sniff(ctx context.Context, src *citekit.Source) (*format, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	head := make([]byte, min(headLen, src.Size()))
	if n, err := src.ReadAt(head, 0); n < len(head) {
		if err != io.EOF {
			return nil, err
		}
		head = head[:n]
	}
	if len(head) == 0 {
		return nil, fmt.Errorf("the source is empty: %w", citekit.ErrFormat)
	}
	for _, f := range formats() {
		if f.match(head) {
			return f, nil
		}
	}
	for _, f := range unreadFormats() {
		if f.match(head) {
			return f, nil
		}
	}
	for _, o := range otherKinds() {
		if o.match(head) {
			return nil, o.err()
		}
	}
	return nil, fmt.Errorf("the source is not an image that is known: %w", citekit.ErrFormat)
}

// An otherKind is a kind of file that is recognized but not read.
type otherKind struct {
	name  string // with its article
	match func(head []byte) bool
	image bool // it is an image, which could be converted
}

func (o otherKind) err() error {
	if o.image {
		return fmt.Errorf("the source is %s, which is not read; convert it to PNG: %w", o.name, errors.ErrUnsupported)
	}
	return fmt.Errorf("the source is %s, not an image: %w", o.name, citekit.ErrFormat)
}

func otherKinds() []otherKind {
	return []otherKind{
		{"a BigTIFF image", anyPrefix("II+\x00", "MM\x00+"), true},
		{"a Photoshop file", anyPrefix("8BPS"), true},
		{"an icon file", anyPrefix("\x00\x00\x01\x00", "\x00\x00\x02\x00"), true},
		{"an OpenEXR image", anyPrefix("\x76\x2f\x31\x01"), true},
		{"an SVG drawing", isSVG, true},
		{"an MVG drawing", anyPrefix("push graphic-context", "viewbox "), true},
		{"a portable anymap", isAnymap, true},
		{"a PDF document", anyPrefix("%PDF-"), false},
		{"a PostScript program", anyPrefix("%!PS"), false},
		{"a video", func(head []byte) bool { return len(head) > 8 && string(head[4:8]) == "ftyp" }, false},
		{"an archive", anyPrefix("PK\x03\x04", "\x1f\x8b", "Rar!", "7z\xbc\xaf"), false},
		{"text", isText, false},
	}
}

func anyPrefix(prefixes ...string) func(head []byte) bool {
	return func(head []byte) bool {
		for _, p := range prefixes {
			if bytes.HasPrefix(head, []byte(p)) {
				return true
			}
		}
		return false
	}
}

// isoBrand matches files of the ISO base media format (ISO/IEC 14496-12,
// section 4.3) by their major brand.
func isoBrand(brands ...string) func(head []byte) bool {
	return func(head []byte) bool {
		if len(head) < 12 || string(head[4:8]) != "ftyp" {
			return false
		}
		for _, b := range brands {
			if string(head[8:12]) == b {
				return true
			}
		}
		return false
	}
}

func isSVG(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	return bytes.HasPrefix(head, []byte("<")) && bytes.Contains(bytes.ToLower(head), []byte("<svg"))
}

func isAnymap(head []byte) bool {
	return len(head) > 2 && head[0] == 'P' && head[1] >= '1' && head[1] <= '7' && bytes.IndexByte([]byte(" \t\r\n"), head[2]) >= 0
}

func isText(head []byte) bool {
	for _, c := range head {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' || c == 0x7f {
			return false
		}
	}
	return true
}

// sourceError makes err, found while reading a source of format f, match what
// [citekit.Resolver] promises.
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
		return fmt.Errorf("the %s is truncated: %w", f.name, citekit.ErrFormat)
	}
	return err
}

// damaged returns an error for what a decoder says is wrong with the content
// of a source of format f.
func damaged(f *format, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the %s is truncated: %w", f.name, citekit.ErrFormat)
	}
	return fmt.Errorf("the %s is damaged (%v): %w", f.name, err, citekit.ErrFormat)
}
