package plain

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ShowHidden returns text with the code of each hidden character in its place, such
// as \u202E or \U000E0041, and the number of hidden characters. It returns text
// itself if there are none.
//
// A text may hide words
// in such characters, or change the order in which its other characters
// display, so that a person and a model read different texts.
//
// By the categories of Unicode, a character is hidden if it is
//
//   - a control character (Cc) other than tab, line feed and carriage return;
//   - a format character (Cf), such as a bidirectional override or isolate
//     (U+202A–U+202E, U+2066–U+2069), a zero-width space, or a tag;
//   - a variation selector, another character that displays ignore
//     (Other_Default_Ignorable_Code_Point), or a noncharacter.
//
// It is not hidden where writing needs it, once and not after another such
// character:
//
//   - the zero-width joiner and non-joiner after a letter of a script that is
//     written with them, such as Arabic and those of India, and the joiner
//     between two emoji;
//   - a variation selector after a character that has variants: an emoji,
//     another symbol, or an ideograph;
//   - the tags of the flags of England, Scotland and Wales;
//   - the marks U+200E, U+200F and U+061C near a letter that is written from
//     right to left;
//   - the soft hyphen between two letters;
//   - format characters that have a shape, such as the Arabic number sign.
func ShowHidden(text string) (shown string, hidden int) {
	var b strings.Builder
	done := 0
	for at, size := range hiddenIn(text) {
		r, _ := utf8.DecodeRuneInString(text[at:])
		b.WriteString(text[done:at])
		b.WriteString(codeOf(r))
		done = at + size
		hidden++
	}
	if hidden == 0 {
		return text, 0
	}
	b.WriteString(text[done:])
	return b.String(), hidden
}

// ShowLine returns a text on one line, for messages and logs: hidden characters are
// written as codes, line ends and other white space as in a Go string, and a text of
// more than n bytes is cut.
func ShowLine(text string, n int) string {
	shown, _ := ShowHidden(Shorten(text, n))
	var b strings.Builder
	for _, r := range shown {
		if unicode.IsPrint(r) || unicode.Is(unicode.Cf, r) {
			b.WriteRune(r)
			continue
		}
		escaped := strconv.QuoteRuneToASCII(r)
		b.WriteString(escaped[1 : len(escaped)-1])
	}
	return b.String()
}

// ShowLines returns a text in lines, with codes for characters that cannot be seen.
// All other white space than line ends becomes a space.
func ShowLines(text string) string {
	text, _ = ShowHidden(strings.ReplaceAll(text, "\r\n", "\n"))
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, text)
}

// ShownMarks returns runs of code points of a text, the end excluded, as runs of what
// ShowHidden shows of it. The runs must be in order and not overlap.
func ShownMarks(text string, marks [][2]int) [][2]int {
	if len(marks) == 0 || CountHidden(text) == 0 {
		return marks
	}
	moved := make([][2]int, len(marks))
	ends, added := 0, 0           // of the marks, and characters added before
	points, counted := 0, 0       // code points of the text, and bytes that they have
	until := func(position int) { // moves the ends up to a position
		for ; ends < 2*len(marks) && marks[ends/2][ends%2] <= position; ends++ {
			moved[ends/2][ends%2] = marks[ends/2][ends%2] + added
		}
	}
	for at, size := range hiddenIn(text) {
		points += utf8.RuneCountInString(text[counted:at])
		counted = at
		until(points)
		added += codeLength(size) - 1
	}
	until(math.MaxInt)
	return moved
}

// CountHidden returns how many hidden characters a text has.
func CountHidden(text string) (hidden int) {
	for range hiddenIn(text) {
		hidden++
	}
	return hidden
}

// CodesAdded returns how many characters ShowHidden adds to a text.
func CodesAdded(text string) (added int) {
	for _, size := range hiddenIn(text) {
		added += codeLength(size) - 1
	}
	return added
}

// codeLength returns the length of the code of a character of some bytes.
func codeLength(size int) int {
	if size == utf8.UTFMax {
		return len(`\U00000000`)
	}
	return len(`\u0000`)
}

// HiddenNote returns a sentence about hidden characters that a text has as codes,
// without a capital or a full stop.
func HiddenNote(hidden int) string {
	if hidden == 1 {
		return `1 character that cannot be seen is written as its code, as in \u202E; quote it so`
	}
	return strconv.Itoa(hidden) + ` characters that cannot be seen are written as their codes, as in \u202E; quote them so`
}

// codeOf returns the code of a character.
func codeOf(r rune) string {
	const digits = "0123456789ABCDEF"
	b, n := []byte(`\u`), 4
	if r > 0xFFFF {
		b, n = []byte(`\U`), 8
	}
	for n--; n >= 0; n-- {
		b = append(b, digits[r>>(4*n)&15])
	}
	return string(b)
}

// ReadCodes returns a text with the characters in place of the codes that ShowHidden writes
// for them. Codes of other characters stay. It also reads codes in small
// letters and with two backslashes, as in JSON.
func ReadCodes(text string) string {
	if !strings.Contains(text, `\u`) && !strings.Contains(text, `\U`) {
		return text
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 {
			return b.String() + text
		}
		b.WriteString(text[:i])
		text = text[i:]
		r, size := decodeCode(text)
		if size == 0 {
			b.WriteByte('\\')
			text = text[1:]
			continue
		}
		b.WriteRune(r)
		text = text[size:]
	}
}

// decodeCode returns the hidden character whose code begins a text, and the size of
// the code, which is 0 if there is none.
func decodeCode(text string) (r rune, size int) {
	digits := strings.TrimPrefix(text[1:], `\`)
	n := 4
	switch {
	case strings.HasPrefix(digits, "U"):
		n = 8
	case !strings.HasPrefix(digits, "u"):
		return 0, 0
	}
	if len(digits) <= n {
		return 0, 0
	}
	value, err := strconv.ParseUint(digits[1:1+n], 16, 32)
	if err != nil || value > unicode.MaxRune || !mayHide(rune(value)) {
		return 0, 0
	}
	return rune(value), len(text) - len(digits) + 1 + n
}

// The flags that are emoji and have tags, after the black flag.
var flags = []string{tagged("gbeng"), tagged("gbsct"), tagged("gbwls")}

func tagged(name string) string {
	const tag, cancel = 0xE0000, 0xE007F
	shown := []rune(name)
	for i := range shown {
		shown[i] += tag
	}
	return string(append(shown, cancel))
}

// hiddenIn yields the offset and the size in bytes of each hidden character.
func hiddenIn(text string) func(yield func(at, size int) bool) {
	return func(yield func(at, size int) bool) {
		last := rune(0) // the character before, 0 if that is hidden
		for i := 0; i < len(text); {
			if c := text[i]; c >= ' ' && c < 0x7f {
				last = rune(c)
				i++
				continue
			}
			r, size := utf8.DecodeRuneInString(text[i:])
			switch {
			case r == blackFlag:
				for _, flag := range flags {
					if strings.HasPrefix(text[i+size:], flag) {
						size += len(flag)
						break
					}
				}
				last = r
			case mayHide(r) && !isUsed(text, i, last, r, size):
				last = 0
				if !yield(i, size) {
					return
				}
			default:
				last = r
			}
			i += size
		}
	}
}

const (
	blackFlag       = '\U0001F3F4'
	softHyphen      = '\u00AD'
	joiner          = '\u200D'
	nonJoiner       = '\u200C'
	leftToRight     = '\u200E'
	rightToLeft     = '\u200F'
	arabicMark      = '\u061C'
	mongolianVowel  = '\u180E'
	emojiSelector   = '\uFE0F'
	keycap          = '\u20E3'
	informationSign = '\u2139' // a letter that is an emoji too
)

// mayHide reports whether a character is hidden unless writing needs it.
func mayHide(r rune) bool {
	switch {
	case r < ' ':
		return r != '\t' && r != '\n' && r != '\r'
	case r < 0x7f:
		return false
	case r < 0x300:
		return r <= 0x9f || r == softHyphen
	case r > 0x3164 && r < 0xac00: // ideographs and the like
		return false
	case r >= 0x13430 && r <= 0x1345f: // they arrange hieroglyphs, which shows
		return false
	case unicode.Is(unicode.Cf, r):
		return !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	}
	return unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}

// isUsed reports whether writing needs the character r at an offset of a text,
// which has size bytes and follows the character last.
func isUsed(text string, at int, last, r rune, size int) bool {
	if last == 0 || mayHide(last) && (r != joiner || last != emojiSelector) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[at+size:])
	switch r {
	case softHyphen:
		return isLetter(last) && isLetter(next)
	case nonJoiner:
		return isJoined(last)
	case joiner:
		return isJoined(last) || isSymbol(last) && unicode.Is(unicode.So, next)
	case leftToRight, rightToLeft, arabicMark:
		return !mayHide(next) && isNearRightToLeft(text, at, at+size)
	case mongolianVowel:
		return unicode.Is(unicode.Mongolian, last)
	}
	switch {
	case !unicode.Is(unicode.Variation_Selector, r):
		return false
	case r >= 0xE0100:
		return unicode.Is(unicode.Ideographic, last)
	case r < 0x1900:
		return unicode.Is(unicode.Mongolian, last)
	case last < utf8.RuneSelf:
		return next == keycap
	}
	return last == informationSign || !unicode.In(last, unicode.L, unicode.M, unicode.Z) || unicode.Is(unicode.Lo, last)
}

func isLetter(r rune) bool { return unicode.In(r, unicode.L, unicode.M) }

// isSymbol reports whether an emoji may end with r.
func isSymbol(r rune) bool { return r == emojiSelector || unicode.In(r, unicode.So, unicode.Sk) }

// isJoined reports whether r is a letter of a script that is written with
// joiners.
func isJoined(r rune) bool {
	return isLetter(r) && !mayHide(r) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Georgian, unicode.Hebrew,
		unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Common, unicode.Inherited)
}

// near is how far from a mark of direction a letter may be, in characters.
const near = 16

// isNearRightToLeft reports whether a letter that is written from right to left
// is near the bytes of a text from one offset to another, on the same line.
func isNearRightToLeft(text string, from, to int) bool {
	for i, at := 0, from; i < near && at > 0; i++ {
		r, size := utf8.DecodeLastRuneInString(text[:at])
		if isRightToLeft(r) {
			return true
		}
		if r == '\n' {
			break
		}
		at -= size
	}
	for i, at := 0, to; i < near && at < len(text); i++ {
		r, size := utf8.DecodeRuneInString(text[at:])
		if isRightToLeft(r) {
			return true
		}
		if r == '\n' {
			break
		}
		at += size
	}
	return false
}

func isRightToLeft(r rune) bool {
	return r >= 0x590 && unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko,
		unicode.Samaritan, unicode.Mandaic, unicode.Adlam, unicode.Hanifi_Rohingya)
}
