package verify

import (
	"cmp"
	"slices"
	"unicode/utf16"
)

// unitStep is about how many bytes lie between two offsets that units are counted
// up to.
const unitStep = 256

// units tells offsets of a text in bytes also in other units.
type units struct {
	text  string
	known []offset
}

// An offset of a text is in bytes, code points and units of UTF-16.
type offset struct{ bytes, points, utf16 int64 }

func newUnits(text string) *units {
	u := &units{text: text}
	var at offset
	for i, r := range text {
		at.bytes = int64(i)
		if n := len(u.known); n == 0 || at.bytes-u.known[n-1].bytes >= unitStep {
			u.known = append(u.known, at)
		}
		at.points++
		at.utf16 += int64(utf16.RuneLen(r))
	}
	return u
}

// at returns an offset that is given in bytes.
func (u *units) at(bytes int) offset {
	i, found := slices.BinarySearchFunc(u.known, int64(bytes), func(o offset, bytes int64) int { return cmp.Compare(o.bytes, bytes) })
	if !found {
		i--
	}
	at := u.known[i]
	for _, r := range u.text[at.bytes:bytes] {
		at.points++
		at.utf16 += int64(utf16.RuneLen(r))
	}
	at.bytes = int64(bytes)
	return at
}

// span returns the place of a part of the text.
func (u *units) span(from, to int) Span {
	a, b := u.at(from), u.at(to)
	return Span{Bytes: [2]int64{a.bytes, b.bytes}, CodePoints: [2]int64{a.points, b.points}, UTF16: [2]int64{a.utf16, b.utf16}}
}
