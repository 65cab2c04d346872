package textlayer

import (
	"fmt"
	"unicode/utf8"

	"github.com/citekit/citekit"
)

// A Unit is the unit of an offset in a text.
type Unit int

// The units of offsets. Offsets are in bytes unless the documentation gives
// another unit.
const (
	InBytes      Unit = iota // of UTF-8
	InCodePoints             // Unicode characters
	InUTF16                  // UTF-16 units, as in JavaScript
)

// Convert converts an offset from one unit to another. If the offset is not
// between two characters, or is outside the text, the error matches
// [citekit.ErrRange].
func (l *Layer) Convert(off int64, from, to Unit) (int64, error) {
	if off < 0 || off > l.length(from) {
		return 0, fmt.Errorf("offset %d of %d: %w", off, l.length(from), citekit.ErrRange)
	}
	i := l.before(off, from)
	if i < 0 {
		return off, nil
	}
	r := l.runs[i]
	points, units := l.counts(i)
	if rest := off - r.end(from, points, units); rest >= 0 { // after the run, where every character is one of each unit
		return r.end(to, points, units) + rest, nil
	}
	text, err := l.textOf(r)
	if err != nil {
		return 0, err
	}
	at, ok := convert(text, off-r.start(from), from, to)
	if !ok {
		return 0, fmt.Errorf("offset %d is inside a character: %w", off, citekit.ErrRange)
	}
	return r.start(to) + at, nil
}

// length returns the length of the text.
func (x *index) length(unit Unit) int64 {
	switch unit {
	case InCodePoints:
		return x.points
	case InUTF16:
		return x.units
	}
	return x.size
}

func (r run) start(unit Unit) int64 {
	switch unit {
	case InCodePoints:
		return r.points
	case InUTF16:
		return r.units
	}
	return r.from
}

func (r run) end(unit Unit, points, units int64) int64 {
	switch unit {
	case InCodePoints:
		return r.points + points
	case InUTF16:
		return r.units + units
	}
	return r.to
}

// convert converts an offset in a text. It returns false if the offset is
// inside a character.
func convert(text string, off int64, from, to Unit) (at int64, ok bool) {
	var passed [3]int64
	for _, c := range text {
		if passed[from] >= off {
			break
		}
		passed[InBytes] += int64(utf8.RuneLen(c))
		passed[InCodePoints]++
		passed[InUTF16]++
		if c > 0xFFFF {
			passed[InUTF16]++
		}
	}
	return passed[to], passed[from] == off
}
