package markup

import (
	"bytes"
	"context"
	"iter"
	"slices"
)

// linesOf yields the lines of src, without their line ends, numbered from 1.
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

// eachLine calls read for the lines of src without trailing space, numbered from 1,
// until ctx is done.
func eachLine(ctx context.Context, src []byte, read func(number int, line []byte)) error {
	for number, line := range linesOf(src) {
		if number%4096 == 0 && ctx.Err() != nil {
			break
		}
		read(number, bytes.TrimRight(line, " \t\r"))
	}
	return ctx.Err()
}

func isBlank(line []byte) bool { return len(bytes.TrimLeft(line, " \t\r\v\f")) == 0 }

func isIndented(line []byte) bool { return len(line) > 0 && (line[0] == ' ' || line[0] == '\t') }

// isRun reports whether s repeats one byte at least n times.
func isRun(s []byte, n int) bool {
	if len(s) < n || len(s) == 0 {
		return false
	}
	return !slices.ContainsFunc(s, func(c byte) bool { return c != s[0] })
}

func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && !isAlnum(c)
}

func isAlnum(c byte) bool { return isLetter(c) || isDigit(c) }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// runLength returns the length of the run of s[0] at the start of s.
func runLength(s []byte) int {
	n := 0
	for n < len(s) && s[n] == s[0] {
		n++
	}
	return n
}

// skipSpaceAndLine skips space and at most one line end.
func skipSpaceAndLine(text []byte) []byte {
	text = bytes.TrimLeft(text, " \t")
	if len(text) > 0 && text[0] == '\n' {
		text = bytes.TrimLeft(text[1:], " \t")
	}
	return text
}
