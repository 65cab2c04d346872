package code

import (
	"bytes"
	"strings"
)

// docBytes is how much of a comment is read for a summary.
const docBytes = 4 << 10

// commentText returns the first paragraph of comment, which is one comment in
// brackets or a run of line comments, without its markers. What a tag such as
// "@param" or "\param" begins is left out, and so are lines without a letter
// or digit. Of a long comment only the start is read.
func commentText(comment []byte) string {
	if len(comment) > docBytes {
		comment = comment[:docBytes]
	}
	var b strings.Builder
	for line := range bytes.Lines(comment) {
		text := commentLine(line)
		if tag := tagOf(text); tag != "" {
			if tag != "brief" && tag != "summary" && tag != "short" {
				break
			}
			text = bytes.TrimSpace(text[1+len(tag):])
		}
		switch {
		case len(text) > 0 && hasWord(text):
			b.Write(text)
			b.WriteByte('\n')
		case b.Len() > 0:
			return strings.TrimSpace(b.String())
		}
	}
	return strings.TrimSpace(b.String())
}

// commentLine returns a line of a comment without its markers.
func commentLine(line []byte) []byte {
	line = bytes.TrimSpace(line)
	line = bytes.TrimSuffix(line, []byte("*/"))
	line = bytes.TrimLeft(line, "/*#!<-;")
	return bytes.TrimSpace(bytes.TrimRight(line, "*"))
}

// tagOf returns the name of the tag that text begins with, or "".
func tagOf(text []byte) string {
	if len(text) < 2 || text[0] != '@' && text[0] != '\\' {
		return ""
	}
	end := 1
	for end < len(text) && (isLetter(text[end]) || text[end] == '-') {
		end++
	}
	return string(text[1:end])
}

// hasWord reports whether text has a letter or digit.
func hasWord(text []byte) bool {
	for _, c := range text {
		if isLetter(c) || isDigit(c) {
			return true
		}
	}
	return false
}

// isLetter reports whether c is a letter of ASCII or part of a character
// beyond it.
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isWord reports whether c can be in an identifier.
func isWord(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }
