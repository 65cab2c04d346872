package search

import (
	"bytes"
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
	return foldLetters(text).findHeading(title)
}

// mostTries is how many places of a title on a page are looked at.
const mostTries = 64

// findHeading is the function of that name for a text that is folded already.
func (f *folded) findHeading(title string) int {
	want := foldLetters(title)
	if len(want.letters) < minHeading {
		return -1
	}
	from := 0
	for range mostTries {
		i := bytes.Index(f.letters[from:], want.letters)
		if i < 0 {
			return -1
		}
		if start, ok := headingLine(f.text, f.offsets[from+i]); ok {
			return start
		}
		from += i + 1
	}
	return -1
}

// mostNumber is how many bytes may stand before a title on its line.
const mostNumber = 40

// headingLine returns where the line begins that an offset is in, and whether
// nothing but a number stands before the offset.
func headingLine(text string, at int) (start int, ok bool) {
	near := max(0, at-mostNumber)
	start = near + strings.LastIndexByte(text[near:at], '\n') + 1
	if start == near && near > 0 {
		return start, false
	}
	for _, r := range text[start:at] {
		if !unicode.IsDigit(r) && !unicode.IsSpace(r) && !unicode.IsPunct(r) {
			return start, false
		}
	}
	return start, true
}

// A folded is a text reduced to its letters and digits in lower case.
type folded struct {
	text    string
	letters []byte
	offsets []int // in the text, of each byte of letters
}

func foldLetters(text string) *folded {
	f := &folded{text: text}
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
