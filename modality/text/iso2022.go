package text

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/transform"
)

// A charSet is one of the character sets between which ISO 2022 switches.
type charSet byte

const (
	asciiSet charSet = iota
	katakanaSet
	jis0208Set
	jis0212Set
	koreanSet
)

// escapes are the switching sequences of ISO-2022-JP, its extensions, and
// ISO-2022-KR.
var escapes = []struct {
	sequence string
	set      charSet
}{
	{"\x1b(B", asciiSet},
	{"\x1b(J", asciiSet},
	{"\x1b(I", katakanaSet},
	{"\x1b$@", jis0208Set},
	{"\x1b$B", jis0208Set},
	{"\x1b$(D", jis0212Set},
	{"\x1b$)C", asciiSet}, // the set to which SO switches
}

const (
	shiftOut = 0x0e
	shiftIn  = 0x0f
)

// escapedCharset returns the charset of text that is ASCII except for the
// escape sequences of ISO 2022, or "" if it has none.
func escapedCharset(text []byte, all bool) string {
	name := ""
	switch {
	case bytes.Contains(text, []byte("\x1b$)C")) && bytes.IndexByte(text, shiftOut) >= 0:
		name = "iso-2022-kr"
	case bytes.Contains(text, []byte("\x1b$B")), bytes.Contains(text, []byte("\x1b$@")), bytes.Contains(text, []byte("\x1b$(D")):
		name = "iso-2022-jp"
	default:
		return ""
	}
	decoded, _, err := decode(decoder(name), text, all)
	if err != nil || strings.ContainsRune(decoded, utf8.RuneError) || utf8.RuneCountInString(decoded) == len(decoded) {
		return ""
	}
	return name
}

// An iso2022 decodes ISO-2022-JP and ISO-2022-KR. Every line begins in ASCII,
// as RFC 1468 and RFC 1557 require, and no character contains a line end.
// Escape sequences for other uses are kept.
type iso2022 struct {
	set      charSet
	jp, kr   transform.Transformer // EUC of the same characters; nil until needed
	compared int                   // bytes that were compared with escape sequences, for tests
}

// Reset implements [transform.Transformer].
func (d *iso2022) Reset() { d.set = asciiSet }

// Transform implements [transform.Transformer].
func (d *iso2022) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		if nDst+utf8.UTFMax > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		text, size := d.next(src[nSrc:], atEOF)
		if size == 0 {
			return nDst, nSrc, transform.ErrShortSrc
		}
		nDst += copy(dst[nDst:], text)
		nSrc += size
	}
	return nDst, nSrc, nil
}

// next returns the first character of src, "" for a switching sequence, and its
// size, which is 0 if src ends within it.
func (d *iso2022) next(src []byte, atEOF bool) (text string, size int) {
	switch c := src[0]; {
	case c == 0x1b:
		return d.escape(src, atEOF)
	case c == shiftOut:
		d.set = koreanSet
		return "", 1
	case c == shiftIn:
		d.set = asciiSet
		return "", 1
	case c == '\n' || c == '\r':
		d.set = asciiSet
		return string(rune(c)), 1
	case c >= utf8.RuneSelf:
		return "\ufffd", 1
	case c <= ' ' || c == 0x7f || d.set == asciiSet:
		return string(rune(c)), 1
	case d.set == katakanaSet:
		return katakana(c), 1
	case len(src) < 2 && !atEOF:
		return "", 0
	case len(src) < 2 || src[1] <= ' ' || src[1] >= 0x7f:
		return "\ufffd", 1
	}
	return d.pair(src[0]|0x80, src[1]|0x80), 2
}

// longestEscape is the length of the longest sequence in escapes.
const longestEscape = 4

func (d *iso2022) escape(src []byte, atEOF bool) (text string, size int) {
	begin := string(src[:min(len(src), longestEscape)])
	d.compared += len(begin)
	for _, e := range escapes {
		if strings.HasPrefix(begin, e.sequence) {
			d.set = e.set
			return "", len(e.sequence)
		}
		if !atEOF && strings.HasPrefix(e.sequence, begin) {
			return "", 0
		}
	}
	return "\x1b", 1
}

func katakana(c byte) string {
	if c > 0x5f {
		return "\ufffd"
	}
	return string(rune(c) - 0x21 + '｡')
}

// pair decodes a character of two bytes, as in EUC.
func (d *iso2022) pair(lead, trail byte) string {
	if d.jp == nil {
		d.jp, d.kr = japanese.EUCJP.NewDecoder().Transformer, korean.EUCKR.NewDecoder().Transformer
	}
	euc, decoder := []byte{0x8f, lead, trail}, d.jp
	if d.set != jis0212Set {
		euc = euc[1:]
	}
	if d.set == koreanSet {
		decoder = d.kr
	}
	var decoded [8]byte
	n, _, err := decoder.Transform(decoded[:], euc, true)
	if r, size := utf8.DecodeRune(decoded[:n]); err == nil && size == n {
		return string(r)
	}
	return "\ufffd"
}

// A linewise decodes every line by itself, so that the text has the same line
// ends as the bytes, whatever the bytes are.
type linewise struct{ transform.Transformer }

// Transform implements [transform.Transformer].
func (d linewise) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		part, whole := src[nSrc:], atEOF
		if i := bytes.IndexAny(part, "\r\n"); i > 0 {
			part, whole = part[:i], true
		} else if i == 0 {
			if nDst == len(dst) {
				return nDst, nSrc, transform.ErrShortDst
			}
			dst[nDst] = part[0]
			nDst, nSrc = nDst+1, nSrc+1
			d.Reset()
			continue
		}
		written, read, err := d.Transformer.Transform(dst[nDst:], part, whole)
		nDst, nSrc = nDst+written, nSrc+read
		if err != nil {
			return nDst, nSrc, err
		}
	}
	return nDst, nSrc, nil
}
