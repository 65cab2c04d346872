package terms

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/plain"
)

// fold returns a term without accents and apostrophes.
func fold(term string) string {
	if isPlain(term) {
		return term
	}
	var b strings.Builder
	for _, r := range term {
		foldRune(&b, r)
	}
	return b.String()
}

func isPlain(term string) bool {
	for i := range len(term) {
		if c := term[i]; c >= utf8.RuneSelf || c == '\'' || c == ',' {
			return false
		}
	}
	return true
}

// foldRune appends r folded. It drops marks only from Latin and Greek letters; in other
// scripts they distinguish letters.
func foldRune(b *strings.Builder, r rune) {
	switch {
	case r == '\'' || r == ',':
	case r < utf8.RuneSelf:
		b.WriteRune(r)
	case spelt[r] != "":
		b.WriteString(spelt[r])
	case unicode.In(r, unicode.Latin, unicode.Greek):
		b.WriteRune(plain.BaseRune(r))
	case r >= 0x0300 && r <= 0x036f: // combining marks that did not compose
	default:
		b.WriteRune(r)
	}
}

// spelt gives replacements for letters that most keyboards lack.
var spelt = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l",
	'ı': "i", 'ħ': "h", 'ŋ': "n", 'ŧ': "t", 'ĸ': "k", 'ſ': "s", 'ς': "σ",
	'ﬀ': "ff", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬃ': "ffi", 'ﬄ': "ffl", 'ﬅ': "st", 'ﬆ': "st",
}
