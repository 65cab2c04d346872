// Package drawing draws the previews of all modalities: scaling, highlights, captions,
// sheets of several pictures, and encoding.
package drawing

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/preview"
)

// Of returns img, which must be opaque, as a preview that shows the locations. It is a
// PNG if at least half of the pixels equal the one to their left, as on pages, slides
// and screens, else a JPEG. PNG is exact, and small for plain areas; a photograph takes
// ten times as long and as many bytes in it.
func Of(img *image.RGBA, shown ...citekit.Location) (*preview.Preview, error) {
	p := &preview.Preview{
		MediaType: "image/png",
		Width:     img.Rect.Dx(),
		Height:    img.Rect.Dy(),
		Shown:     shown,
	}
	var err error
	if isPlain(img) {
		p.Data, err = encodePNG(img)
	} else {
		p.MediaType = "image/jpeg"
		p.Data, err = encodeJPEG(img)
	}
	if err != nil {
		return nil, fmt.Errorf("encoding the preview: %w", err)
	}
	return p, nil
}

// isPlain reports whether at least half of the pixels equal the one to their left.
func isPlain(img *image.RGBA) bool {
	same, width := 0, img.Rect.Dx()
	for y := range img.Rect.Dy() {
		row := img.Pix[y*img.Stride:][:4*width]
		for x := 4; x < len(row); x += 4 {
			if row[x] == row[x-4] && row[x+1] == row[x-3] && row[x+2] == row[x-2] {
				same++
			}
		}
	}
	return 2*same >= (width-1)*img.Rect.Dy()
}

// encodePNG encodes a PNG. If all pixels are grey, as on most pages of text, it uses
// one sample per pixel, which takes a third of the time.
func encodePNG(img *image.RGBA) ([]byte, error) {
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if grey := asGrey(img); grey != nil {
		err := encoder.Encode(&out, grey)
		return out.Bytes(), err
	}
	err := encoder.Encode(&out, img)
	return out.Bytes(), err
}

// asGrey returns an opaque picture with one sample per pixel, or nil if a pixel is not
// grey.
func asGrey(img *image.RGBA) *image.Gray {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	grey := image.NewGray(image.Rect(0, 0, width, height))
	for y := range height {
		row, to := img.Pix[y*img.Stride:][:4*width], grey.Pix[y*grey.Stride:][:width]
		for x := range to {
			p := row[4*x : 4*x+4 : 4*x+4]
			if p[0] != p[1] || p[0] != p[2] {
				return nil
			}
			to[x] = p[0]
		}
	}
	return grey
}

// quality is the JPEG quality at which text and lines stay legible.
const quality = 85

func encodeJPEG(img *image.RGBA) ([]byte, error) {
	var out bytes.Buffer
	err := jpeg.Encode(&out, img, &jpeg.Options{Quality: quality})
	return out.Bytes(), err
}
