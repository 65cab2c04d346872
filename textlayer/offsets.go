package textlayer

import (
	"fmt"
	"sort"
	"unicode/utf8"

	"github.com/citekit/citekit"
)

// stride is how many bytes of a text are between two marks of Offsets. It may
// be a few more.
const stride = 512

// Offsets converts offsets in a text in memory, such as an answer, as
// [Layer.Convert] does in the text of a source. It is safe for concurrent use.
type Offsets struct {
	text  string
	marks [][3]int64 // offsets of the same position, by Unit
	end   [3]int64
}

// NewOffsets returns the Offsets of a text. Each byte that is not UTF-8 is one
// character.
func NewOffsets(text string) *Offsets {
	o := &Offsets{text: text, marks: make([][3]int64, 1, len(text)/stride+1)}
	var at [3]int64
	for i := 0; i < len(text); {
		if at[InBytes]-o.marks[len(o.marks)-1][InBytes] >= stride {
			o.marks = append(o.marks, at)
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		pass(&at, r, size)
		i += size
	}
	o.end = at
	return o
}

// pass moves the offsets of a position past the character there.
func pass(at *[3]int64, r rune, size int) {
	at[InBytes] += int64(size)
	at[InCodePoints]++
	at[InUTF16]++
	if r > 0xFFFF {
		at[InUTF16]++
	}
}

// Convert converts an offset from one unit to another. If the offset is not
// between two characters, or is outside the text, the error matches
// [citekit.ErrRange].
func (o *Offsets) Convert(off int64, from, to Unit) (int64, error) {
	if off < 0 || off > o.end[from] {
		return 0, fmt.Errorf("offset %d of %d: %w", off, o.end[from], citekit.ErrRange)
	}
	next := sort.Search(len(o.marks), func(i int) bool { return o.marks[i][from] > off })
	at := o.marks[next-1]
	for at[from] < off {
		r, size := utf8.DecodeRuneInString(o.text[at[InBytes]:])
		pass(&at, r, size)
	}
	if at[from] != off {
		return 0, fmt.Errorf("offset %d is inside a character: %w", off, citekit.ErrRange)
	}
	return at[to], nil
}
