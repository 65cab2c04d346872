// Package charset decodes the text encodings of tags and subtitles: UTF-8,
// UTF-16, ISO 8859-1 and windows-1252. Bytes that are not part of a character
// become U+FFFD. [Detect] guesses other charsets of one byte for each
// character.
package charset

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Latin1 decodes ISO 8859-1.
func Latin1(b []byte) string {
	var s strings.Builder
	s.Grow(len(b))
	for _, c := range b {
		s.WriteRune(rune(c))
	}
	return s.String()
}

// UTF16 decodes UTF-16 in the byte order of its byte order mark, which is left
// out; without a mark it uses order. An odd byte at the end is dropped.
func UTF16(b []byte, order binary.ByteOrder) string {
	switch {
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		b, order = b[2:], binary.LittleEndian
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		b, order = b[2:], binary.BigEndian
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// UTF8 returns b without its byte order mark if it is UTF-8, and else decodes
// it as windows-1252. Text that is mostly UTF-8, such as a title that was cut
// within a character, is treated as UTF-8.
func UTF8(b []byte) string {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	switch {
	case utf8.Valid(b):
		return string(b)
	case mostlyUTF8(b):
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	return windows1252(b)
}

// mostlyUTF8 reports whether b has more characters of several bytes than bytes
// that belong to no character. An incomplete character at the end is ignored.
func mostlyUTF8(b []byte) bool {
	good, bad := 0, 0
	for utf8.FullRune(b) {
		r, n := utf8.DecodeRune(b)
		switch {
		case n > 1:
			good++
		case r == utf8.RuneError:
			bad++
		}
		b = b[n:]
	}
	return good > bad
}

// Guess decodes text in an unknown encoding: UTF-8 or UTF-16, with or without a
// byte order mark, or windows-1252.
func Guess(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")):
		return UTF16(b, binary.LittleEndian)
	case zeros(b, 1):
		return UTF16(b, binary.LittleEndian)
	case zeros(b, 0):
		return UTF16(b, binary.BigEndian)
	}
	return UTF8(b)
}

// zeros reports whether b looks like UTF-16 with the high bytes of its
// characters at offsets of the given parity: near the start, most bytes at
// these offsets are zero and the others are not.
func zeros(b []byte, parity int) bool {
	const examined = 512
	var count [2]int
	b = b[:min(len(b)&^1, examined)]
	for i, c := range b {
		if c == 0 {
			count[i%2]++
		}
	}
	return len(b) >= 4 && count[parity] > len(b)/4 && count[1-parity] == 0
}

// high are the characters of windows-1252 from 0x80 to 0x9F. Unassigned bytes
// become the control characters of ISO 8859-1.
var high = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8d, 'Ž', 0x8f,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9d, 'ž', 'Ÿ',
}

func windows1252(b []byte) string {
	var s strings.Builder
	s.Grow(len(b))
	for _, c := range b {
		if c >= 0x80 && c < 0xa0 {
			s.WriteRune(high[c-0x80])
			continue
		}
		s.WriteRune(rune(c))
	}
	return s.String()
}
