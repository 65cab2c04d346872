package code

import (
	"bytes"
	"strings"
)

// wordSet returns the words in a list, which white space separates.
func wordSet(list string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// isLetter reports whether c is an ASCII letter or part of a non-ASCII character.
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isWord reports whether c can be in an identifier.
func isWord(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }

// spaceEnd returns the end of the spaces and tabs at i.
func spaceEnd(src []byte, i int) int {
	for i < len(src) && (src[i] == ' ' || src[i] == '\t') {
		i++
	}
	return i
}

// wordEnd returns the end of the identifier at i.
func wordEnd(src []byte, i int) int {
	for i < len(src) && isWord(src[i]) {
		i++
	}
	return i
}

// lineEnd returns the end of the line at i, before its line feed.
func lineEnd(src []byte, i int) int {
	if n := bytes.IndexByte(src[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(src)
}

// after returns the end of the first mark at or after at, or the end of src if
// there is none.
func after(src []byte, at int, mark []byte) int {
	i := bytes.Index(src[min(at, len(src)):], mark)
	if i < 0 {
		return len(src)
	}
	return at + i + len(mark)
}

// runLength returns the length of the run of c that begins at at.
func runLength(src []byte, at int, c byte) int {
	n := 0
	for at+n < len(src) && src[at+n] == c {
		n++
	}
	return n
}

// quotedEnd returns the end of the string at i, whose quote is src[i]: after its
// closing quote, or at the end of its line. A backslash escapes the next
// character.
func quotedEnd(src []byte, i int) int {
	quote := src[i]
	for i++; i < len(src); i++ {
		switch src[i] {
		case quote:
			return i + 1
		case '\\':
			i++
		case '\n':
			return i
		}
	}
	return len(src)
}

// slashCommentEnd returns the end of the comment at i, which begins with "//" or
// "/*". The line feed after a line comment is not part of it.
func slashCommentEnd(src []byte, i int) int {
	end, length := lineFeed, 0
	if src[i+1] == '*' {
		end, length = []byte("*/"), 2
	}
	n := bytes.Index(src[i+2:], end)
	if n < 0 {
		return len(src)
	}
	return i + 2 + n + length
}

// longQuotedEnd is quotedEnd for a string that may span lines.
func longQuotedEnd(src []byte, i int) int {
	quote := src[i]
	for i++; i < len(src); i++ {
		switch src[i] {
		case quote:
			return i + 1
		case '\\':
			i++
		}
	}
	return len(src)
}
