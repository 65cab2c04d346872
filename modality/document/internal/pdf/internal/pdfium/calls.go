package pdfium

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
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

// A Page says which page to read and how.
type Page struct {
	Index    int   // from 0
	Drawn    int   // characters that its content draws, as far as known
	Vertical bool  // it may have vertical writing
	Fill     bool  // values of form fields may lack an appearance
	Hidden   []int // indexes of annotations that are left out
}

// A PageText is the text of a page.
type PageText struct {
	Text string

	// Read is the number of characters of the page that PDFium knows as characters,
	// without spaces.
	Read int
}

// Text returns the text of pages of the document in r, with "\n" as line end, in
// PDFium's reading order or in that of vertical writing. The text of annotations and
// form fields is that which is displayed. If cropped is true, text outside the crop box
// is omitted.
func (s *Session) Text(ctx context.Context, r io.ReaderAt, size int64, pages []Page, cropped bool) ([]PageText, error) {
	texts := make([]PageText, len(pages))
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

func pageText(p pdfium.Pdfium, doc references.FPDF_DOCUMENT, page Page, cropped bool) (text PageText, err error) {
	var box *responses.FPDFPage_GetCropBox
	var sheet sheet
	look := func(loaded requests.Page) (err error) { // flattening may change the boxes
		if box, err = cropBox(p, loaded, cropped); err == nil {
			sheet, err = newSheet(p, loaded)
		}
		return err
	}
	err = withText(p, doc, page, look, func(chars references.FPDF_TEXTPAGE) (err error) {
		raw, err := newWritten(p, chars, sheet, page, cropped)
		if err != nil {
			return err
		}
		if text.Read = raw.read(); box != nil && raw.at == nil {
			if text.Text, err = textWithin(p, chars, box); err != nil {
				return err
			}
			part := Box{float64(box.Left), float64(box.Bottom), float64(box.Right), float64(box.Top)}
			reader := lineReader{p: p, text: chars, place: sheet.place, mapped: raw.mapped}
			text.Text, err = reader.marks(raw.raised, raw.runes, raw.accents.join(text.Text, part), part)
		} else {
			text.Text = raw.String()
		}
		return err
	})
	return text, err
}

// A sheet is the place of the text of a page.
type sheet struct {
	place         pageTransform
	width, height float64 // points, as displayed
}

func newSheet(p pdfium.Pdfium, page requests.Page) (s sheet, err error) {
	if s.width, s.height, err = pageSize(p, page); err != nil {
		return s, err
	}
	s.place, err = newPageTransform(p, page)
	return s, err
}

// withText calls look with the page as in the file, then use with the text of the page
// and its annotations.
func withText(p pdfium.Pdfium, doc references.FPDF_DOCUMENT, how Page, look func(requests.Page) error, use func(references.FPDF_TEXTPAGE) error) error {
	page, err := p.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: doc, Index: how.Index})
	if err != nil {
		return refused(err)
	}
	if err := prepare(p, doc, requests.Page{ByReference: &page.Page}, how, look); err != nil {
		return err
	}
	flat, err := p.FPDFPage_Flatten(&requests.FPDFPage_Flatten{
		Page: requests.Page{ByReference: &page.Page}, Usage: requests.FPDFPage_FlattenUsageNormalDisplay,
	})
	if err == nil && flat.Result == responses.FPDFPage_FlattenResultSuccess {
		p.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: page.Page})
		if page, err = p.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: doc, Index: how.Index}); err != nil {
			return refused(err)
		}
	}
	defer p.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: page.Page})
	text, err := allText(p, requests.Page{ByReference: &page.Page}, how)
	if err != nil {
		return err
	}
	defer p.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text})
	return use(text)
}

// allText returns the text of a page. If it has less than the page draws, text without
// width may have been left out.
func allText(p pdfium.Pdfium, page requests.Page, how Page) (references.FPDF_TEXTPAGE, error) {
	if !how.Vertical {
		text, err := p.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: page})
		if err != nil {
			return "", refused(err)
		}
		count, err := p.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: text.TextPage})
		if err == nil && count.Count >= how.Drawn {
			return text.TextPage, nil
		}
		p.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text.TextPage})
		if err != nil {
			return "", refused(err)
		}
	}
	if err := widen(p, page); err != nil {
		return "", err
	}
	text, err := p.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: page})
	if err != nil {
		return "", refused(err)
	}
	return text.TextPage, nil
}

// prepare calls look, and then makes the annotations of the page those that are
// displayed.
func prepare(p pdfium.Pdfium, doc references.FPDF_DOCUMENT, page requests.Page, how Page, look func(requests.Page) error) error {
	if err := look(page); err != nil {
		return err
	}
	for _, index := range how.Hidden {
		if err := hide(p, page, index); err != nil {
			return err
		}
	}
	if how.Fill {
		return fill(p, doc, page)
	}
	return nil
}

// hide hides an annotation, counted from 0.
func hide(p pdfium.Pdfium, page requests.Page, index int) error {
	got, err := p.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: page, Index: index})
	if err != nil {
		return stopped(err)
	}
	defer p.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{Annotation: got.Annotation})
	_, err = p.FPDFAnnot_SetFlags(&requests.FPDFAnnot_SetFlags{Annotation: got.Annotation, Flags: enums.FPDF_ANNOT_FLAG_HIDDEN})
	if err != nil {
		return refused(err)
	}
	return nil
}

// fill lets PDFium make the appearance of form fields as it does to show them: some files
// leave that to the program.
func fill(p pdfium.Pdfium, doc references.FPDF_DOCUMENT, page requests.Page) error {
	form, end, err := formOf(p, doc)
	if err != nil {
		return err
	}
	defer end()
	_, err = p.FORM_OnAfterLoadPage(&requests.FORM_OnAfterLoadPage{Page: page, FormHandle: form})
	if err != nil {
		return refused(err)
	}
	_, err = p.FORM_OnBeforeClosePage(&requests.FORM_OnBeforeClosePage{Page: page, FormHandle: form})
	if err != nil {
		return refused(err)
	}
	return nil
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
