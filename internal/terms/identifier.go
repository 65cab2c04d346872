package terms

import (
	"unicode"
	"unicode/utf8"
)

// A part is a part of an identifier, as a range of bytes.
type part struct{ start, end int }

// identifierParts splits a word that is an identifier: at underscores, at full stops
// beside a letter, and at the humps of camel case; and a number at the commas between
// thousands, which may be those between the cells of a row. Any other word is one part.
// Parts are never empty; a word of underscores has none.
func identifierParts(word string) []part {
	var parts []part
	start, humps := 0, 0
	add := func(end int) {
		if end > start {
			parts = append(parts, part{start, end})
		}
	}
	for i := 0; i < len(word); {
		r, size := utf8.DecodeRuneInString(word[i:])
		switch {
		case r == '_' || r == ',' || r == '.' && !isBetweenDigits(word, i):
			add(i)
			start = i + size
		case i > start && unicode.IsUpper(r) && isHump(word, start, i, size):
			add(i)
			start = i
			humps++
		}
		i += size
	}
	add(len(word))
	if humps > 0 && len(parts) == humps+1 && hasShort(parts) {
		return []part{{parts[0].start, parts[len(parts)-1].end}} // such as iPhone and McD
	}
	return parts
}

func isBetweenDigits(word string, i int) bool {
	return i > 0 && i+1 < len(word) && isDigitByte(word[i-1]) && isDigitByte(word[i+1])
}

// isHump reports whether the capital at i begins a part: after a lower-case letter or a
// digit, or before a lower-case letter, so that HTTPServer has two parts. A plural of
// capitals, such as PDFs, is one part.
func isHump(word string, start, i, size int) bool {
	before, _ := utf8.DecodeLastRuneInString(word[start:i])
	if !unicode.IsUpper(before) {
		return unicode.IsLetter(before) || unicode.IsNumber(before)
	}
	rest := word[i+size:]
	after, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsLower(after) && rest != "s"
}

// hasShort reports whether a part is a single ASCII letter.
func hasShort(parts []part) bool {
	for _, p := range parts {
		if p.end-p.start == 1 {
			return true
		}
	}
	return false
}

// isAcronym reports whether all parts are single letters, as in U.S.A.
func isAcronym(parts []part) bool {
	for _, p := range parts {
		if p.end-p.start != 1 {
			return false
		}
	}
	return true
}
