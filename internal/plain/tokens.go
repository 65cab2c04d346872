package plain

import (
	"unicode"
	"unicode/utf8"
)

// The weight of a character, in quarters of a token.
const (
	quarter     = 1
	wholeInFour = 4 // a character that is a token of its own
)

// CountTokens returns the estimate for a text: a token for each four characters, and
// one for each character of Chinese, Japanese and Korean, rounded up.
func CountTokens(text string) int {
	n := 0
	for _, r := range text {
		n += weight(r)
	}
	return (n + wholeInFour - 1) / wholeInFour
}

// FitTokens returns the length in bytes of the longest beginning of a text that has
// at most max tokens. It ends between characters.
func FitTokens(text string, max int) int {
	n := 0
	for i, r := range text {
		if n += weight(r); n > max*wholeInFour {
			return i
		}
	}
	return len(text)
}

// FitTokensEnd is like [FitTokens] for the longest end of a text.
func FitTokensEnd(text string, max int) int {
	n := 0
	for at := len(text); at > 0; {
		r, size := utf8.DecodeLastRuneInString(text[:at])
		if n += weight(r); n > max*wholeInFour {
			return len(text) - at
		}
		at -= size
	}
	return len(text)
}

func weight(r rune) int {
	if r >= 0x1100 && isIdeograph(r) {
		return wholeInFour
	}
	return quarter
}

func isIdeograph(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo)
}
