package pdfium

import (
	"context"
	"fmt"
	"io"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// ErrOutside reports a range outside the text of a page.
var ErrOutside = fmt.Errorf("outside the text of the page")

// Boxes returns where a part of the text of a page is shown: a box for each of its
// lines, in text order. The part is the bytes [from, to) of the text that [Session.Text]
// returns. A box covers the ink of its characters, and nothing else except what overlaps
// it. White space and characters outside the page have no box. A part outside the text is
// an error that matches [ErrOutside] and gives the length of the text.
func (s *Session) Boxes(ctx context.Context, r io.ReaderAt, size int64, page Page, from, to int) (boxes []Box, err error) {
	err = s.readBoxes(ctx, r, size, []Page{page}, func(b *boxReader, text written) error {
		boxes, err = b.part(text, from, to)
		return err
	})
	return boxes, err
}

// A ShownLine is where a line of a text is shown: its first to its last visible
// character.
type ShownLine struct {
	From, To int // bytes of the text that [Session.Text] returns
	Box
}

// Lines returns where the lines of pages are shown, for each page in text order, as
// [Session.Boxes] finds them.
func (s *Session) Lines(ctx context.Context, r io.ReaderAt, size int64, pages []Page) (lines [][]ShownLine, err error) {
	err = s.readBoxes(ctx, r, size, pages, func(b *boxReader, text written) error {
		boxes, err := b.part(text, 0, 0)
		if err != nil {
			return err
		}
		found := make([]ShownLine, len(boxes))
		for i, box := range boxes {
			found[i] = ShownLine{b.parts[i][0], b.parts[i][1], box}
		}
		lines = append(lines, found)
		return nil
	})
	return lines, err
}

// readBoxes calls read for each of some pages.
func (s *Session) readBoxes(ctx context.Context, r io.ReaderAt, size int64, pages []Page, read func(*boxReader, written) error) error {
	return s.call(ctx, func(p pdfium.Pdfium) error {
		doc, err := open(p, r, size)
		if err != nil {
			return err
		}
		defer p.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: doc})
		for _, page := range pages {
			var sheet sheet
			look := func(loaded requests.Page) (err error) {
				sheet, err = newSheet(p, loaded)
				return err
			}
			err := withText(p, doc, page, look, func(text references.FPDF_TEXTPAGE) error {
				reading, err := newWritten(p, text, sheet, page, false)
				if err != nil {
					return err
				}
				return read(&boxReader{lineReader: lineReader{p: p, text: text, place: sheet.place, mapped: reading.mapped}, boxesOf: reading.boxes}, reading)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// A boxReader collects the boxes of characters.
type boxReader struct {
	lineReader
	boxesOf map[int]Box // of some characters
	boxes   []Box
	parts   [][2]int // the bytes of the lines of boxes
	line    Box      // box of the current line so far; zero if there is none
	last    Box      // box of its last character, with the space around it
	bytes   [2]int   // from its first character to the end of the last one

	char [2]int // the bytes of the character that is added
}

// part returns the boxes of a part of a text; if to is 0, of all of it.
func (r *boxReader) part(text written, from, to int) ([]Box, error) {
	at := 0
	for c := range text.all() {
		if at >= to && to > 0 {
			break
		}
		if at+c.width > from && c.width > 0 {
			r.char = [2]int{at, at + c.width}
			if err := r.add(c.rune, c.index); err != nil {
				return nil, err
			}
		}
		at += c.width
	}
	if at < to {
		return nil, fmt.Errorf("bytes %d-%d of %d: %w", from, to, at, ErrOutside)
	}
	r.end()
	return r.boxes, nil
}

// cleanWidth returns how many bytes [clean] writes for a character.
func cleanWidth(runes []rune, i int) int {
	if runes[i] == '\r' && i+1 < len(runes) && runes[i+1] == '\n' {
		return 0 // the line feed counts for both
	}
	return len(clean(string(runes[i])))
}

// add adds the character at an index of the text.
func (r *boxReader) add(c rune, index int) error {
	if c == '\n' || c == '\r' || index < 0 && index != space {
		r.end()
		return nil
	}
	if !isVisible(c) && c != softHyphen && c != lineHyphen {
		return nil
	}
	g, ok, err := r.other(index, true)
	if err != nil || !ok || g.box.isEmpty() {
		return err
	}
	ink, known := r.boxesOf[index]
	if known {
		g.box = ink
	} else if ink, err = r.ink(g); err != nil || ink.isEmpty() {
		return err
	}
	if r.line != (Box{}) && !r.last.isBeside(g.box) {
		r.end()
	}
	if r.line == (Box{}) {
		r.bytes[0] = r.char[0]
	}
	r.bytes[1] = r.char[1]
	r.line, r.last = ink.union(r.line), g.box
	return nil
}

// Characters that PDFium returns for a hyphen at a line end.
const (
	softHyphen = '\x02'
	lineHyphen = '\ufffe'
)

// ink returns the box of a character without the space around it.
func (r *boxReader) ink(g glyph) (Box, error) {
	got, err := r.p.FPDFText_GetCharBox(&requests.FPDFText_GetCharBox{TextPage: r.text, Index: g.index})
	if err != nil {
		return g.box, stopped(err)
	}
	box := r.place.box(got.Left, got.Bottom, got.Right, got.Top)
	if box.isEmpty() {
		return g.box, nil
	}
	return box, nil
}

func (r *boxReader) end() {
	if r.line != (Box{}) {
		r.boxes, r.parts = append(r.boxes, r.line), append(r.parts, r.bytes)
	}
	r.line = Box{}
}

func (b Box) isEmpty() bool { return b.X2 <= b.X1 || b.Y2 <= b.Y1 }

// isBeside reports whether two boxes overlap horizontally or vertically, as the
// characters of a line do.
func (b Box) isBeside(c Box) bool {
	return b.X1 < c.X2 && c.X1 < b.X2 || b.Y1 < c.Y2 && c.Y1 < b.Y2
}
