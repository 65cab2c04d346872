package image

import (
	"bytes"
	"fmt"
	"image"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/citekit/citekit/internal/exif"
)

// encode returns img in the format of p where that keeps its pixels, else as
// PNG.
func (r *Resolver) encode(img image.Image, p *picture) ([]byte, *format, error) {
	var b bytes.Buffer
	var err error
	switch p.format.name {
	case "TIFF":
		// The encoder reads a whole stride past each row, also past the last
		// one, which a part of an image does not have.
		err = tiff.Encode(&b, turned(img, exif.TopLeft), &tiff.Options{Compression: tiff.Deflate})
	case "BMP":
		if !fitsBMP(img) {
			return r.encodePNG(img, p)
		}
		err = bmp.Encode(&b, img)
	default:
		return r.encodePNG(img, p)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the region cannot be encoded as %s: %w", p.format.name, err)
	}
	return b.Bytes(), p.format, nil
}

func (r *Resolver) encodePNG(img image.Image, p *picture) ([]byte, *format, error) {
	chunks := p.chunks
	if chunks == nil {
		chunks = profileChunk(p.profile)
	}
	b, err := encodePNG(img, chunks)
	if err != nil {
		return nil, nil, fmt.Errorf("the region cannot be encoded as PNG: %w", err)
	}
	return b, pngFormat(), nil
}

// fitsBMP reports whether a BMP keeps all of img: there is no reliable alpha
// in that format.
func fitsBMP(img image.Image) bool {
	opaque, ok := img.(interface{ Opaque() bool })
	return ok && opaque.Opaque()
}
