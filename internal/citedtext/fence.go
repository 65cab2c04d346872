package citedtext

import "strings"

// fences finds the lines of Markdown that are in fenced blocks of code. Blocks
// may be in quotations and lists.
type fences struct {
	open   byte // '`' or '~'; 0 outside
	length int
	quotes int // depth of the quotation around the block
}

const minFence = 3 // signs that make a fence

// next reads a line and reports whether it is in a block or is a fence.
func (f *fences) next(line string) bool {
	rest, quotes := cutQuotes(line)
	if f.open != 0 && quotes < f.quotes { // the quotation ended, and the block with it
		f.open = 0
	}
	if f.open == 0 {
		rest = cutListMarks(rest)
	}
	sign, length := fenceOf(rest)
	switch {
	case f.open == 0:
		if length < minFence || sign == '`' && strings.Contains(rest[length:], "`") {
			return false
		}
		f.open, f.length, f.quotes = sign, length, quotes
	case sign == f.open && length >= f.length && strings.TrimSpace(rest[length:]) == "":
		f.open = 0
	}
	return true
}

// cutQuotes returns the line without its leading quotation marks (">"), and
// their number.
func cutQuotes(line string) (rest string, depth int) {
	for {
		line = strings.TrimLeft(line, " \t")
		inner, ok := strings.CutPrefix(line, ">")
		if !ok {
			return line, depth
		}
		line, depth = inner, depth+1
	}
}

// cutListMarks returns the line without its leading list markers.
func cutListMarks(line string) string {
	for {
		digits := strings.TrimLeft(line, "0123456789")
		var rest string
		switch {
		case len(digits) < len(line) && digits != "" && (digits[0] == '.' || digits[0] == ')'):
			rest = digits[1:]
		case len(digits) == len(line) && line != "" && strings.IndexByte("-+*", line[0]) >= 0:
			rest = line[1:]
		default:
			return line
		}
		cut := strings.TrimLeft(rest, " \t")
		if len(cut) == len(rest) {
			return line
		}
		line = cut
	}
}

// fenceOf returns the character that a line begins with, and how often it is
// repeated, if it may form a fence.
func fenceOf(line string) (sign byte, length int) {
	if line == "" || line[0] != '`' && line[0] != '~' {
		return 0, 0
	}
	sign = line[0]
	return sign, len(line) - len(strings.TrimLeft(line, string(sign)))
}
