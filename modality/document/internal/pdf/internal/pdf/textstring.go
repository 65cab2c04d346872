package pdf

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// Text returns the text of a text string (7.9.2.2): UTF-16 or UTF-8 if it begins with
// a byte order mark, else PDFDocEncoding. Language escapes are left out. Invalid
// bytes become U+FFFD.
func (s String) Text() string {
	switch {
	case strings.HasPrefix(string(s), "\xfe\xff"):
		return withoutLanguage(utf16Text(s[2:], binary.BigEndian))
	case strings.HasPrefix(string(s), "\xff\xfe"): // not allowed, but some programs write it
		return withoutLanguage(utf16Text(s[2:], binary.LittleEndian))
	case strings.HasPrefix(string(s), "\xef\xbb\xbf"):
		return withoutLanguage(strings.ToValidUTF8(string(s[3:]), "\ufffd"))
	}
	return docText(s)
}

func utf16Text(s String, order binary.ByteOrder) string {
	units := make([]uint16, len(s)/2)
	for i := range units {
		units[i] = order.Uint16([]byte(s[2*i : 2*i+2]))
	}
	return string(utf16.Decode(units))
}

// withoutLanguage removes the text between two escape characters, if it can be the
// code of a language and a country.
func withoutLanguage(text string) string {
	const escape, longest = "\x1b", 8
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, escape)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		code, after, closed := strings.Cut(rest, escape)
		if !closed || len(code) > longest {
			b.WriteString(escape)
			after = rest
		}
		text = after
	}
}

func docText(s String) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := range len(s) {
		b.WriteRune(docRune(s[i]))
	}
	return b.String()
}

// docHigh and docLow are the characters of PDFDocEncoding that differ from Latin-1
// (Annex D.2).
const (
	docLow  = "\u02d8\u02c7\u02c6\u02d9\u02dd\u02db\u02da\u02dc" // from 0x18
	docHigh = "\u2022\u2020\u2021\u2026\u2014\u2013\u0192\u2044\u2039\u203a\u2212\u2030\u201e\u201c\u201d\u2018" +
		"\u2019\u201a\u2122\ufb01\ufb02\u0141\u0152\u0160\u0178\u017d\u0131\u0142\u0153\u0161\u017e\ufffd\u20ac" // from 0x80
)

func docRune(c byte) rune {
	switch {
	case c >= 0x18 && c < 0x20:
		return []rune(docLow)[c-0x18]
	case c >= 0x80 && c <= 0xa0:
		return []rune(docHigh)[c-0x80]
	case c == 0x7f || c == 0xad:
		return '\ufffd'
	}
	return rune(c)
}
