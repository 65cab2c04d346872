package pdfium

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/requests"

	"github.com/citekit/citekit/internal/plain"
)

// combining are the accents that old fonts of TeX and others draw over or under a letter
// as a character of their own, before it.
var combining = map[rune]rune{
	'`': '\u0300', '´': '\u0301', 'ˆ': '\u0302', '˜': '\u0303', '¯': '\u0304', '˘': '\u0306', '˙': '\u0307',
	'¨': '\u0308', '˚': '\u030a', '˝': '\u030b', 'ˇ': '\u030c', '¸': '\u0327', '˛': '\u0328',
}

// compose replaces each accent that is drawn at the place of the letter after it, and
// that letter, by a zero, which [clean] leaves out, and the letter with the accent. An
// accent that stands beside its letter, as in an opening quotation
// mark or in l´eau, stays.
//
// Each accent of a page costs two calls of PDFium.
func (r *lineReader) compose(runes []rune) (found accents, err error) {
	for i := 0; i+1 < len(runes); i++ {
		accent, letter := combining[runes[i]], runes[i+1]
		if accent == 0 || !unicode.IsLetter(letter) {
			continue
		}
		switch letter {
		case 'ı':
			letter = 'i'
		case 'ȷ':
			letter = 'j'
		}
		whole := plain.NFC(string([]rune{letter, accent}))
		if utf8.RuneCountInString(whole) != 1 {
			continue
		}
		over, err := r.overlap(i, i+1)
		if err != nil {
			return accents{}, err
		}
		if over {
			found.add(string(runes[i:i+2]), whole)
			runes[i], runes[i+1] = 0, []rune(whole)[0]
		}
	}
	return found, nil
}

// accents are those of a text that are joined to letters.
type accents struct {
	count int
	whole map[string]string // letters with an accent, by the two characters that are drawn
}

func (a *accents) add(drawn, whole string) {
	if a.whole == nil {
		a.whole = map[string]string{}
	}
	a.count++
	a.whole[drawn] = whole
}

// join joins the same accents in a part of the text.
func (a accents) join(part string) string {
	for drawn, whole := range a.whole {
		part = strings.ReplaceAll(part, drawn, whole)
	}
	return part
}

// overlap reports whether the characters at two indexes of the text are drawn at the same
// place: the narrower is at least half within the other.
func (r *lineReader) overlap(a, b int) (bool, error) {
	var boxes [2]Box
	for i, at := range []int{a, b} {
		index, err := r.index(at)
		if err != nil {
			return false, stopped(err)
		}
		got, err := r.p.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: r.text, Index: index})
		if err != nil {
			return false, stopped(err)
		}
		boxes[i] = Box{float64(got.Rect.Left), float64(got.Rect.Bottom), float64(got.Rect.Right), float64(got.Rect.Top)}
	}
	one, other := boxes[0], boxes[1]
	width := min(one.X2, other.X2) - max(one.X1, other.X1)
	height := min(one.Y2, other.Y2) - max(one.Y1, other.Y1)
	return 2*width > min(one.X2-one.X1, other.X2-other.X1) && 2*height > min(one.Y2-one.Y1, other.Y2-other.Y1), nil
}
