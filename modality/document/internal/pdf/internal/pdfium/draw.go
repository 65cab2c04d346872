package pdfium

import (
	"context"
	"image"
	"io"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"
)

// A Size is the size of a page as displayed, in points. A file may claim any size.
type Size struct{ Width, Height float64 }

// Draw returns pictures in colour of pages of the document in r, with their annotations
// and form fields. Pages are indexes from 0. Fit returns the size in pixels of each
// picture; together they have at most 16 million.
func (s *Session) Draw(ctx context.Context, r io.ReaderAt, size int64, pages []int, fit func([]Size) []image.Point) ([]*image.RGBA, error) {
	pictures := make([]*image.RGBA, len(pages))
	err := s.call(ctx, func(p pdfium.Pdfium) error {
		doc, err := open(p, r, size)
		if err != nil {
			return err
		}
		defer p.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: doc})
		loaded, err := loadPages(p, doc, pages)
		defer closePages(p, loaded)
		if err != nil {
			return err
		}
		sizes := make([]Size, len(pages))
		for i, page := range loaded {
			if sizes[i].Width, sizes[i].Height, err = pageSize(p, page); err != nil {
				return err
			}
		}
		form, end, err := formOf(p, doc)
		if err != nil {
			return err
		}
		defer end()
		for i, pixels := range fit(sizes) {
			if pictures[i], err = pictureOf(p, loaded[i], form, pixels); err != nil {
				return err
			}
		}
		return nil
	})
	return pictures, err
}

// formOf returns a handle that draws the form fields of a document. It runs none of
// their actions.
func formOf(p pdfium.Pdfium, doc references.FPDF_DOCUMENT) (form references.FPDF_FORMHANDLE, end func(), err error) {
	got, err := p.FPDFDOC_InitFormFillEnvironment(&requests.FPDFDOC_InitFormFillEnvironment{
		Document: doc,
		FormFillInfo: structs.FPDF_FORMFILLINFO{
			FFI_Invalidate:         func(references.FPDF_PAGE, float64, float64, float64, float64) {},
			FFI_SetCursor:          func(enums.FXCT) {},
			FFI_SetTimer:           func(int, func(int)) int { return 0 },
			FFI_KillTimer:          func(int) {},
			FFI_GetLocalTime:       func() structs.FPDF_SYSTEMTIME { return structs.FPDF_SYSTEMTIME{} },
			FFI_GetPage:            func(references.FPDF_DOCUMENT, int) *references.FPDF_PAGE { return nil },
			FFI_GetRotation:        func(references.FPDF_PAGE) enums.FPDF_PAGE_ROTATION { return enums.FPDF_PAGE_ROTATION_NONE },
			FFI_ExecuteNamedAction: func(string) {},
		},
	})
	if err != nil {
		return "", nil, refused(err)
	}
	return got.FormHandle, func() {
		p.FPDFDOC_ExitFormFillEnvironment(&requests.FPDFDOC_ExitFormFillEnvironment{FormHandle: got.FormHandle})
	}, nil
}

// loadPages returns the pages it loaded, even with an error.
func loadPages(p pdfium.Pdfium, doc references.FPDF_DOCUMENT, indexes []int) ([]requests.Page, error) {
	var pages []requests.Page
	for _, index := range indexes {
		loaded, err := p.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: doc, Index: index})
		if err != nil {
			return pages, refused(err)
		}
		pages = append(pages, requests.Page{ByReference: &loaded.Page})
	}
	return pages, nil
}

func closePages(p pdfium.Pdfium, pages []requests.Page) {
	for _, page := range pages {
		p.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: *page.ByReference})
	}
}

// pictureOf returns a picture of a page on a white background.
func pictureOf(p pdfium.Pdfium, page requests.Page, form references.FPDF_FORMHANDLE, size image.Point) (*image.RGBA, error) {
	created, err := p.FPDFBitmap_Create(&requests.FPDFBitmap_Create{Width: size.X, Height: size.Y})
	if err != nil {
		return nil, refused(err)
	}
	bitmap := created.Bitmap
	defer p.FPDFBitmap_Destroy(&requests.FPDFBitmap_Destroy{Bitmap: bitmap})
	_, err = p.FPDFBitmap_FillRect(&requests.FPDFBitmap_FillRect{
		Bitmap: bitmap, Width: size.X, Height: size.Y, Color: 0xffffffff,
	})
	if err != nil {
		return nil, refused(err)
	}
	_, err = p.FPDF_RenderPageBitmap(&requests.FPDF_RenderPageBitmap{
		Bitmap: bitmap, Page: page, SizeX: size.X, SizeY: size.Y, Flags: asShown,
	})
	if err != nil {
		return nil, refused(err)
	}
	_, err = p.FPDF_FFLDraw(&requests.FPDF_FFLDraw{
		FormHandle: form, Bitmap: bitmap, Page: page, SizeX: size.X, SizeY: size.Y, Flags: asShown,
	})
	if err != nil {
		return nil, refused(err)
	}
	got, err := p.FPDFBitmap_GetBuffer(&requests.FPDFBitmap_GetBuffer{Bitmap: bitmap})
	if err != nil {
		return nil, refused(err)
	}
	return opaque(got.Buffer, size)
}

// asShown draws annotations too, with bytes in the order that Go uses.
const asShown = enums.FPDF_RENDER_FLAG_ANNOT | enums.FPDF_RENDER_FLAG_REVERSE_BYTE_ORDER

// opaque returns a picture of pixels in the memory of PDFium. It ignores the fourth
// byte of each pixel.
func opaque(pixels []byte, size image.Point) (*image.RGBA, error) {
	img := image.NewRGBA(image.Rectangle{Max: size})
	if len(pixels) != len(img.Pix) {
		return nil, ErrRefused
	}
	copy(img.Pix, pixels)
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 0xff
	}
	return img, nil
}
