package code

import "bytes"

// Tokens of PHP that are not one character of punctuation. An attribute is
// the token '#', with all that is in it. The token ':' is "::", '>' is "->",
// '?' also a colon and '<' also ">".
const (
	phpEOF   = 0
	phpWord  = 'a' // a name, with its namespace
	phpValue = '0' // a number, string or variable
)

// A phpLexer splits PHP into tokens.
type phpLexer struct {
	src      []byte
	at       int // after the current token
	tok      byte
	prev     byte // the token before
	start    int  // of the current token
	prevEnd  int  // end of the token before
	afterNew bool // the word "new" and words that may follow it are before
	afterUse bool // the word "use" or "const" is before
	comments commentRun
}

func (l *phpLexer) text() []byte { return l.src[l.start:l.at] }

// peek returns the token after the current one, and its text.
func (l *phpLexer) peek() (tok byte, text []byte) {
	saved := *l
	l.next()
	tok, text = l.tok, l.text()
	*l = saved
	return tok, text
}

// html passes over HTML, to after the tag that opens PHP.
func (l *phpLexer) html() {
	for {
		n := bytes.Index(l.src[l.at:], []byte("<?"))
		if n < 0 {
			l.at = len(l.src)
			return
		}
		l.at += n + 2
		rest := l.src[l.at:]
		if len(rest) >= 3 && bytes.EqualFold(rest[:3], []byte("php")) {
			l.at += 3
			return
		}
		if !bytes.HasPrefix(rest, []byte("xml")) {
			return
		}
	}
}

// next goes to the next token.
func (l *phpLexer) next() {
	l.prev, l.prevEnd = l.tok, l.at
	if l.tok == phpWord {
		l.afterNew = l.isNew()
		l.afterUse = string(l.text()) == "use" || string(l.text()) == "const"
	} else if l.tok != '#' {
		l.afterNew, l.afterUse = false, false
	}
	l.skipSpace()
	l.start = l.at
	if l.at >= len(l.src) {
		l.tok = phpEOF
		return
	}
	switch c := l.src[l.at]; {
	case isLetter(c) || c == '_' || c == '\\':
		for l.at++; l.at < len(l.src) && (isWord(l.src[l.at]) || l.src[l.at] == '\\'); {
			l.at++
		}
		l.tok = phpWord
	case c == '$' || isDigit(c):
		l.at = wordEnd(l.src, l.at+1)
		l.tok = phpValue
	case c == '\'':
		l.at, l.tok = phpQuotedEnd(l.src, l.at), phpValue
	case c == '"' || c == '`':
		l.at, l.tok = phpStringEnd(l.src, l.at), phpValue
	case c == '<' && bytes.HasPrefix(l.src[l.at:], []byte("<<<")):
		l.at, l.tok = phpHeredocEnd(l.src, l.at), phpValue
	case c == '#':
		l.at, l.tok = phpAttributeEnd(l.src, l.at), '#'
	case c == '-' && l.at+1 < len(l.src) && l.src[l.at+1] == '>':
		l.at, l.tok = l.at+2, '>'
	case c == ':' && l.at+1 < len(l.src) && l.src[l.at+1] == ':':
		l.at, l.tok = l.at+2, ':'
	case c == ':':
		l.at, l.tok = l.at+1, '?'
	case c == '>':
		l.at, l.tok = l.at+1, '<'
	default:
		l.at, l.tok = l.at+1, c
	}
}

// isNew reports whether a class after the current word has no name.
func (l *phpLexer) isNew() bool {
	switch string(l.text()) {
	case "new":
		return true
	case "readonly", "final":
		return l.afterNew
	}
	return false
}

// skipSpace passes over white space, comments and HTML. A tag that closes PHP
// is a semicolon, which matters nowhere here.
func (l *phpLexer) skipSpace() {
	for l.at < len(l.src) {
		c := l.src[l.at]
		second := byte(0)
		if l.at+1 < len(l.src) {
			second = l.src[l.at+1]
		}
		start := l.at
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			l.at++
			continue
		case c == '?' && second == '>':
			l.at += 2
			l.html()
			continue
		case c == '#' && second != '[', c == '/' && second == '/':
			l.at = phpLineCommentEnd(l.src, l.at)
		case c == '/' && second == '*':
			l.at = slashCommentEnd(l.src, l.at)
		default:
			return
		}
		l.comments.add(l.src, l.prevEnd, start, l.at)
	}
}

// phpLineCommentEnd returns where the comment at i ends: with its line, or
// before a tag that closes PHP.
func phpLineCommentEnd(src []byte, i int) int {
	for i < len(src) {
		n := bytes.IndexAny(src[i:], "\n?")
		if n < 0 {
			return len(src)
		}
		i += n
		if src[i] == '\n' || i+1 < len(src) && src[i+1] == '>' {
			return i
		}
		i++
	}
	return i
}

// phpQuotedEnd returns where the string in single quotes at i ends.
func phpQuotedEnd(src []byte, i int) int {
	for i++; i < len(src); i++ {
		switch src[i] {
		case '\'':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(src)
}

// phpStringEnd returns where the string at i ends, in which variables stand.
func phpStringEnd(src []byte, i int) int {
	quote := src[i]
	for i++; i < len(src); i++ {
		switch src[i] {
		case quote:
			return i + 1
		case '\\':
			i++
		case '{':
			if i+1 < len(src) && src[i+1] == '$' {
				i = phpVariableEnd(src, i) - 1
			}
		}
	}
	return len(src)
}

// phpVariableEnd returns where the expression in braces at i ends, which
// stands in a string. It is short, and does not go over the end of a line.
func phpVariableEnd(src []byte, i int) int {
	const longest = 512
	src = src[:min(len(src), i+longest)]
	start, depth := i, 0
	for ; i < len(src) && src[i] != '\n'; i++ {
		switch src[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '\'', '"':
			i = quotedEnd(src, i) - 1
		}
	}
	return start + 1
}

// phpHeredocEnd returns where the here document at i ends.
func phpHeredocEnd(src []byte, i int) int {
	j := i + 3
	for j < len(src) && (src[j] == ' ' || src[j] == '\t' || src[j] == '"' || src[j] == '\'') {
		j++
	}
	end := wordEnd(src, j)
	if end == j {
		return i + 3
	}
	label := src[j:end]
	for {
		n := bytes.IndexByte(src[end:], '\n')
		if n < 0 {
			return len(src)
		}
		end += n + 1
		for end < len(src) && (src[end] == ' ' || src[end] == '\t') {
			end++
		}
		if after := end + len(label); bytes.HasPrefix(src[end:], label) && (after == len(src) || !isWord(src[after])) {
			return after
		}
	}
}

// phpAttributeEnd returns where the attribute at i ends.
func phpAttributeEnd(src []byte, i int) int {
	depth := 0
	for i++; i < len(src); i++ {
		switch src[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '\'':
			i = phpQuotedEnd(src, i) - 1
		case '"':
			i = phpStringEnd(src, i) - 1
		}
	}
	return len(src)
}
