package charset

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// EastAsian returns the East Asian charset, with several bytes a character, that a text
// clearly has, or "": shift_jis, euc-jp, euc-kr, big5 or gb18030. Unless all is true, the
// end of the text may cut a character.
func EastAsian(text []byte, all bool) string {
	for _, e := range eastAsian {
		if c, ok := countScripts(e.encoding, text, all); ok && e.clear(c, text) {
			return e.charset
		}
	}
	return ""
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
	decoded := make([]byte, utf8.UTFMax*len(text))
	n, _, _ := e.NewDecoder().Transform(decoded, text, all) // fails only at a character that is cut off
	runes := bytes.Runes(decoded[:n])
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
