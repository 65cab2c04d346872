package pdfium

import (
	"context"
	"fmt"
	"io"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// A PlacedChar is a character of the text of a page, with its place.
type PlacedChar struct {
	Rune rune

	// Left, Top, Right and Bottom are in points from the top left corner of the page as
	// displayed. They include the space around the character, and are all zero for
	// what PDFium adds, such as line ends.
	Left, Top, Right, Bottom float64

	Mark int // identifier of the marked content that the character is part of, or -1
}

// PlacedText is the text of a page with its places, in the order of [Session.Text].
type PlacedText struct {
	Width, Height float64 // points, as displayed
	Chars         []PlacedChar
	place         pageTransform
}

// Place returns where a rectangle of the page is displayed, in points from the top left
// corner. It may be outside the page.
func (t *PlacedText) Place(x1, y1, x2, y2 float64) (left, top, right, bottom float64) {
	ax, ay := t.place.point(x1, y1)
	bx, by := t.place.point(x2, y2)
	return min(ax, bx) * t.Width, min(ay, by) * t.Height, max(ax, bx) * t.Width, max(ay, by) * t.Height
}

// A PlacedPage says which page to read and how.
type PlacedPage struct {
	Page
	Marks bool // with the marked content
}

// PlacedText returns the text of pages with the place of each character. Text that is
// written vertically has no characters.
func (s *Session) PlacedText(ctx context.Context, r io.ReaderAt, size int64, pages []PlacedPage) ([]PlacedText, error) {
	texts := make([]PlacedText, len(pages))
	err := s.call(ctx, func(p pdfium.Pdfium) error {
		doc, err := open(p, r, size)
		if err != nil {
			return err
		}
		defer p.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: doc})
		for i, page := range pages {
			var sheet sheet
			look := func(loaded requests.Page) (err error) {
				sheet, err = newSheet(p, loaded)
				return err
			}
			err := withText(p, doc, page.Page, look, func(text references.FPDF_TEXTPAGE) error {
				texts[i] = PlacedText{Width: sheet.width, Height: sheet.height, place: sheet.place}
				reading, err := newWritten(p, text, sheet, page.Page, false)
				if err != nil || reading.at != nil {
					return err
				}
				reader := placeReader{lineReader: lineReader{p: p, text: text, place: sheet.place, mapped: reading.mapped}, PlacedText: &texts[i], marks: page.Marks}
				return reader.read(reading)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return texts, err
}

type placeReader struct {
	lineReader
	*PlacedText
	marks bool
}

func (r *placeReader) read(text written) error {
	runes := text.runes
	if len(runes) > maxGlyphs {
		return fmt.Errorf("a page of %d characters: %w", len(runes), ErrLimit)
	}
	r.Chars = make([]PlacedChar, 0, len(runes))
	for i, c := range runes {
		char := PlacedChar{Rune: c, Mark: -1}
		if c == 0 {
			continue // an accent that is part of the next
		}
		if text.apart[i] {
			r.Chars = append(r.Chars, PlacedChar{Rune: ' ', Mark: -1})
		}
		if isVisible(c) || c == softHyphen || c == lineHyphen {
			if err := r.char(i, &char); err != nil {
				return err
			}
		}
		r.Chars = append(r.Chars, char)
	}
	return nil
}

func (r *placeReader) char(i int, char *PlacedChar) error {
	index, err := r.index(i)
	if err != nil {
		return stopped(err)
	}
	got, err := r.p.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: r.text, Index: index})
	if err != nil {
		return stopped(err)
	}
	char.Left, char.Top, char.Right, char.Bottom = r.Place(float64(got.Rect.Left), float64(got.Rect.Bottom), float64(got.Rect.Right), float64(got.Rect.Top))
	if !r.marks {
		return nil
	}
	object, err := r.p.FPDFText_GetTextObject(&requests.FPDFText_GetTextObject{TextPage: r.text, Index: index})
	if err != nil {
		return stopped(err)
	}
	mark, err := r.p.FPDFPageObj_GetMarkedContentID(&requests.FPDFPageObj_GetMarkedContentID{PageObject: object.TextObject})
	if err != nil {
		return stopped(err)
	}
	char.Mark = mark.MarkedContentID
	return nil
}
