package search

import (
	"strings"
	"unicode"
)

// minHeading is how many letters and digits a title needs to be looked for: a
// shorter one may stand anywhere.
const minHeading = 3

// findHeading returns the offset of the line that a title is on in a text, or
// -1. Only letters and digits count, in any case; before the title the line may
// have a number, such as "2.1", and the title may go on over several lines.
func findHeading(text, title string) int {
	want := foldLetters(title)
	if len(want.letters) < minHeading {
		return -1
	}
	have := foldLetters(text)
	for from := 0; ; {
		i := strings.Index(string(have.letters[from:]), string(want.letters))
		if i < 0 {
			return -1
		}
		i += from
		if start, ok := headingLine(text, have.offsets[i]); ok {
			return start
		}
		from = i + 1
	}
}

// headingLine returns where the line begins that an offset is in, and whether
// nothing but a number stands before the offset.
func headingLine(text string, at int) (start int, ok bool) {
	start = strings.LastIndexByte(text[:at], '\n') + 1
	for _, r := range text[start:at] {
		if !unicode.IsDigit(r) && !unicode.IsSpace(r) && !unicode.IsPunct(r) {
			return start, false
		}
	}
	return start, true
}

// Folded is a text reduced to its letters and digits in lower case.
type folded struct {
	letters []byte
	offsets []int // in the text, of each byte of letters
}

func foldLetters(text string) folded {
	var f folded
	for i, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			continue
		}
		before := len(f.letters)
		f.letters = append(f.letters, string(unicode.ToLower(r))...)
		for range len(f.letters) - before {
			f.offsets = append(f.offsets, i)
		}
	}
	return f
}
