package text

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	textunicode "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/citekit/citekit/internal/charset"
	"github.com/citekit/citekit/internal/lazyregexp"
)

// legacyCharset returns the charset of text that is neither Unicode nor ASCII,
// and whether it is inferred rather than declared.
func legacyCharset(text []byte, all bool) (name string, guessed bool) {
	text = wholeText(text, all)
	if name := declaredCharset(text, all); name != "" {
		return name, false
	}
	if name := charset.EastAsian(text, all); name != "" {
		return name, true
	}
	if name := charset.Detect(text); name != "" {
		return name, true
	}
	return westernCharset(text), true
}

// wholeText returns the complete lines of text: those without zero bytes, if
// text has zero bytes. Unless all is true, it drops the part after the last
// line end.
func wholeText(text []byte, all bool) []byte {
	if !all {
		text = wholeLines(text)
	}
	if bytes.IndexByte(text, 0) < 0 {
		return text
	}
	var whole []byte
	for line := range bytes.Lines(text) {
		if bytes.IndexByte(line, 0) < 0 {
			whole = append(whole, line...)
		}
	}
	if len(whole) == 0 {
		return text
	}
	return whole
}

// wholeLines cuts text after its last line end, if it has one, because the end
// of text may cut a character.
func wholeLines(text []byte) []byte {
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		return text[:i+1]
	}
	return text
}

// declaration matches the declaration of a charset in HTML, in XML, and in the
// magic comments of editors.
var declaration = lazyregexp.New(`(?i)(?:charset|encoding|coding)\s*[=:]\s*["']?([a-z0-9][a-z0-9_.:-]{1,30})`)

// declarationBytes is the size of the beginning of a file in which a
// declaration counts, as in HTML.
const declarationBytes = 1024

// declaredCharset returns the charset that text declares at its beginning, or
// "" if it declares none or does not fit it.
func declaredCharset(text []byte, all bool) string {
	match := declaration.FindSubmatch(text[:min(len(text), declarationBytes)])
	if match == nil {
		return ""
	}
	name := knownCharset(strings.ToLower(string(match[1])))
	if name == "" {
		return ""
	}
	if decoded, _, err := decode(decoder(name), text, all); err != nil || strings.ContainsRune(decoded, utf8.RuneError) {
		return ""
	}
	return name
}

// knownCharset returns the WHATWG name of a charset, or "" if the charset is
// unknown or Unicode.
func knownCharset(name string) string {
	if name == "iso-2022-kr" {
		return name // which the index lists only to refuse it
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		return ""
	}
	name, err = htmlindex.Name(e)
	if err != nil || strings.HasPrefix(name, "utf-") || name == "replacement" || name == "x-user-defined" {
		return ""
	}
	return name
}

// westernCharset distinguishes windows-1252 from iso-8859-1, which has control
// characters where windows-1252 has letters and quotes.
func westernCharset(text []byte) string {
	const unassigned = "\x81\x8d\x8f\x90\x9d" // in windows-1252
	letters := false
	for _, b := range text {
		switch {
		case strings.IndexByte(unassigned, b) >= 0:
			return "iso-8859-1"
		case 0x80 <= b && b < 0xa0:
			letters = true
		}
	}
	if letters {
		return "windows-1252"
	}
	return "iso-8859-1"
}

// decoder returns the decoder from a charset to UTF-8. Invalid bytes become
// U+FFFD, and line ends are unchanged.
func decoder(name string) *encoding.Decoder {
	switch name {
	case "utf-8":
		return textunicode.UTF8.NewDecoder()
	case "utf-16le":
		return textunicode.UTF16(textunicode.LittleEndian, textunicode.IgnoreBOM).NewDecoder()
	case "utf-16be":
		return textunicode.UTF16(textunicode.BigEndian, textunicode.IgnoreBOM).NewDecoder()
	case "utf-32le":
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM).NewDecoder()
	case "utf-32be":
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM).NewDecoder()
	case "iso-2022-jp", "iso-2022-kr":
		return &encoding.Decoder{Transformer: new(iso2022)}
	case "iso-8859-1": // the WHATWG index treats it as windows-1252
		return charmap.ISO8859_1.NewDecoder()
	case "ibm855": // missing in the index
		return charmap.CodePage855.NewDecoder()
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		return charmap.Windows1252.NewDecoder()
	}
	d := e.NewDecoder()
	d.Transformer = linewise{d.Transformer}
	return d
}
