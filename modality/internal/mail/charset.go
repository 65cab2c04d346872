package mail

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/citekit/citekit/internal/charset"
)

const (
	maxLabel  = 64       // bytes of the name of a charset
	judgement = 64 << 10 // bytes that a charset is inferred from
)

// knownCharset returns the name of a charset that is registered with IANA, in
// lower case, for one of its labels, or "". Labels that the WHATWG index takes
// for a larger charset stay what they say.
func knownCharset(label string) string {
	label = strings.ToLower(strings.Trim(label, " \t\"'"))
	switch label {
	case "", "utf-32", "utf-32le", "utf-32be", "utf-16be", "utf-16le":
		return label
	case "utf-16":
		return "utf-16be" // RFC 2781, section 4.3, unless a mark says otherwise
	}
	e, err := htmlindex.Get(label)
	if err != nil {
		return ""
	}
	name, err := htmlindex.Name(e)
	switch {
	case err != nil, name == "replacement", name == "x-user-defined":
		return ""
	case name != "windows-1252", strings.Contains(label, "1252"):
		return name
	case strings.Contains(label, "ascii"), label == "ansi_x3.4-1968":
		return "us-ascii"
	}
	return "iso-8859-1"
}

// decoder returns a decoder of a charset as [knownCharset] names it. Texts
// labelled ISO 8859-1 are decoded as windows-1252, which they often are and which
// has all its letters.
func decoder(name string) *encoding.Decoder {
	switch name {
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()
	case "utf-32", "utf-32be":
		return utf32.UTF32(utf32.BigEndian, utf32.UseBOM).NewDecoder()
	case "utf-32le":
		return utf32.UTF32(utf32.LittleEndian, utf32.UseBOM).NewDecoder()
	}
	if e, err := htmlindex.Get(name); err == nil && name != "us-ascii" {
		return e.NewDecoder()
	}
	return nil
}

// decodeText returns text in a charset as UTF-8, with U+FFFD in the place of
// invalid bytes. Text in an unknown charset is taken for UTF-8 or windows-1252.
func decodeText(label string, text []byte) string {
	name := knownCharset(label)
	d := decoder(name)
	if name == "utf-8" || d == nil {
		return validText(name, text)
	}
	out, err := d.Bytes(text)
	if err != nil {
		return charset.UTF8(text)
	}
	return strings.ToValidUTF8(string(out), "\ufffd")
}

func validText(name string, text []byte) string {
	if name == "utf-8" {
		return strings.ToValidUTF8(string(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))), "\ufffd")
	}
	return charset.UTF8(text)
}

// charsetOf returns the charset of a text that begins with sample: the one
// declared, if that is known, or else what the bytes say. ASCII without a
// declaration is UTF-8.
func charsetOf(declared string, sample []byte, all bool) (name string, guessed bool) {
	name = knownCharset(declared)
	switch {
	case bytes.HasPrefix(sample, []byte("\xff\xfe")) && strings.HasPrefix(name, "utf-16"):
		return "utf-16le", false
	case bytes.HasPrefix(sample, []byte("\xff\xfe\x00\x00")) && strings.HasPrefix(name, "utf-32"):
		return "utf-32le", false
	case name == "utf-32":
		return "utf-32be", false
	case name != "" && (name != "us-ascii" || isASCII(sample)):
		return name, false
	}
	if i := bytes.LastIndexByte(sample, '\n'); !all && i >= 0 {
		sample = sample[:i+1]
	} else if !all {
		sample = wholeRunes(sample)
	}
	switch {
	case utf8.Valid(sample) && bytes.Contains(sample, []byte("\x1b$B")):
		return "iso-2022-jp", true
	case utf8.Valid(sample):
		return "utf-8", name != ""
	}
	if name := charset.Detect(sample); name != "" && decoder(name) != nil {
		return name, true
	}
	return "windows-1252", true
}

// wholeRunes returns text without the beginning of a character of UTF-8 that its end
// cuts.
func wholeRunes(text []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return text[:len(text)-n]
			}
			break
		}
	}
	return text
}

func isASCII(text []byte) bool {
	return bytes.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// htmlCharset returns the charset that the head of a page names, or "".
func htmlCharset(sample []byte) string {
	head := bytes.ToLower(sample[:min(len(sample), 1024)])
	_, label, found := bytes.Cut(head, []byte("charset="))
	if !found {
		return ""
	}
	label = bytes.TrimLeft(label, `"' `)
	end := bytes.IndexAny(label, "\"'> ;/\r\n")
	if end < 0 || end > maxLabel {
		return ""
	}
	return knownCharset(string(label[:end]))
}
