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
	maxPixels     = 16 << 20 // in a picture; larger pages get a lower resolution
	maxSide       = 16 << 10 // in width or height
)

// Render returns a picture of a page of the document in r, as a greyscale PNG, with dpi
// dots per inch or as many as fit into 16 million pixels. Index is the index of the
// page, from 0.
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
	err = encoder.Encode(&out, picture) // other calls may use PDFium meanwhile
	return out.Bytes(), err
}

// copied returns a copy of a picture outside the memory of PDFium.
func copied(rendered image.Image) (*image.Gray, error) {
	grey, ok := rendered.(*image.Gray)
	if !ok {
		return nil, fmt.Errorf("PDFium draws no shades of grey: %w", ErrRefused)
	}
	out := *grey
	out.Pix = slices.Clone(grey.Pix)
	return &out, nil
}

// renderScale returns the number of pixels per point.
func renderScale(width, height, dpi float64) float64 {
	width, height = max(width, 1), max(height, 1)
	return min(dpi/pointsPerInch, math.Sqrt(maxPixels/(width*height)), maxSide/max(width, height))
}
