package image

import (
	"image"

	"github.com/citekit/citekit/modality/image/internal/exif"
)

// encodePNG returns img as a PNG with the colour chunks given.
func encodePNG(img *image.NRGBA, colours []byte) (*output, error) {
	px := &pngPixels{depth: 8, colour: pngRGBA}
	if img.Opaque() {
		px.colour = pngRGB
	}
	rows := rowImage{region: img.Rect, bits: px.bits(), turn: exif.TopLeft}
	w := newPNGWriter(px, rows, colours)
	row := make([]byte, 0, rowBytes(img.Rect.Dx(), rows.bits))
	for y := range img.Rect.Dy() {
		line := img.Pix[y*img.Stride:][:4*img.Rect.Dx()]
		if px.colour == pngRGB {
			row = row[:0]
			for ; len(line) > 0; line = line[4:] {
				row = append(row, line[:3]...)
			}
			line = row
		}
		const paethFilter = 4 // good for photographs
		if err := w.row(paethFilter, line); err != nil {
			return nil, err
		}
	}
	return &w.out, w.close()
}
