package pdfium

import (
	"math"
	"strings"

	"github.com/klippa-app/go-pdfium/requests"
)

// How digits above or below the line differ from those on it, in sizes of the larger font.
const (
	smallDigit  = 0.85 // at most their size, unless they are
	highDigit   = 0.25 // above the line, or below it and
	lowDigit    = 0.98 // at most their size
	raisedFrom  = 0.2  // above the line
	loweredFrom = 0.08 // below it
	farthest    = 1.2  // from the line
)

// aboveLine and belowLine are the characters of numbers there.
var (
	aboveLine = map[rune]rune{'0': '⁰', '1': '¹', '2': '²', '3': '³', '4': '⁴', '5': '⁵', '6': '⁶', '7': '⁷', '8': '⁸', '9': '⁹', '-': '⁻', '−': '⁻', '–': '⁻', '+': '⁺'}
	belowLine = map[rune]rune{'0': '₀', '1': '₁', '2': '₂', '3': '₃', '4': '₄', '5': '₅', '6': '₆', '7': '₇', '8': '₈', '9': '₉', '-': '₋', '−': '₋', '–': '₋', '+': '₊'}
)

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// numberEnd returns where the number ends that begins at an index: digits, and one sign
// between each two of them.
func numberEnd(runes []rune, from int) int {
	to := from
	for to < len(runes) && isDigit(runes[to]) {
		if to++; to+1 < len(runes) && strings.ContainsRune("+-−–.,", runes[to]) && isDigit(runes[to+1]) {
			to++
		}
	}
	return to
}

// A placedDigit is a character of a number.
type placedDigit struct {
	x, y       float64    // where it begins on its line, in points of the page
	size       float64    // of its font, in points
	dirX, dirY float64    // along its line
	object     [2]float32 // where the text object begins that it is part of
}

// above returns how far d is above the line of e.
func (d placedDigit) above(e placedDigit) float64 {
	return (d.y-e.y)*e.dirX - (d.x-e.x)*e.dirY
}

// after returns how far d is along the line of e.
func (d placedDigit) after(e placedDigit) float64 {
	return (d.x-e.x)*e.dirX + (d.y-e.y)*e.dirY
}

// raise replaces digits that are drawn above or below the line of digits beside them, as
// in 10², by the characters for those, so that they are not one number. It does so to
// signs between them too. Apart are the indexes of the characters that a space is missing
// before, as [lineReader.breaks] finds them.
//
// Each digit of a number of several costs two calls of PDFium.
func (r *lineReader) raise(runes []rune) (found []raisedNumber, apart map[int]bool, err error) {
	apart = make(map[int]bool)
	for from := 0; from < len(runes); {
		if !isDigit(runes[from]) {
			from++
			continue
		}
		to := numberEnd(runes, from)
		if to-from > 1 {
			shown, err := r.shown(runes, from, to)
			if err != nil {
				return nil, nil, err
			}
			at, err := r.breaks(runes, from, to)
			if err != nil {
				return nil, nil, err
			}
			for _, i := range at {
				apart[i] = true
			}
			if shown != nil || at != nil {
				drawn := string(runes[from:to])
				copy(runes[from:], shown)
				found = append(found, raisedNumber{from, drawn, string(withSpaces(runes, apart, from, to))})
			}
		}
		from = to
	}
	return found, apart, nil
}

// A raisedNumber is a number with digits above or below the line, or several numbers that
// PDFium joined.
type raisedNumber struct {
	at           int    // index of its first character
	drawn, shown string // as PDFium has it, and as it is shown
}

// marks replaces the raised numbers in the text of a part of the page, whose characters have no places. Runes are those of the page, in which they are
// replaced. Where the part begins is not known: of equal numbers, those of the part are taken
// to be in the order of the page.
func (r *lineReader) marks(found []raisedNumber, runes []rune, text string, part Box) (string, error) {
	if len(found) == 0 {
		return text, nil
	}
	at, drawn := make(map[int]raisedNumber), make(map[string][]string)
	for _, n := range found {
		at[n.at], drawn[n.drawn] = n, nil
	}
	for from := 0; from < len(runes); {
		number, to := at[from], from+1
		switch {
		case number.shown != "":
			to = from + len([]rune(number.drawn))
		case isDigit(runes[from]):
			to = numberEnd(runes, from)
			number.drawn = string(runes[from:to])
			number.shown = number.drawn
		}
		if _, ok := drawn[number.drawn]; ok && number.shown != "" {
			if d, _, err := r.origin(from); err != nil {
				return "", err
			} else if d.x >= part.X1 && d.x <= part.X2 && d.y >= part.Y1 && d.y <= part.Y2 {
				drawn[number.drawn] = append(drawn[number.drawn], number.shown)
			}
		}
		from = to
	}
	in := []rune(text)
	var b strings.Builder
	for from := 0; from < len(in); {
		to := max(numberEnd(in, from), from+1)
		number := string(in[from:to])
		if next := drawn[number]; len(next) > 0 {
			number, drawn[number] = next[0], next[1:]
		}
		b.WriteString(number)
		from = to
	}
	return b.String(), nil
}

// shown returns the number of the runes from one index to another as it is shown, or nil if
// that is as it is written.
func (r *lineReader) shown(runes []rune, from, to int) ([]rune, error) {
	first, ok, err := r.origin(from)
	if err != nil || !ok {
		return nil, err
	}
	level := true
	for i := from + 1; i < to && level; i++ {
		if !isDigit(runes[i]) {
			continue
		}
		d, ok, err := r.origin(i)
		if err != nil {
			return nil, err
		}
		level = ok && math.Abs(d.y-first.y) < 0.01
	}
	if level {
		return nil, nil
	}
	return r.marked(runes, from, to)
}

// marked is shown for a number whose characters are not on one line.
func (r *lineReader) marked(runes []rune, from, to int) ([]rune, error) {
	digits := make([]placedDigit, to-from)
	base := -1
	for i := range digits {
		d, ok, err := r.placed(runes, from+i)
		if err != nil || !ok {
			return nil, err
		}
		if digits[i] = d; math.Abs(d.dirX*digits[0].dirY-d.dirY*digits[0].dirX) > 0.02 {
			return nil, nil // along a curve
		}
		if isDigit(runes[from+i]) && (base < 0 || d.size > digits[base].size) {
			base = i
		}
	}
	on := digits[base]
	shown, changed := make([]rune, to-from), false
	for i, d := range digits {
		c := runes[from+i]
		shown[i] = c
		above := d.above(on) / on.size
		far := above >= highDigit || above <= -highDigit && d.size <= lowDigit*on.size
		if d.size > smallDigit*on.size && !far || math.Abs(above) > farthest {
			continue
		}
		instead := rune(0)
		switch {
		case above >= raisedFrom:
			instead = aboveLine[c]
		case above <= -loweredFrom:
			instead = belowLine[c]
		}
		if instead != 0 {
			shown[i], changed = instead, true
		}
	}
	if !changed {
		return nil, nil
	}
	return shown, nil
}

// origin returns where the character at an index of the text begins. It returns false for
// those that PDFium inserted.
func (r *lineReader) origin(index int) (placedDigit, bool, error) {
	index, err := r.index(index)
	if err != nil {
		return placedDigit{}, false, stopped(err)
	}
	at, err := r.p.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: r.text, Index: index})
	if err != nil {
		return placedDigit{}, false, stopped(err)
	}
	return placedDigit{x: at.X, y: at.Y}, true, nil
}

// placed returns also the size and the direction of a character. It returns false if PDFium
// has another character there, as on pages with characters of two units of UTF-16.
func (r *lineReader) placed(runes []rune, at int) (placedDigit, bool, error) {
	d, ok, err := r.origin(at)
	if err != nil || !ok {
		return d, ok, err
	}
	index, err := r.index(at)
	if err != nil {
		return d, false, stopped(err)
	}
	is, err := r.p.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: r.text, Index: index})
	if err != nil || rune(is.Unicode) != runes[at] {
		return d, false, stopped(err)
	}
	size, err := r.p.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: r.text, Index: index})
	if err != nil {
		return d, false, stopped(err)
	}
	got, err := r.p.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: r.text, Index: index})
	if err != nil {
		return d, false, stopped(err)
	}
	m := got.Matrix
	long := math.Hypot(float64(m.A), float64(m.B))
	d.size = size.FontSize * math.Hypot(float64(m.C), float64(m.D))
	if long == 0 || !(d.size > 0) || math.IsInf(d.size, 0) {
		return d, false, nil
	}
	d.dirX, d.dirY = float64(m.A)/long, float64(m.B)/long
	d.object = [2]float32{m.E, m.F}
	return d, true, nil
}
