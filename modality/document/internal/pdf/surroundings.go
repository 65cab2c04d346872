package pdf

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
)

// These are the rules of sensible.go that need more than the text of a heading:
// the text beside it on the page, and the other headings.

// isCell reports whether line i of a page is in a row of a table: short lines
// stand beside it in two other columns, or beside both the line above and the
// line below it.
func isCell(p *page, i int) bool {
	const columns, apart = 2, 0.8 // beside a line; heights of it
	if columnsBeside(p, i) >= columns {
		return true
	}
	line := p.Lines[i]
	most := apart * (line.Box.Y2 - line.Box.Y1)
	above, below := -1, -1
	for j, other := range p.Lines {
		over := other.Box.X1 < line.Box.X2 && line.Box.X1 < other.Box.X2
		switch gap := max(line.Box.Y1-other.Box.Y2, other.Box.Y1-line.Box.Y2); {
		case j == i || !over || gap > most:
		case other.Box.Y1 < line.Box.Y1:
			above = j
		default:
			below = j
		}
	}
	return above >= 0 && below >= 0 && columnsBeside(p, above) >= columns && columnsBeside(p, below) >= columns
}

// columnsBeside returns the number of columns of short lines beside line i.
func columnsBeside(p *page, i int) int {
	const short = 0.25 // of the width of the page
	line := p.Lines[i]
	height := line.Box.Y2 - line.Box.Y1
	var columns []pdfium.Box
	for j, other := range p.Lines {
		beside := other.Box.Y1 < line.Box.Y2-0.4*height && other.Box.Y2 > line.Box.Y1+0.4*height
		if j == i || !beside || other.Box.X2-other.Box.X1 > short {
			continue
		}
		same := func(c pdfium.Box) bool { return c.X1 < other.Box.X2 && other.Box.X1 < c.X2 }
		if !slices.ContainsFunc(columns, same) {
			columns = append(columns, other.Box)
		}
	}
	return len(columns)
}

// hasGaps reports whether a line has gaps between its words, or is much wider
// than its text would be without gaps, like a row of a table joined to one
// line.
func hasGaps(p *page, i int) bool {
	const wide = 1.2 // times the width of the letters in a bold font
	const gap = 1    // sizes of the font; a space is a third of one
	line := p.Lines[i]
	if line.Gap > gap {
		return true
	}
	text := strings.TrimSpace(line.Text)
	if isEastAsian(text) || strings.Count(text, " ") < 2 {
		return false
	}
	letters := 0.0 // width in font sizes
	for _, c := range text {
		switch {
		case c == ' ':
			letters += 0.28
		case unicode.IsUpper(c):
			letters += 0.74
		default:
			letters += 0.56
		}
	}
	return (line.Box.X2-line.Box.X1)*p.Width > wide*line.Size*letters
}

// withoutRunning drops headings that stand at the same place at the top or the
// bottom of several pages, ignoring their numbers, or anywhere at the same
// place of three pages.
func withoutRunning(found []heading) []heading {
	const edge, step = 0.13, 0.015 // of the height of the page
	type place struct {
		words string
		row   int
	}
	placeOf := func(h heading) place {
		return place{withoutDigits(letters(h.title)), int(math.Round(h.top / step))}
	}
	type stand struct{ pages, last int } // number of pages, and the last of them
	stands := map[place]stand{}
	for _, h := range found {
		at := placeOf(h)
		for _, row := range []int{at.row - 1, at.row, at.row + 1} {
			near := place{at.words, row}
			if seen := stands[near]; seen.last != h.page {
				stands[near] = stand{seen.pages + 1, h.page}
			}
		}
	}
	kept := found[:0:0]
	for _, h := range found {
		atEdge := h.top < edge || h.top > 1-edge
		pages := stands[placeOf(h)].pages
		if h.number > 1 || pages < 2 || pages < 3 && !atEdge {
			kept = append(kept, h)
		}
	}
	return kept
}

// withoutQuantities drops headings that begin with a number that is not a
// section number: a number above 12, without a full stop, if no other heading
// has the number before or after it.
func withoutQuantities(found []heading) []heading {
	const few = 12
	numbers := map[int]bool{}
	for _, h := range found {
		if n, ok := plainNumber(h.title); ok {
			numbers[n] = true
		}
	}
	return slices.DeleteFunc(found, func(h heading) bool {
		n, ok := plainNumber(h.title)
		isYear := n >= 1500 && n < 2100
		return ok && n > few && !isYear && !numbers[n-1] && !numbers[n+1]
	})
}

// plainNumber returns the whole number before a title.
func plainNumber(title string) (int, bool) {
	word, _, _ := strings.Cut(title, " ")
	n, err := strconv.Atoi(word)
	return n, err == nil && len(word) < 6
}

func withoutDigits(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsDigit(c) {
			return -1
		}
		return c
	}, text)
}

var abstract = lazyregexp.New(`(?i)^(?:\d\.? )?(?:abstract|summary|introduction|contents|table of contents|zusammenfassung|résumé|einleitung|inhalt)\b`)

// withoutBylines drops the names above the abstract on the first page: lines
// that name people or their institutions, and single names if such a line
// follows.
func withoutBylines(found []heading) []heading {
	end := 0
	for end < len(found) && found[end].page == 1 && found[end].number == 0 && !abstract.MatchString(found[end].title) {
		end++
	}
	kept := found[:0:0]
	for i, h := range found {
		if i < end && (isByline(h.title) || i > 0 && isName(h.title)) {
			continue
		}
		kept = append(kept, h)
	}
	return kept
}
