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
		at, over, err := r.overlap(i, i+1)
		if err != nil {
			return accents{}, err
		}
		found.all = append(found.all, accented{string(runes[i : i+2]), whole, at, over})
		if over {
			found.count++
			runes[i], runes[i+1] = 0, []rune(whole)[0]
		}
	}
	return found, nil
}

// accents are those of a text that could be joined to letters.
type accents struct {
	count int // of those that are
	all   []accented
}

// An accented is an accent and the letter after it.
type accented struct {
	drawn, whole string // as two characters, and as one
	at           Box    // of the letter, in points of the page
	over         bool   // they are drawn at the same place
}

// join joins the accents in the text of a part of the page, whose characters have no
// places: two characters that also stand apart in that part stay.
func (a accents) join(text string, part Box) string {
	whole := make(map[string]string)
	for _, one := range a.all {
		x, y := (one.at.X1+one.at.X2)/2, (one.at.Y1+one.at.Y2)/2
		if x < part.X1 || x > part.X2 || y < part.Y1 || y > part.Y2 {
			continue
		}
		if to, ok := whole[one.drawn]; !one.over || ok && to == "" {
			whole[one.drawn] = ""
		} else {
			whole[one.drawn] = one.whole
		}
	}
	for drawn, to := range whole {
		if to != "" {
			text = strings.ReplaceAll(text, drawn, to)
		}
	}
	return text
}

// overlap reports whether the characters at two indexes of the text are drawn at the same
// place, that of the second: the narrower is at least half within the other.
func (r *lineReader) overlap(a, b int) (place Box, over bool, err error) {
	var boxes [2]Box
	for i, at := range []int{a, b} {
		index, err := r.index(at)
		if err != nil {
			return Box{}, false, stopped(err)
		}
		got, err := r.p.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: r.text, Index: index})
		if err != nil {
			return Box{}, false, stopped(err)
		}
		boxes[i] = Box{float64(got.Rect.Left), float64(got.Rect.Bottom), float64(got.Rect.Right), float64(got.Rect.Top)}
	}
	one, other := boxes[0], boxes[1]
	width := min(one.X2, other.X2) - max(one.X1, other.X1)
	height := min(one.Y2, other.Y2) - max(one.Y1, other.Y1)
	return other, 2*width > min(one.X2-one.X1, other.X2-other.X1) && 2*height > min(one.Y2-one.Y1, other.Y2-other.Y1), nil
}
