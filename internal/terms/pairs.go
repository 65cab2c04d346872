package terms

import (
	"unicode"
	"unicode/utf8"
)

// isUnspaced reports whether r is of a script without spaces between words.
func isUnspaced(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case r <= 0x0eff: // Thai, Lao
		return unicode.IsLetter(r)
	case r >= 0x4e00 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3: // Han, Hangul
		return true
	case r == 0x30fc: // the long vowel mark of Katakana
		return true
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Khmer, unicode.Myanmar) && unicode.IsLetter(r)
}

// maxMarks is how many marks belong to a character; further ones are skipped.
const maxMarks = 4

// A character is a letter with its marks, as a range of bytes.
type character struct{ start, end int }

// pairs yields each pair of neighbours in the run of characters at an offset, then the
// last character alone. It returns the end of the run.
func (s *scanner) pairs(at int) int {
	before, at := s.character(at)
	for !s.ended {
		next, end := s.character(at)
		if next.end == next.start {
			break
		}
		s.pair(before.start, next.end, Word)
		before, at = next, end
	}
	if !s.ended {
		s.pair(before.start, before.end, Last)
	}
	return at
}

// character returns the character at an offset, and the start of the next one. It is
// empty at the end of the run.
func (s *scanner) character(at int) (c character, next int) {
	r, size := utf8.DecodeRuneInString(s.text[at:])
	if size == 0 || !isUnspaced(r) {
		return character{at, at}, at
	}
	c = character{at, at + size}
	next = c.end
	for marks := 0; ; marks++ {
		r, size := utf8.DecodeRuneInString(s.text[next:])
		if size == 0 || !unicode.IsMark(r) {
			return c, next
		}
		next += size
		if marks < maxMarks {
			c.end = next
		}
	}
}

func (s *scanner) pair(start, end int, role Role) {
	s.ended = !s.yield(Term{Text: compose(s.text[start:end]), Start: start, End: end, Position: s.position, Role: role})
	s.position++
}
