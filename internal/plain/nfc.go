package plain

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// NFC returns s in Unicode's Normalization Form C, in which text that looks the same
// is the same. Bytes that are not UTF-8 become U+FFFD.
func NFC(s string) string {
	if isASCII(s) {
		return s
	}
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	return norm.NFC.String(s)
}

// BaseRune returns the character that r is when its marks are taken away: r itself if
// it has none, or is a Hangul syllable.
func BaseRune(r rune) rune {
	if r < utf8.RuneSelf {
		return r
	}
	var buf [utf8.UTFMax]byte
	parts := norm.NFD.Properties(buf[:utf8.EncodeRune(buf[:], r)]).Decomposition()
	if len(parts) == 0 {
		return r
	}
	base, _ := utf8.DecodeRune(parts)
	return base
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
