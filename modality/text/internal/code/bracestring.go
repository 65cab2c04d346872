package code

import "bytes"

// maxInterpolation is how deeply strings nested in strings are followed.
const maxInterpolation = 32

// textBlockEnd returns the end of a string in three quotes with backslash escapes.
func textBlockEnd(src []byte, at int) int {
	for i := at + 3; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			if bytes.HasPrefix(src[i:], tripleQuote) {
				return i + 3
			}
		}
	}
	return len(src)
}

var tripleQuote = []byte(`"""`)

// javaLiteral is [syntax.literal] for Java.
func javaLiteral(src []byte, at int) int {
	if bytes.HasPrefix(src[at:], tripleQuote) {
		return textBlockEnd(src, at)
	}
	return quotedEnd(src, at)
}

// cLiteral is [syntax.literal] for C and C++, with raw strings such as
// R"x(...)x".
func cLiteral(src []byte, at int) int {
	i := at
	for i < len(src) && i-at < 3 && (src[i] == 'u' || src[i] == 'U' || src[i] == 'L' || src[i] == '8' || src[i] == 'R') {
		i++
	}
	if i >= len(src) || src[i] != '"' && src[i] != '\'' {
		return at
	}
	if i == at || src[i-1] != 'R' || src[i] != '"' {
		return quotedEnd(src, i)
	}
	const maxDelimiter = 16
	open := bytes.IndexByte(src[i:min(len(src), i+maxDelimiter+2)], '(')
	if open < 0 {
		return quotedEnd(src, i)
	}
	mark := append([]byte{')'}, src[i+1:i+open]...)
	return after(src, i+open, append(mark, '"'))
}

// rustLiteral is [syntax.literal] for Rust: strings, which may span lines, raw
// strings such as r#"..."#, characters, and raw names such as r#type. Lifetimes
// are not literals.
func rustLiteral(src []byte, at int) int {
	i := at
	for i < len(src) && i-at < 2 && (src[i] == 'b' || src[i] == 'c' || src[i] == 'r') {
		i++
	}
	raw := i > at && src[i-1] == 'r'
	hashes := 0
	if raw {
		hashes = runLength(src, i, '#')
	}
	if i+hashes >= len(src) {
		return at
	}
	switch {
	case src[i+hashes] == '"' && raw:
		mark := append([]byte{'"'}, bytes.Repeat([]byte("#"), hashes)...)
		return after(src, i+hashes+1, mark)
	case hashes == 1 && i == at+1 && isLetter(src[i+1]):
		for i++; i < len(src) && isWord(src[i]); i++ {
		}
		return i
	case src[i] == '"':
		return longQuotedEnd(src, i)
	case src[i] == '\'' && (i == at || i == at+1 && src[at] == 'b'):
		return rustCharacterEnd(src, at, i)
	}
	return at
}

// rustCharacterEnd returns the end of the character literal whose quote is at
// quote. If the quote begins a lifetime, it returns the end of the quote.
func rustCharacterEnd(src []byte, at, quote int) int {
	if quote+2 >= len(src) {
		return quote + 1
	}
	if src[quote+1] == '\\' {
		return quotedEnd(src, quote)
	}
	const longest = 4 // bytes of a character
	end := bytes.IndexByte(src[quote+1:min(len(src), quote+2+longest)], '\'')
	switch {
	case end == 1, end > 1 && src[quote+1] >= 0x80, end == 0 && src[quote+2] == '\'':
		return quote + end + 2
	case quote > at:
		return at
	}
	return quote + 1
}

// csharpLiteral is [syntax.literal] for C#: "", @"", $"", $@"" and raw strings
// with three or more quotes.
func csharpLiteral(src []byte, at int) int { return csharpString(src, at, 0) }

func csharpString(src []byte, at, depth int) int {
	i, verbatim, dollars := at, false, 0
	for i < len(src) && i-at < 8 && (src[i] == '$' || src[i] == '@') {
		verbatim = verbatim || src[i] == '@'
		if src[i] == '$' {
			dollars++
		}
		i++
	}
	switch {
	case i >= len(src), src[i] != '"' && (src[i] != '\'' || i > at):
		return at
	case src[i] == '\'':
		return quotedEnd(src, i)
	}
	if quotes := runLength(src, i, '"'); quotes >= 3 && !verbatim {
		end := after(src, i+quotes, bytes.Repeat([]byte{'"'}, quotes))
		return end + runLength(src, end, '"')
	}
	s := interpolated{src: src, verbatim: verbatim, depth: depth}
	if dollars > 0 {
		s.open, s.nest = "{", csharpString
	}
	return s.end(i)
}

// kotlinLiteral is [syntax.literal] for Kotlin.
func kotlinLiteral(src []byte, at int) int { return kotlinString(src, at, 0) }

func kotlinString(src []byte, at, depth int) int {
	switch src[at] {
	case '\'', '`':
		return quotedEnd(src, at)
	case '"':
		s := interpolated{src: src, open: "${", nest: kotlinString, depth: depth}
		return s.end(at)
	}
	return at
}

// swiftLiteral is [syntax.literal] for Swift, with raw strings such as #"..."#.
func swiftLiteral(src []byte, at int) int { return swiftString(src, at, 0) }

func swiftString(src []byte, at, depth int) int {
	if src[at] == '`' {
		return quotedEnd(src, at)
	}
	const maxHashes = 32
	hashes := runLength(src[:min(len(src), at+maxHashes)], at, '#')
	quote := at + hashes
	if quote >= len(src) || src[quote] != '"' {
		return at
	}
	s := interpolated{src: src, open: `\` + string(src[at:quote]) + "(", nest: swiftString, hashes: hashes, depth: depth}
	return s.end(quote)
}

// An interpolated is a string that may contain expressions, which may contain
// strings.
type interpolated struct {
	src      []byte
	open     string // begins an expression and ends with its bracket; "" means no expressions
	nest     func(src []byte, at, depth int) int
	verbatim bool // doubled quotes are the only escapes
	hashes   int  // hashes that follow the closing quote and every backslash
	depth    int  // number of enclosing strings
}

// end returns the end of the string whose first quote is at at.
func (s *interpolated) end(at int) int {
	many := bytes.HasPrefix(s.src[at:], tripleQuote) && !s.verbatim
	if many {
		at += 2
	}
	for i := at + 1; i < len(s.src); {
		c := s.src[i]
		switch {
		case s.open == "{" && c == '{':
			n := runLength(s.src, i, '{')
			i += n
			if n%2 == 1 {
				i = s.expressionEnd(i, s.verbatim)
			}
		case s.open != "" && c == s.open[0] && bytes.HasPrefix(s.src[i:], []byte(s.open)):
			i = s.expressionEnd(i+len(s.open), many)
		case c == '\\' && !s.verbatim && s.hashes == 0 && !(many && s.open == "${"):
			i += 2
		case c == '"':
			if end := s.closing(i, many); end > 0 {
				return end
			}
			i++
			if s.verbatim {
				i++
			}
		case c == '\n' && !many && !s.verbatim:
			return i
		default:
			i++
		}
	}
	return len(s.src)
}

// closing returns the end of the string if the quote at i closes it, else 0.
func (s *interpolated) closing(i int, many bool) int {
	end := i + 1
	switch {
	case s.verbatim:
		if end < len(s.src) && s.src[end] == '"' {
			return 0
		}
	case many:
		n := runLength(s.src, i, '"')
		if n < 3 {
			return 0
		}
		end = i + n
	}
	if runLength(s.src[:min(len(s.src), end+s.hashes)], end, '#') < s.hashes {
		return 0
	}
	return end + s.hashes
}

// expressionEnd returns where the string continues after an expression in it. The
// expression may span lines only if the string may.
func (s *interpolated) expressionEnd(at int, many bool) int {
	depth := 1
	for i := at; i < len(s.src); {
		switch s.src[i] {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '\n':
			if !many {
				return i
			}
		case '"', '\'', '#', '$', '@':
			if end := s.nested(i); end > i {
				i = end
				continue
			}
		}
		i++
	}
	return len(s.src)
}

// nested returns the end of the string that begins at i in an expression, or i if
// none begins there.
func (s *interpolated) nested(i int) int {
	if s.depth >= maxInterpolation {
		return i
	}
	return s.nest(s.src, i, s.depth+1)
}
