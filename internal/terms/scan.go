package terms

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// A scanner finds the words of a text.
type scanner struct {
	analyzer *Analyzer
	text     string
	yield    func(Term) bool
	all      bool // function words too
	position int
	ended    bool // yield returned false
}

func (s *scanner) run() {
	for at := 0; at < len(s.text) && !s.ended; {
		switch c := s.text[at]; {
		case c >= utf8.RuneSelf:
			at = s.span(at)
		case isWordByte(c):
			end := asciiWord(s.text, at)
			if end < len(s.text) && s.text[end] >= utf8.RuneSelf {
				at = s.span(at)
				continue
			}
			s.word(at, end)
			at = end
		default:
			at++
		}
	}
}

// asciiWord returns the end of the ASCII word that starts at an offset.
func asciiWord(text string, at int) int {
	for at++; at < len(text); at++ {
		c := text[at]
		if isWordByte(c) {
			continue
		}
		if at+1 == len(text) || !joins(c, text[at-1], text[at+1]) || c == ',' && !isThousands(text, at) {
			return at
		}
	}
	return at
}

// joins reports whether c joins the characters before and after it into one word.
func joins(c, before, after byte) bool {
	switch c {
	case '.', '\'':
		return isLetterByte(before) && isLetterByte(after) || isDigitByte(before) && isDigitByte(after)
	case ',':
		return isDigitByte(before) && isDigitByte(after)
	}
	return false
}

// isThousands reports whether a comma between digits parts thousands: one to three digits
// stand before it, and three after it. Otherwise it parts the cells of a row.
func isThousands(text string, comma int) bool {
	before, after := comma, comma+1
	for before > 0 && isDigitByte(text[before-1]) && comma-before <= 3 {
		before--
	}
	for after < len(text) && isDigitByte(text[after]) && after-comma <= 4 {
		after++
	}
	return comma-before <= 3 && after-comma == 4
}

func isLetterByte(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigitByte(c byte) bool  { return c >= '0' && c <= '9' }
func isWordByte(c byte) bool   { return isLetterByte(c) || isDigitByte(c) || c == '_' }

// maxSpan bounds the bytes passed at once to the word segmenter, which may look back
// and ahead over all of them.
const maxSpan = 4096

// span yields the words of a stretch of text that is not all ASCII, and returns its
// end.
func (s *scanner) span(start int) int {
	at := start
	for at < len(s.text) && at-start < maxSpan {
		c := s.text[at]
		if c < utf8.RuneSelf {
			if !isWordByte(c) && c != '\'' {
				break
			}
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(s.text[at:])
		if isUnspaced(r) {
			s.words(start, at)
			return s.pairs(at)
		}
		at += size
	}
	s.words(start, at)
	return at
}

// words yields the words of a part of the text, by Unicode Annex 29.
func (s *scanner) words(start, end int) {
	tokens := words.FromString(s.text[start:end])
	for !s.ended && tokens.Next() {
		if r, _ := utf8.DecodeRuneInString(tokens.Value()); unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' {
			s.word(start+tokens.Start(), start+tokens.End())
		}
	}
}

// divided returns the range of the second half of a word that ends at an offset with a
// hyphen and a line end; 0 if there is none.
func (s *scanner) divided(end int) (from, to int) {
	const most = 64 // bytes of the gap and the second half
	rest := s.text[end:min(len(s.text), end+most)]
	if !strings.HasPrefix(rest, "-") && !strings.HasPrefix(rest, "\u00ad") && !strings.HasPrefix(rest, "\u2010") {
		return 0, 0
	}
	_, n := utf8.DecodeRuneInString(rest)
	half := strings.TrimLeft(rest[n:], " \t\r\n")
	if !strings.Contains(rest[n:len(rest)-len(half)], "\n") {
		return 0, 0
	}
	letters := strings.IndexFunc(half, func(r rune) bool { return !unicode.IsLetter(r) })
	if letters < 0 {
		letters = len(half)
	}
	if first, _ := utf8.DecodeRuneInString(half); letters == 0 || !unicode.IsLower(first) {
		return 0, 0
	}
	from = end + len(rest) - len(half)
	return from, from + letters
}

// joined yields the terms of a word whose second half is on the next line.
func (s *scanner) joined(start, end int) {
	from, to := s.divided(end)
	if to == 0 {
		return
	}
	for _, f := range s.analyzer.forms(s.text[start:end] + s.text[from:to]) {
		if f.role == Word && !s.ended {
			s.ended = !s.yield(Term{Text: f.text, Start: start, End: to, Position: s.position, Role: Whole})
		}
	}
}

// word yields the terms of one word.
func (s *scanner) word(start, end int) {
	if s.joined(start, end); s.ended {
		return
	}
	forms := s.analyzer.forms(s.text[start:end])
	for _, f := range forms {
		if f.role == Function && !s.all {
			continue
		}
		t := Term{Text: f.text, Start: start + f.start, End: start + f.end, Position: s.position, Role: f.role}
		if f.role != Whole && f.role != Function {
			s.position++
		}
		if !s.yield(t) {
			s.ended = true
			return
		}
	}
}
