package pdfium

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/references"
)

// A written is the text of a page: PDFium's, or the same characters in another order,
// with accents joined to their letters.
type written struct {
	runes  []rune // PDFium's text, with a zero for each accent that is joined to the next
	mapped bool   // PDFium's indexes of characters differ from indexes in its text
	at     []int  // which of the runes come in which order, or one of added; nil means all as they are

	accents accents // that are joined to letters
	raised  []raisedNumber
	apart   map[int]bool // characters that a space is before, which PDFium left out

	boxes map[int]Box // of characters of which PDFium's box is beside them
}

// What a text may have that is not in PDFium's.
const (
	lineEnd   = -1
	wideSpace = -2
	space     = -3 // between two numbers
)

var added = map[int]rune{lineEnd: '\n', wideSpace: '\u3000'}

// newWritten returns the text of a page.
func newWritten(p pdfium.Pdfium, text references.FPDF_TEXTPAGE, sheet sheet, page Page, cropped bool) (written, error) {
	raw, chars, err := rawText(p, text)
	if err != nil {
		return written{}, err
	}
	w := written{runes: []rune(raw)}
	w.mapped = len(w.runes) != chars
	if len(w.runes) > maxGlyphs {
		return w, nil
	}
	r := lineReader{p: p, text: text, place: sheet.place, mapped: w.mapped}
	if w.accents, err = r.compose(w.runes); err != nil {
		return w, err
	}
	if w.raised, w.apart, err = r.raise(w.runes); err != nil || !page.Vertical {
		return w, err
	}
	cells, err := r.cells(w.runes, sheet, cropped)
	if err != nil {
		return written{}, err
	}
	w.at, w.boxes = upright(cells)
	return w, nil
}

// A char is a character of a text.
type char struct {
	rune
	index int // in PDFium's text, or less than 0
	width int // bytes that [clean] writes for it
}

// all yields the characters of the text.
func (w written) all() iter.Seq[char] {
	return func(yield func(char) bool) {
		if w.at == nil {
			for i, c := range w.runes {
				if w.apart[i] && !yield(char{' ', space, 1}) {
					return
				}
				if !yield(char{c, i, cleanWidth(w.runes, i)}) {
					return
				}
			}
			return
		}
		for at, i := range w.at {
			if w.apart[i] && at > 0 && w.at[at-1] == i-1 && !yield(char{' ', space, 1}) {
				return
			}
			c, isAdded := added[i]
			width := utf8.RuneLen(c)
			if !isAdded {
				c, width = w.runes[i], cleanWidth(w.runes, i)
			}
			if !yield(char{c, i, width}) {
				return
			}
		}
	}
}

// String returns the clean text.
func (w written) String() string {
	if w.at == nil {
		return clean(string(withSpaces(w.runes, w.apart, 0, len(w.runes))))
	}
	var b strings.Builder
	for c := range w.all() {
		b.WriteString(clean(string(c.rune)))
	}
	return b.String()
}

// read returns how many characters PDFium knows as characters, without the spaces that it
// may have added. It has no name for those of a font that does not say what they are.
func (w written) read() int {
	n := w.accents.count
	for _, c := range w.runes {
		if isVisible(c) && c != unicode.ReplacementChar && !unicode.Is(unicode.Co, c) || c == softHyphen || c == ideographicSpace {
			n++
		}
	}
	return n
}

const ideographicSpace = '\u3000'
