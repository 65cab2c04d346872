package quotation

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/plain"
)

// A part is a range of bytes of a text, [from, to).
type part struct{ from, to int }

// A letter is a letter or digit of a text, with its combining marks.
type letter struct {
	part
	key [utf8.UTFMax]byte // search key: lower case, without marks
	n   int               // bytes of the key
}

func (l *letter) find() []byte { return l.key[:l.n] }

// A scanner yields the letters of a text. The text between two letters is a gap.
type scanner struct {
	text  string
	skips []part // parts to ignore, sorted and disjoint
	at    int

	// raised means that raised digits and fractions are digits, as they are after
	// copying, and not note marks and letters of their own.
	raised bool
}

// next returns the next letter, or false at the end of the text.
func (s *scanner) next() (letter, bool) {
	for s.at < len(s.text) {
		for len(s.skips) > 0 && s.at >= s.skips[0].from {
			s.at = max(s.at, s.skips[0].to)
			s.skips = s.skips[1:]
		}
		if s.at >= len(s.text) {
			break
		}
		from := s.at
		if c := s.text[from]; c < utf8.RuneSelf {
			s.at++
			switch {
			case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			case 'A' <= c && c <= 'Z':
				c |= 0x20
			case c == '[':
				s.at += markLength(s.text[from:])
				continue
			default:
				continue
			}
			l := letter{part: part{from, s.marks(s.at)}, n: 1}
			l.key[0] = c
			return l, true
		}
		r, n := utf8.DecodeRuneInString(s.text[from:])
		s.at += n
		if s.raised && isRaised(r) {
			l := letter{part: part{from, s.marks(s.at)}}
			if r != 'º' {
				l.n = copy(l.key[:], strings.ReplaceAll(raisedForm(r), "/", ""))
				return l, true
			}
			continue
		}
		if isLetter(r) {
			l := letter{}
			l.n = copy(l.key[:], appendKey(l.key[:0], r))
			l.part = part{from, s.marks(s.at)}
			return l, true
		}
	}
	return letter{}, false
}

// skip moves past letters whose keys have n bytes, and reports whether the next letter
// begins right behind these.
func (s *scanner) skip(n int) bool {
	for n > 0 {
		end := len(s.text) // of what has no skipped part
		if len(s.skips) > 0 {
			end = min(end, s.skips[0].from)
		}
		// A letter of ASCII has one byte, unless a mark combines with it.
		for ; n > 0 && s.at+1 < end && s.text[s.at] < utf8.RuneSelf && s.text[s.at] != '['; s.at++ {
			if !isAlphanumeric(s.text[s.at]) {
				continue
			}
			if s.text[s.at+1] >= utf8.RuneSelf {
				break
			}
			n--
		}
		if n == 0 {
			break
		}
		l, ok := s.next()
		if n -= l.n; !ok || n < 0 {
			return false
		}
	}
	return true
}

// isAlphanumeric reports whether a byte is a letter or digit of ASCII.
func isAlphanumeric(c byte) bool { return alphanumeric[c] }

var alphanumeric = func() (is [256]bool) {
	for c := range is[:utf8.RuneSelf] {
		is[c] = 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
	}
	return is
}()

// marks moves past the combining marks at an offset, and returns where they end.
func (s *scanner) marks(at int) int {
	for at < len(s.text) && s.text[at] >= utf8.RuneSelf {
		r, n := utf8.DecodeRuneInString(s.text[at:])
		if !unicode.Is(unicode.Mn, r) {
			break
		}
		at += n
	}
	s.at = at
	return at
}

// markLength returns the length in bytes of a bracketed note mark, without its opening
// bracket, which text begins with: such as "12]", "3, 4]" or "^note]". It returns 0 if
// there is none.
func markLength(text string) int {
	end := strings.IndexByte(text[:min(len(text), 24)], ']')
	if end < 2 {
		return 0
	}
	inside := text[1:end]
	if inside[0] == '^' {
		if len(inside) > 1 && !strings.ContainsAny(inside, " \n[") {
			return end
		}
		return 0
	}
	digits := 0
	for i := 0; i < len(inside); i++ {
		switch c := inside[i]; {
		case '0' <= c && c <= '9':
			digits++
			if digits > 3 || digits == 1 && c == '0' {
				return 0
			}
		case i > 0 && strings.IndexByte(",;- ", c) >= 0:
			digits = 0
		default:
			return 0
		}
	}
	if digits == 0 {
		return 0
	}
	return end
}

// isLetter reports whether a character counts as a letter or digit.
func isLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return isAlphanumeric(byte(r))
	}
	switch {
	case isSuperscript(r), isApostropheLetter(r):
		return false
	case unicode.IsLetter(r), unicode.IsDigit(r):
		return true
	}
	return unicode.In(r, unicode.Mc, unicode.Nl, unicode.No)
}

// isApostropheLetter reports whether a letter looks like an apostrophe and is used as
// one.
func isApostropheLetter(r rune) bool { return '\u02b9' <= r && r <= '\u02bf' }

// isSuperscript reports whether a character is a raised digit, as in note marks and
// powers.
func isSuperscript(r rune) bool {
	return r == '¹' || r == '²' || r == '³' || '\u2070' <= r && r <= '\u2079'
}

// fractions are the characters for fractions, as they are written without them.
var fractions = map[rune]string{
	'½': "1/2", '⅓': "1/3", '⅔': "2/3", '¼': "1/4", '¾': "3/4", '⅕': "1/5", '⅖': "2/5", '⅗': "3/5", '⅘': "4/5",
	'⅙': "1/6", '⅚': "5/6", '⅛': "1/8", '⅜': "3/8", '⅝': "5/8", '⅞': "7/8",
}

// isLowered reports whether a character is a digit below the line.
func isLowered(r rune) bool { return '₀' <= r && r <= '₉' }

// isRaised reports whether a character has another form after copying: a raised digit,
// a fraction, or the ordinal sign that some keyboards have for degrees.
func isRaised(r rune) bool {
	return r >= utf8.RuneSelf && (isSuperscript(r) || fractions[r] != "" || r == 'º')
}

// raisedForm returns a raised digit or a fraction in usual digits.
func raisedForm(r rune) string {
	switch {
	case fractions[r] != "":
		return fractions[r]
	case r == '¹':
		return "1"
	case r == '²' || r == '³':
		return string(r - '²' + '2')
	case '\u2070' <= r && r <= '\u2079':
		return string(r - '\u2070' + '0')
	}
	return string(r)
}

var ligatures = map[rune]string{
	'ﬀ': "ff", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬃ': "ffi", 'ﬄ': "ffl", 'ﬅ': "st", 'ﬆ': "st",
	'œ': "oe", 'Œ': "OE", 'æ': "ae", 'Æ': "AE", 'ĳ': "ij", 'Ĳ': "IJ",
}

// sharpS maps letters whose capital is two letters.
var sharpS = map[rune]string{'ß': "ss", 'ẞ': "SS"}

// appendKey appends the search key of a letter, at most four bytes.
func appendKey(to []byte, r rune) []byte {
	if s, ok := ligatures[r]; ok {
		return append(to, strings.ToLower(s)...)
	}
	if s, ok := sharpS[r]; ok {
		return append(to, strings.ToLower(s)...)
	}
	r = smallLetter(plainForm(r))
	if r < utf8.RuneSelf || isHangul(r) {
		return utf8.AppendRune(to, r)
	}
	return utf8.AppendRune(to, plain.BaseRune(r))
}

func isHangul(r rune) bool { return 0xac00 <= r && r <= 0xd7a3 }

// smallLetter returns a letter in lower case, with one form of sigma.
func smallLetter(r rune) rune {
	if r = unicode.ToLower(r); r == 'ς' {
		return 'σ'
	}
	return r
}

// plainForm returns the usual form of a full-width character, a lowered digit or the
// micro sign.
func plainForm(r rune) rune {
	switch {
	case '！' <= r && r <= '～':
		return r - '！' + '!'
	case isLowered(r):
		return r - '₀' + '0'
	case r == 'µ':
		return 'μ'
	case r == 'º', r == '˚':
		return '°'
	case r == '\u3000':
		return ' '
	}
	return r
}

// isAlone reports whether a letter is of a script that has no spaces between words.
func isAlone(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan) || r == 'ー'
}

// compareLetters reports whether two spellings have the same letters, and notes the
// repairs.
func compareLetters(quote, source string, note func(kind Kind, source string)) bool {
	if quote == source {
		return true
	}
	if plain.NFC(quote) == plain.NFC(source) {
		note(CharacterForms, "")
		return true
	}
	var kinds []Kind
	quote, source = expand(quote, source, &kinds)
	if quote != source {
		if lowered(quote) != lowered(source) {
			return false
		}
		kinds = append(kinds, Case)
	}
	for _, k := range kinds {
		note(k, "")
	}
	return true
}

// expand replaces ligatures and other forms by plain letters, and appends the kinds in
// which the two differ.
func expand(quote, source string, kinds *[]Kind) (string, string) {
	q, s := mapRunes(quote, ligatures), mapRunes(source, ligatures)
	if (q != quote) != (s != source) {
		*kinds = append(*kinds, Ligatures)
	}
	wasQuote, wasSource := q, s
	q, s = unraised(q), unraised(s)
	quote, source = strings.Map(plainForm, plain.NFC(q)), strings.Map(plainForm, plain.NFC(s))
	if (quote != q) != (source != s) || wasQuote != wasSource && (q != wasQuote || s != wasSource) {
		*kinds = append(*kinds, CharacterForms)
	}
	return quote, source
}

// unraised returns a text with its raised digits and fractions in usual digits.
func unraised(s string) string {
	if !strings.ContainsFunc(s, isRaised) {
		return strings.ReplaceAll(s, "⁄", "/")
	}
	var b strings.Builder
	for _, r := range s {
		b.WriteString(raisedForm(r))
	}
	return b.String()
}

func mapRunes(s string, to map[rune]string) string {
	if len(s) == 1 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if t, ok := to[r]; ok {
			b.WriteString(t)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func lowered(s string) string { return strings.Map(smallLetter, mapRunes(s, sharpS)) }
