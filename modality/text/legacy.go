package text

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
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
	if name := eastAsianCharset(text, all); name != "" {
		return name, true
	}
	if name := charset.Detect(text); name != "" {
		return name, true
	}
	return westernCharset(text), true
}

// eastAsianCharset returns the East Asian encoding, with several bytes a
// character, that text clearly has, or "". Unless all is true, the end of text
// may cut a character.
func eastAsianCharset(text []byte, all bool) string {
	for _, e := range eastAsian {
		if c, ok := countScripts(e.encoding, text, all); ok && e.clear(c, text) {
			return e.charset
		}
	}
	return ""
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

// scripts counts the characters of a text that are not ASCII.
type scripts struct {
	han, kana, hangul int
	halfKana          int // half-width katakana, one byte in Shift JIS
	marks             int // other characters of two bytes
	alone             int // characters of two bytes without a neighbour of two bytes
}

func (s scripts) wide() int { return s.han + s.kana + s.hangul + s.marks }

// countScripts decodes text. It reports false if it does not fit e.
func countScripts(e encoding.Encoding, text []byte, all bool) (s scripts, ok bool) {
	decoded, _, err := decode(e.NewDecoder(), text, all)
	if err != nil {
		return s, false
	}
	runes := []rune(decoded)
	for i, r := range runes {
		switch {
		case r < utf8.RuneSelf:
			continue
		case r == utf8.RuneError, unicode.Is(unicode.Co, r), unicode.IsControl(r):
			return s, false
		case 0xff61 <= r && r <= 0xff9f:
			s.halfKana++
			continue
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			s.kana++
		case unicode.Is(unicode.Han, r):
			s.han++
		case unicode.Is(unicode.Hangul, r):
			s.hangul++
		default:
			s.marks++
		}
		before := i > 0 && runes[i-1] >= utf8.RuneSelf
		after := i+1 < len(runes) && runes[i+1] >= utf8.RuneSelf
		if !before && !after {
			s.alone++
		}
	}
	return s, s.wide() > 0
}

// eastAsian lists the multi-byte encodings with the rule that identifies each
// with little doubt. In all of them, characters come in runs. Western text,
// read in one of them, has single such characters between ASCII letters.
var eastAsian = []struct {
	charset  string
	encoding encoding.Encoding
	clear    func(s scripts, text []byte) bool
}{
	{"euc-jp", japanese.EUCJP, func(s scripts, _ []byte) bool {
		return s.inRuns() && 20*s.kana > s.wide() && s.halfKana == 0
	}},
	{"euc-kr", korean.EUCKR, func(s scripts, text []byte) bool {
		return s.inRuns() && 10*s.hangul > 9*(s.wide()-s.marks) && pairsBelow(text, 0xa1, 0xc8) && s.hangul > 3
	}},
	{"shift_jis", japanese.ShiftJIS, func(s scripts, _ []byte) bool {
		return s.inRuns() && 4*s.halfKana < s.wide() && (s.han+s.kana) > s.marks
	}},
	{"big5", traditionalchinese.Big5, func(s scripts, text []byte) bool {
		return s.inRuns() && s.han > s.marks && 10*commonBig5(text) > 9*s.han && s.han > 3
	}},
	{"gb18030", simplifiedchinese.GB18030, func(s scripts, text []byte) bool {
		return s.inRuns() && s.han > s.marks && 10*commonHan(text) > 8*s.han && s.han > 3
	}},
}

func (s scripts) inRuns() bool { return s.wide() > 1 && 5*s.alone < s.wide() }

// pairsBelow reports whether most lead bytes of two-byte characters lie in
// low to high, the rows of EUC-KR with punctuation and Hangul.
func pairsBelow(text []byte, low, high byte) bool {
	in, all := 0, 0
	eachPair(text, func(lead, _ byte) {
		all++
		if low <= lead && lead <= high {
			in++
		}
	})
	return 10*in > 9*all
}

// commonBig5 counts the pairs in the rows of Big5 with its frequent characters,
// if text has pairs that EUC-based encodings cannot have.
func commonBig5(text []byte) int {
	common, low := 0, 0
	eachPair(text, func(lead, trail byte) {
		if 0xa4 <= lead && lead <= 0xc6 {
			common++
		}
		if trail < 0x80 {
			low++
		}
	})
	if 10*low < common {
		return 0
	}
	return common
}

// commonHan counts the pairs in the rows of GB 2312 with its frequent
// characters.
func commonHan(text []byte) int {
	n := 0
	eachPair(text, func(lead, trail byte) {
		if 0xb0 <= lead && lead <= 0xd7 && trail >= 0xa1 {
			n++
		}
	})
	return n
}

// eachPair calls f for the characters of two bytes, read as in EUC and Big5.
func eachPair(text []byte, f func(lead, trail byte)) {
	for i := 0; i+1 < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			f(text[i], text[i+1])
			i++
		}
	}
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
