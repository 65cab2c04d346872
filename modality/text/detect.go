package text

import (
	"bytes"
	"encoding/binary"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// sampleBytes is the size of the part of a source from which its encoding is
// detected.
const sampleBytes = 64 << 10

// A wide encoding has units of more than one byte. Each is listed with its
// optional byte order mark. Those of UTF-32 come first, because the mark of
// UTF-16LE is the beginning of that of UTF-32LE, and a text with units of four
// bytes also fits units of two.
var wideCodings = []struct {
	coding textEncoding
	mark   string
}{
	{textEncoding{charset: "utf-32le", width: 4, order: binary.LittleEndian}, "\xff\xfe\x00\x00"},
	{textEncoding{charset: "utf-32be", width: 4, order: binary.BigEndian}, "\x00\x00\xfe\xff"},
	{textEncoding{charset: "utf-16le", width: 2, order: binary.LittleEndian}, "\xff\xfe"},
	{textEncoding{charset: "utf-16be", width: 2, order: binary.BigEndian}, "\xfe\xff"},
}

const utf8Mark = "\xef\xbb\xbf"

// A sample is the part of a source from which its encoding is detected.
type sample struct {
	text []byte
	head bool // it is the beginning of the source
	all  bool // it is, or ends with, the end of the source
}

// detect returns the encoding of the source that s is from, and why it is not text, or "".
// Without text, the encoding is that of ASCII in the latter case.
func detect(s sample, text bool) (c textEncoding, binary string) {
	c, ok := s.marked()
	if !ok {
		c, ok = s.unmarked()
	}
	if !ok {
		if binary = s.binaryReason(); binary != "" && !text {
			return textEncoding{charset: "utf-8", width: 1}, binary
		}
		c = s.narrow()
	}
	c.cr = c.usesCR(s.text, s.all)
	return c, binary
}

// narrow returns the encoding of s if it has units of one byte.
func (s sample) narrow() textEncoding {
	c := textEncoding{charset: "utf-8", width: 1}
	switch {
	case s.head && bytes.HasPrefix(s.text, []byte(utf8Mark)):
		c.mark = len(utf8Mark)
	case utf8.Valid(s.text) || !s.all && utf8.Valid(s.text[:len(s.text)-cutRune(s.text)]):
		if charset := escapedCharset(s.text, s.all); charset != "" {
			c.charset, c.guessed = charset, declaredCharset(s.text, s.all) != charset
		}
	case isUTF8(s.text, s.all):
		c.guessed = true
	default:
		c.charset, c.guessed = legacyCharset(s.text, s.all)
	}
	return c
}

// usesCR reports whether a CR alone ends lines; see the package comment.
func (c textEncoding) usesCR(sample []byte, all bool) bool {
	c.cr = true
	if !all && len(sample) > c.width {
		sample = sample[:len(sample)-len(sample)%c.width]
	}
	alone, pairs := 0, 0
	for i := 0; i+c.width <= len(sample); i += c.width {
		switch c.unit(sample[i:]) {
		case '\n':
			if i < c.width || c.unit(sample[i-c.width:]) != '\r' {
				return false
			}
			pairs++
		case '\r':
			if c.isEnd(sample[i:]) && (all || i+2*c.width <= len(sample)) {
				alone++
			}
		}
	}
	return alone > pairs
}

// character decodes the first character of text in UTF-16 or UTF-32. The size
// is 0 if text ends within it.
func (c textEncoding) character(text []byte) (r rune, size int) {
	u := c.unit(text)
	if u > unicode.MaxRune {
		return utf8.RuneError, c.width
	}
	r = rune(u)
	if c.width == 4 || !utf16.IsSurrogate(r) {
		return r, c.width
	}
	if len(text) < 4 {
		return utf8.RuneError, 0
	}
	if r = utf16.DecodeRune(r, rune(c.unit(text[2:]))); r == utf8.RuneError {
		return r, c.width
	}
	return r, 4
}

// isText reports whether r belongs in plain text.
func isText(r rune) bool {
	switch {
	case r == utf8.RuneError || !utf8.ValidRune(r):
		return false
	case r == '\x1b' || '\a' <= r && r <= '\r':
		return true
	}
	return r > 0xffff || r == '\ufeff' || unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) ||
		unicode.IsSpace(r)
}

// damageRatio is the number of good characters that outweigh a bad one, in
// codings where good characters are evidence: Unicode text with some damage is
// still Unicode.
const damageRatio = 10

// isUTF8 reports whether text is UTF-8, perhaps with a little damage. If all is
// false, its end may cut a character. Zero bytes may also cut characters: they
// stand where a page of a file was never written.
func isUTF8(text []byte, all bool) bool {
	if utf8.Valid(text) {
		return true
	}
	if !all {
		text = text[:len(text)-cutRune(text)]
	}
	long, invalid := 0, 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r != utf8.RuneError || size > 1:
			long++
		case !atZeros(text, i):
			invalid++
		}
		i += size
	}
	return invalid == 0 || long >= damageRatio*invalid
}

// atZeros reports whether the byte at i is part of a character of UTF-8 that
// zero bytes cut: either its rest, after the zeros, or its beginning.
func atZeros(text []byte, i int) bool {
	first, last := i, i
	for first > 0 && text[first-1] >= utf8.RuneSelf && first > i-utf8.UTFMax {
		first--
	}
	for last < len(text)-1 && text[last+1] >= utf8.RuneSelf && last < i+utf8.UTFMax {
		last++
	}
	if first > 0 && text[first-1] == 0 && i-first < utf8.UTFMax-1 && !utf8.RuneStart(text[i]) {
		return true
	}
	return last < len(text)-1 && text[last+1] == 0 && cutRune(text[:last+1]) > last-i
}

// cutRune returns the length of the incomplete character at the end of text.
func cutRune(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return n
			}
			break
		}
	}
	return 0
}
