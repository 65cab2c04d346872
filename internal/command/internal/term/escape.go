// Package term makes text safe to show on a terminal, and shows progress there.
package term

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Line returns s as one line without any effect on a terminal. Control characters,
// including line ends, bidirectional controls, tags and other invisible characters are
// written as \x1b, \u202e or \U000e0041, and bytes that are not UTF-8 as \xff.
func Line(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case isSafe(r):
			b.WriteString(s[i : i+size])
		default:
			b.WriteString(escape(r))
		}
		i += size
	}
	return b.String()
}

// isPlain reports whether s is printable ASCII, as almost all text is.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

const (
	zeroWidthNonJoiner = '\u200c' // needed in Persian spelling
	zeroWidthJoiner    = '\u200d' // needed in Indic scripts and emoji
	firstOfPlane14     = 0xe0000  // tags and variation selectors, all invisible
	endOfPlane14       = 0xf0000
)

func isSafe(r rune) bool {
	switch {
	case r == zeroWidthNonJoiner || r == zeroWidthJoiner:
		return true
	case r >= firstOfPlane14 && r < endOfPlane14:
		return false
	}
	return unicode.IsGraphic(r)
}

func escape(r rune) string {
	switch r {
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	switch {
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// JSON returns the JSON text data with the same characters in its strings written as \u
// escapes. It writes characters that package json escapes for HTML, such as the & of
// addresses, as themselves. The JSON value does not change.
func JSON(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		c := data[i]
		switch {
		case c == '\\' && i+1 < len(data):
			plain, size := unescapeHTML(data[i:])
			out = append(out, plain...)
			i += size
			continue
		case c < 0x7f:
			out = append(out, c)
			i++
			continue
		}
		r, size := utf8.DecodeRune(data[i:])
		if isSafe(r) { // invalid UTF-8 becomes U+FFFD
			out = utf8.AppendRune(out, r)
		} else {
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		}
		i += size
	}
	return out
}

// unescapeHTML returns the plain form of an escape at the start of text, and the length
// of the escape.
func unescapeHTML(text []byte) (plain []byte, size int) {
	const length = len(`\u0026`)
	if len(text) >= length {
		switch string(text[:length]) {
		case `\u0026`:
			return []byte("&"), length
		case `\u003c`:
			return []byte("<"), length
		case `\u003e`:
			return []byte(">"), length
		}
	}
	return text[:2], 2
}
