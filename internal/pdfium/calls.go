package pdfium

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
)

const (
	maxRepaired = 128 << 20 // bytes of a repaired file
	maxText     = 16 << 20  // characters of a page
)

// Repair returns the document in r, of size bytes, as PDFium reads and rewrites it:
// with valid cross-reference data, unencrypted, and without what PDFium could not read.
func (s *Session) Repair(ctx context.Context, r io.ReaderAt, size int64) ([]byte, error) {
	var out limitedBuffer
	err := s.call(ctx, func(p pdfium.Pdfium) error {
		doc, err := open(p, r, size)
		if err != nil {
			return err
		}
		defer p.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: doc})
		_, err = p.FPDF_SaveAsCopy(&requests.FPDF_SaveAsCopy{
			Document: doc, Flags: requests.SaveFlagRemoveSecurity, FileWriter: &out,
		})
		if err != nil {
			return refused(err)
		}
		return nil
	})
	if out.passed {
		return nil, fmt.Errorf("a repaired file of more than %d bytes: %w", maxRepaired, ErrLimit)
	}
	return out.Bytes(), err
}

// A limitedBuffer fails if it would hold more than maxRepaired bytes.
type limitedBuffer struct {
	bytes.Buffer
	passed bool
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxRepaired {
		b.passed = true
		return 0, ErrLimit
	}
	return b.Buffer.Write(p)
}

// Text returns the text of pages of the document in r, in PDFium's reading order, with
// "\n" as line end. Pages are indexes from 0. If cropped is true, text outside the crop
// box is omitted.
func (s *Session) Text(ctx context.Context, r io.ReaderAt, size int64, pages []int, cropped bool) ([]string, error) {
	texts := make([]string, len(pages))
	err := s.call(ctx, func(p pdfium.Pdfium) error {
		doc, err := open(p, r, size)
		if err != nil {
			return err
		}
		defer p.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: doc})
		for i, page := range pages {
			if texts[i], err = pageText(p, doc, page, cropped); err != nil {
				return err
			}
		}
		return nil
	})
	return texts, err
}

// pageText returns the text of a page and of its annotations as displayed, which
// include the values of form fields.
func pageText(p pdfium.Pdfium, doc references.FPDF_DOCUMENT, index int, cropped bool) (text string, err error) {
	var box *responses.FPDFPage_GetCropBox
	look := func(page requests.Page) (err error) {
		box, err = cropBox(p, page, cropped) // flattening may change it
		return err
	}
	err = withText(p, doc, index, look, func(page references.FPDF_TEXTPAGE) (err error) {
		if box != nil {
			text, err = textWithin(p, page, box)
		} else {
			text, err = allText(p, page)
		}
		return err
	})
	return text, err
}

// withText calls look with the page as in the file, then use with the text of the page
// and its annotations.
func withText(p pdfium.Pdfium, doc references.FPDF_DOCUMENT, index int, look func(requests.Page) error, use func(references.FPDF_TEXTPAGE) error) error {
	page, err := p.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: doc, Index: index})
	if err != nil {
		return refused(err)
	}
	if err := look(requests.Page{ByReference: &page.Page}); err != nil {
		return err
	}
	flat, err := p.FPDFPage_Flatten(&requests.FPDFPage_Flatten{
		Page: requests.Page{ByReference: &page.Page}, Usage: requests.FPDFPage_FlattenUsageNormalDisplay,
	})
	if err == nil && flat.Result == responses.FPDFPage_FlattenResultSuccess {
		p.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: page.Page})
		if page, err = p.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: doc, Index: index}); err != nil {
			return refused(err)
		}
	}
	defer p.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: page.Page})
	text, err := p.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: requests.Page{ByReference: &page.Page}})
	if err != nil {
		return refused(err)
	}
	defer p.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text.TextPage})
	return use(text.TextPage)
}

func allText(p pdfium.Pdfium, text references.FPDF_TEXTPAGE) (string, error) {
	raw, _, err := rawText(p, text)
	return clean(raw), err
}

// rawText returns the text as PDFium gives it, and PDFium's number of characters. If
// that differs from the length of the text, characters have other indexes than in the
// text.
func rawText(p pdfium.Pdfium, text references.FPDF_TEXTPAGE) (raw string, chars int, err error) {
	count, err := p.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: text})
	if err != nil {
		return "", 0, refused(err)
	}
	if count.Count == 0 {
		return "", 0, nil
	}
	if count.Count > maxText {
		return "", 0, fmt.Errorf("a page of %d characters: %w", count.Count, ErrLimit)
	}
	got, err := p.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: text, Count: count.Count})
	if err != nil {
		return "", 0, refused(err)
	}
	return strings.TrimRight(got.Text, "\x00"), count.Count, nil
}

// cropBox returns the crop box of a page, or nil if not cropped.
func cropBox(p pdfium.Pdfium, page requests.Page, cropped bool) (*responses.FPDFPage_GetCropBox, error) {
	if !cropped {
		return nil, nil
	}
	box, err := p.FPDFPage_GetCropBox(&requests.FPDFPage_GetCropBox{Page: page})
	if err != nil {
		return nil, refused(err)
	}
	return box, nil
}

func textWithin(p pdfium.Pdfium, text references.FPDF_TEXTPAGE, box *responses.FPDFPage_GetCropBox) (string, error) {
	got, err := p.FPDFText_GetBoundedText(&requests.FPDFText_GetBoundedText{
		TextPage: text,
		Left:     float64(box.Left), Top: float64(box.Top),
		Right: float64(box.Right), Bottom: float64(box.Bottom),
	})
	if err != nil {
		return "", refused(err)
	}
	return clean(got.Text), nil
}

// clean turns PDFium's text into plain text. PDFium writes U+FFFE and U+0002 for a
// hyphen with a line end.
func clean(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\ufffe", "-\n", "\x02", "-\n", "\x00", "").Replace(text)
	return strings.ToValidUTF8(text, "\ufffd")
}

// cleanLine is clean for a single line.
func cleanLine(text string) string { return strings.ReplaceAll(clean(text), "-\n", "-") }

// ended reports whether an error means that the instance is no longer usable: it ran
// out of memory, trapped, or was stopped.
func ended(err error) bool {
	message := err.Error()
	for _, sign := range []string{"wasm error", "panic", "module closed", errStopped.Error()} {
		if strings.Contains(message, sign) {
			return true
		}
	}
	return false
}
