package markup

import (
	"bytes"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// linesOf yields the lines of src, without their ends, and their numbers from
// 1.
func linesOf(src []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for number := 1; len(src) > 0; number++ {
			line, rest, _ := bytes.Cut(src, []byte("\n"))
			if !yield(number, line) {
				return
			}
			src = rest
		}
	}
}

// oneLine returns a title as it can be shown: with every run of white space
// made one space, without characters that do not show, and of at most maxTitle
// bytes.
func oneLine(title string) string {
	title = shown(collapse(cutBytes(title, 4*maxTitle)))
	if len(title) <= maxTitle {
		return title
	}
	title = cutBytes(title, maxTitle)
	if i := strings.LastIndexByte(title, ' '); i > 0 {
		title = title[:i]
	}
	return title
}

// collapse makes every run of white space one space, and removes it at the
// ends.
func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }

// shown returns s without control and formatting characters, save those that
// join letters and emoji.
func shown(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\u200c' || r == '\u200d' || !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(s, ""))
}

// cutBytes returns the longest start of s that has at most max bytes and ends
// with a whole character.
func cutBytes(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max]
}

func isBlank(line []byte) bool { return len(bytes.TrimLeft(line, " \t\r\v\f")) == 0 }

func isIndented(line []byte) bool { return len(line) > 0 && (line[0] == ' ' || line[0] == '\t') }

// isRun reports whether s is one byte, at least n times.
func isRun(s []byte, n int) bool {
	if len(s) < n || len(s) == 0 {
		return false
	}
	for _, c := range s {
		if c != s[0] {
			return false
		}
	}
	return true
}

func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && !isAlnum(c)
}

func isAlnum(c byte) bool { return isLetter(c) || isDigit(c) }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
