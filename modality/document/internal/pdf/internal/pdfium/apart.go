package pdfium

import (
	"math"

	"github.com/klippa-app/go-pdfium/requests"
)

// The least gap between two numbers of different text objects, in sizes of their font.
const (
	leastApart = 0.04 // more than the gaps within them
	digitApart = 0.12 // if each is one digit, which letter spacing parts too
	wideApart  = 0.5  // where it is not sure which character of PDFium's is which
	offLine    = 0.05 // how far one may be above the other
)

// breaks returns where the characters of the runes from one index to another, which PDFium
// joined to one number, are several, as those of narrow cells of a table: the indexes of
// the characters that a space is missing before. Numbers of equal gaps are one.
//
// Each number costs a call of PDFium, and each of those with gaps several.
func (r *lineReader) breaks(runes []rune, from, to int) ([]int, error) {
	if has, err := r.hasGap(runes, from, to); err != nil || !has {
		return nil, err
	}
	digits, gaps := make([]placedDigit, to-from), make([]float64, to-from)
	for i := range digits {
		d, ok, err := r.placed(runes, from+i)
		if err != nil || !ok {
			return nil, err
		}
		if digits[i] = d; i == 0 {
			continue
		}
		before := digits[i-1]
		width, ok, err := r.advance(from+i-1, before)
		if err != nil || !ok || math.Abs(d.dirX*before.dirY-d.dirY*before.dirX) > 0.02 {
			return nil, err
		}
		gaps[i] = (d.after(before) - width) / max(d.size, before.size)
	}
	var at []int
	for i := 1; i < len(digits); i++ {
		if !isDigit(runes[from+i-1]) || runes[from+i] == '.' || runes[from+i] == ',' {
			continue
		}
		d, before := digits[i], digits[i-1]
		if d.object == before.object || math.Abs(d.above(before)) > offLine*before.size {
			continue
		}
		least, within := digitApart, math.Inf(1)
		for k := 1; k < len(gaps); k++ {
			if k != i {
				within = min(within, gaps[k])
				least = leastApart + max(within, 0)
			}
		}
		if gaps[i] >= least && (gaps[i] < wideApart || !r.mapped) {
			at = append(at, from+i)
		}
	}
	return at, nil
}

// hasGap reports whether a digit of a number is farther from the next character than the
// narrowest of its digits is wide.
func (r *lineReader) hasGap(runes []rune, from, to int) (bool, error) {
	const wider = 1.03
	var before placedDigit
	narrow, widest := math.Inf(1), 0.0
	for i := from; i < to; i++ {
		d, ok, err := r.origin(i)
		if err != nil || !ok {
			return false, err
		}
		if i > from && isDigit(runes[i-1]) {
			step := math.Hypot(d.x-before.x, d.y-before.y)
			narrow, widest = min(narrow, step), max(widest, step)
			if i == from+1 {
				before.dirX, before.dirY = d.x-before.x, d.y-before.y
				width, ok, err := r.advance(from, before)
				if err != nil || !ok {
					return false, err
				}
				narrow = min(narrow, width)
			}
		}
		before = d
	}
	return widest > wider*narrow, nil
}

// advance returns how wide a character is, with the space around it. It returns false for
// those without a width, and if they are written neither along nor across the page.
func (r *lineReader) advance(at int, d placedDigit) (float64, bool, error) {
	index, err := r.index(at)
	if err != nil {
		return 0, false, stopped(err)
	}
	got, err := r.p.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: r.text, Index: index})
	if err != nil {
		return 0, false, stopped(err)
	}
	const level = 0.02
	width := 0.0
	switch x, y := math.Abs(d.dirX), math.Abs(d.dirY); {
	case y <= level*x:
		width = float64(got.Rect.Right - got.Rect.Left)
	case x <= level*y:
		width = float64(got.Rect.Top - got.Rect.Bottom)
	}
	return width, width > 0, nil
}

// withSpaces returns the runes from one index to another with a space before each of those
// of a set.
func withSpaces(runes []rune, apart map[int]bool, from, to int) []rune {
	if len(apart) == 0 {
		return runes[from:to]
	}
	var spaced []rune
	for i := from; i < to; i++ {
		if i > from && apart[i] {
			spaced = append(spaced, ' ')
		}
		spaced = append(spaced, runes[i])
	}
	return spaced
}
