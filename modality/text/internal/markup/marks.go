package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// marks are the characters that enclose emphasised text.
type marks struct {
	set     string // such as "*_"
	doubled bool   // whether two of them work within words
	roles   bool   // whether attributes in brackets may stand before one

	opens  func(before rune) bool // whether a mark may open after the character
	closes func(after rune) bool  // whether a mark may close before the character
}

// strip returns s without emphasis marks. Spans may nest.
func (m *marks) strip(s string) string {
	if !strings.ContainsAny(s, m.set) {
		return s
	}
	var b strings.Builder
	unclosed := make(map[string]bool) // marks without a further closing mark
	for i := 0; i < len(s); {
		inner, n := m.span(s, i, unclosed)
		if n == 0 {
			b.WriteByte(s[i])
			i++
			continue
		}
		b.WriteString(m.strip(inner))
		i += n
	}
	return b.String()
}

// span returns the text enclosed by the marks at i, and its length including
// the marks; n is 0 if there is no span.
func (m *marks) span(s string, i int, unclosed map[string]bool) (inner string, n int) {
	start := i
	if m.roles && s[i] == '[' {
		end := strings.IndexByte(s[i:], ']')
		if end < 0 || i+end+1 >= len(s) {
			return "", 0
		}
		i += end + 1
	}
	c := s[i]
	if strings.IndexByte(m.set, c) < 0 {
		return "", 0
	}
	if m.doubled && i+1 < len(s) && s[i+1] == c {
		if end := m.end(s, i+2, s[i:i+2], unclosed); end > 0 {
			return s[i+2 : end], end + 2 - start
		}
	}
	before, _ := utf8.DecodeLastRuneInString(s[:start])
	if start > 0 && !m.opens(before) || i+1 >= len(s) || s[i+1] == ' ' {
		return "", 0
	}
	if end := m.end(s, i+1, s[i:i+1], unclosed); end > 0 {
		return s[i+1 : end], end + 1 - start
	}
	return "", 0
}

// end returns where the mark that opens before from is closed, or 0.
func (m *marks) end(s string, from int, mark string, unclosed map[string]bool) int {
	if unclosed[mark] {
		return 0
	}
	for at := from + 1; at < len(s); at++ {
		i := strings.Index(s[at:], mark)
		if i < 0 {
			break
		}
		at += i
		after, _ := utf8.DecodeRuneInString(s[at+len(mark):])
		if s[at-1] != ' ' && (len(mark) > 1 || at+1 == len(s) || m.closes(after)) {
			return at
		}
	}
	unclosed[mark] = true
	return 0
}

// isWord reports whether r is part of a word.
func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
