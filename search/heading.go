package search

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// minHeading is how many letters and digits a title needs to be searched for: a
// shorter one may occur anywhere.
const minHeading = 3

// mostTries is how many occurrences of a title on a page are checked.
const mostTries = 64

// findHeading returns the offset of the line with a title in the text, or -1.
// Only letters and digits are compared, ignoring case. The line may have a
// number before the title, such as "2.1", and the title may continue over
// several lines.
func (f *foldedText) findHeading(title string) int {
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

// mostNumber is how many bytes may precede a title on its line.
const mostNumber = 40

// headingLine returns the start of the line that an offset is in, and whether
// only a number precedes the offset there.
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

// A foldedText is a text reduced to its letters and digits in lower case, those of a ligature
// each for itself.
type foldedText struct {
	text    string
	letters []byte
	offsets []int // in the text, of each byte of letters
}

func foldLetters(text string) *foldedText {
	f := &foldedText{text: text, letters: make([]byte, 0, len(text)), offsets: make([]int, 0, len(text))}
	for i := 0; i < len(text); {
		n := 1
		if text[i] >= utf8.RuneSelf || i+1 < len(text) && text[i+1] >= utf8.RuneSelf {
			if n = norm.NFKC.NextBoundaryInString(text[i:], true); n <= 0 {
				n = len(text) - i
			}
			f.add(norm.NFKC.String(text[i:i+n]), i)
		} else {
			f.add(text[i:i+1], i)
		}
		i += n
	}
	return f
}

// add adds the letters and digits of characters that are at an offset of the text.
func (f *foldedText) add(characters string, at int) {
	before := len(f.letters)
	for _, r := range characters {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			f.letters = utf8.AppendRune(f.letters, unicode.ToLower(r))
		}
	}
	for range len(f.letters) - before {
		f.offsets = append(f.offsets, at)
	}
}
