package markup

import "bytes"

// maxLabel is the maximum length of a link label (CommonMark 4.7).
const maxLabel = 999

// cutReference cuts a link definition off text, which has whole lines
// (CommonMark 4.7).
func cutReference(text []byte) (label, destination string, rest []byte, ok bool) {
	n := labelLength(text)
	if n == 0 || n >= len(text) || text[n] != ':' {
		return "", "", nil, false
	}
	label = string(text[1 : n-1])
	rest = skipSpaceAndLine(text[n+1:])
	size := destinationLength(rest)
	if size == 0 {
		return "", "", nil, false
	}
	destination, rest = string(rest[:size]), rest[size:]
	if after, ok := cutTitle(rest); ok {
		return label, destination, after, true
	}
	rest = bytes.TrimLeft(rest, " \t")
	if len(rest) > 0 && rest[0] != '\n' {
		return "", "", nil, false
	}
	return label, destination, bytes.TrimPrefix(rest, []byte("\n")), true
}

// labelLength returns the length of a label in brackets, or 0.
func labelLength(text []byte) int {
	if len(text) == 0 || text[0] != '[' {
		return 0
	}
	visible := false
	for i := 1; i < len(text) && i <= maxLabel+1; i++ {
		switch text[i] {
		case '\\':
			i++
			visible = true
		case '[':
			return 0
		case ']':
			if !visible {
				return 0
			}
			return i + 1
		case ' ', '\t', '\n':
		default:
			visible = true
		}
	}
	return 0
}

// skipSpaceAndLine skips space and at most one line end.
func skipSpaceAndLine(text []byte) []byte {
	text = bytes.TrimLeft(text, " \t")
	if len(text) > 0 && text[0] == '\n' {
		text = bytes.TrimLeft(text[1:], " \t")
	}
	return text
}

// destinationLength returns the length of a link destination, or 0.
func destinationLength(text []byte) int {
	if len(text) > 0 && text[0] == '<' {
		return bracketedLength(text)
	}
	n, depth := plainDestination(text)
	if depth != 0 {
		return 0
	}
	return n
}

// maxParentheses is how deeply the parentheses of a destination may nest.
const maxParentheses = 32

// plainDestination returns the length of a destination without brackets at the
// start of text, and the number of open parentheses: -1 after one closing too
// many, and more than maxParentheses after too many opening ones.
func plainDestination(text []byte) (n, depth int) {
	for ; n < len(text) && text[n] > ' ' && text[n] != 0x7f; n++ {
		switch text[n] {
		case '\\':
			if n+1 < len(text) && isPunct(text[n+1]) {
				n++
			}
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 || depth > maxParentheses {
			break
		}
	}
	return n, depth
}

func bracketedLength(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\n', '<':
			return 0
		case '>':
			return i + 1
		}
	}
	return 0
}

// cutTitle cuts off a link title and the line it ends on.
func cutTitle(text []byte) (rest []byte, ok bool) {
	s := skipSpaceAndLine(text)
	if len(s) == len(text) || len(s) == 0 {
		return nil, false
	}
	open, end := s[0], s[0]
	switch open {
	case '(':
		end = ')'
	case '"', '\'':
	default:
		return nil, false
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case end:
			rest = bytes.TrimLeft(s[i+1:], " \t")
			if len(rest) > 0 && rest[0] != '\n' {
				return nil, false
			}
			return bytes.TrimPrefix(rest, []byte("\n")), true
		case open:
			return nil, false
		}
	}
	return nil, false
}
