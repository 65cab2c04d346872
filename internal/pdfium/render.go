package pdfium

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"slices"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"
)

const (
	pointsPerInch = 72
	maxPixels     = 16 << 20 // of a picture: larger pages have a lower resolution
	maxSide       = 16 << 10 // pixels of a side
)

// Render returns a picture of a page of the document in r, in shades of grey
// as a PNG, with so many dots per inch or as many as fit 16 million pixels.
// The page is an index from 0.
func (s *Session) Render(ctx context.Context, r io.ReaderAt, size int64, index int, dpi float64) ([]byte, error) {
	var picture *image.Gray
	err := s.call(ctx, func(p pdfium.Pdfium) error {
		doc, err := open(p, r, size)
		if err != nil {
			return err
		}
		defer p.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: doc})
		loaded, err := p.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: doc, Index: index})
		if err != nil {
			return refused(err)
		}
		defer p.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page})
		page := requests.Page{ByReference: &loaded.Page}
		width, height, err := pageSize(p, page)
		if err != nil {
			return err
		}
		scale := renderScale(width, height, dpi)
		got, err := p.RenderPageInPixels(&requests.RenderPageInPixels{
			Page:        page,
			Width:       max(int(width*scale), 1),
			Height:      max(int(height*scale), 1),
			RenderFlags: enums.FPDF_RENDER_FLAG_ANNOT,
			ImageFormat: requests.RenderImageFormatGrayscale,
		})
		if err != nil {
			return refused(err)
		}
		defer got.Cleanup()
		picture, err = copied(got.Result.RenderedImage)
		return err
	})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	err = encoder.Encode(&out, picture) // while others have PDFium
	return out.Bytes(), err
}

// copied returns a picture that does not lie in the memory of PDFium.
func copied(rendered image.Image) (*image.Gray, error) {
	grey, ok := rendered.(*image.Gray)
	if !ok {
		return nil, fmt.Errorf("PDFium draws no shades of grey: %w", ErrRefused)
	}
	out := *grey
	out.Pix = slices.Clone(grey.Pix)
	return &out, nil
}

// renderScale returns the pixels to a point.
func renderScale(width, height, dpi float64) float64 {
	width, height = max(width, 1), max(height, 1)
	return min(dpi/pointsPerInch, math.Sqrt(maxPixels/(width*height)), maxSide/max(width, height))
}
