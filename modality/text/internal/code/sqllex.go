package code

import (
	"bytes"
)

// A sqlLexer divides SQL of several dialects into words, strings and signs.
type sqlLexer struct {
	src       []byte
	at        int
	escapes   bool     // a backslash in a string escapes the next character
	delimiter []byte   // ends statements instead of the semicolon; or nil
	comment   byteSpan // comments right before the latest token
	lineStart bool     // only white space stands before at on its line
}

// Kinds of tokens of SQL. Other tokens are signs of one byte.
const (
	sqlEnd       byte = iota // end of the source
	sqlWord                  // identifier, quoted or not, or keyword
	sqlLiteral               // string or number
	sqlDelimiter             // end of a statement
	sqlBatch                 // line that ends a batch of statements: GO or a slash
)

// next returns the next token.
func (l *sqlLexer) next() token {
	l.comment = byteSpan{}
	for l.at < len(l.src) {
		c := l.src[l.at]
		first := l.lineStart || l.at == 0
		switch {
		case c == '\n':
			l.lineFeed()
			continue
		case c <= ' ':
			l.at++
			continue
		case first && c == '\\':
			l.at = lineEnd(l.src, l.at)
			continue
		case first && l.setDelimiter():
			continue
		case first && l.isBatch():
			return l.take(sqlBatch, lineEnd(l.src, l.at))
		}
		if end := l.commentEnd(first); end > l.at {
			l.noteComment(end, first)
			continue
		}
		l.lineStart = false
		return l.token(c)
	}
	return token{kind: sqlEnd, start: len(l.src), end: len(l.src)}
}

// lineFeed skips a line end. A blank line ends the run of comments.
func (l *sqlLexer) lineFeed() {
	if end := l.comment.end; end > 0 && bytes.IndexByte(l.src[end:l.at], '\n') >= 0 {
		l.comment = byteSpan{}
	}
	l.at++
	l.lineStart = true
}

func (l *sqlLexer) noteComment(end int, first bool) {
	if first {
		if l.comment.end == 0 {
			l.comment.start = l.at
		}
		l.comment.end = end
	}
	l.at = end
}

func (l *sqlLexer) take(kind byte, end int) token {
	t := token{kind: kind, start: l.at, end: end}
	l.at = end
	l.lineStart = false
	return t
}

func (l *sqlLexer) token(c byte) token {
	switch {
	case l.delimiter != nil && bytes.HasPrefix(l.src[l.at:], l.delimiter):
		return l.take(sqlDelimiter, l.at+len(l.delimiter))
	case c == ';' && l.delimiter == nil:
		return l.take(sqlDelimiter, l.at+1)
	case c == '\\' && l.at+1 < len(l.src) && l.src[l.at+1] == 'g':
		return l.take(sqlDelimiter, lineEnd(l.src, l.at)) // a psql command that sends the statement
	case c == '\'':
		return l.take(sqlLiteral, l.stringEnd(l.at, l.escapes))
	case (c == 'E' || c == 'e') && l.at+1 < len(l.src) && l.src[l.at+1] == '\'':
		return l.take(sqlLiteral, l.stringEnd(l.at+1, true))
	case c == '"' || c == '`':
		return l.take(sqlWord, l.stringEnd(l.at, false))
	case c == '$':
		return l.dollar()
	case c == '[':
		if end := l.bracketEnd(); end > l.at {
			return l.take(sqlWord, end)
		}
	case isDigit(c):
		return l.take(sqlLiteral, l.wordEnd())
	case isWord(c):
		return l.take(sqlWord, l.wordEnd())
	}
	return l.take(c, l.at+1)
}

func (l *sqlLexer) wordEnd() int {
	end := l.at + 1
	for end < len(l.src) && (isWord(l.src[end]) || l.src[end] == '$' || l.src[end] == '#') {
		if l.delimiter != nil && bytes.HasPrefix(l.src[end:], l.delimiter) {
			break
		}
		end++
	}
	return end
}

// bracketEnd returns the end of an identifier in brackets, as in SQL Server. It
// returns at if the brackets are those of an array.
func (l *sqlLexer) bracketEnd() int {
	const longest = 130 // bytes
	rest := l.src[l.at+1 : min(len(l.src), l.at+longest)]
	if l.at > 0 && (isWord(l.src[l.at-1]) || l.src[l.at-1] == ']') || len(rest) == 0 || !isLetter(rest[0]) && rest[0] != '_' {
		return l.at
	}
	i := bytes.IndexAny(rest, "]\n,(")
	if i < 0 || rest[i] != ']' {
		return l.at
	}
	return l.at + i + 2
}

// stringEnd returns the end of the string that begins at a quote. A quote in it is
// doubled.
func (l *sqlLexer) stringEnd(at int, escapes bool) int {
	quote := l.src[at]
	for i := at + 1; i < len(l.src); i++ {
		switch {
		case l.src[i] == '\\' && escapes:
			i++
		case l.src[i] != quote:
		case i+1 < len(l.src) && l.src[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return len(l.src)
}

// dollar reads a string such as $body$...$body$, or a sign.
func (l *sqlLexer) dollar() token {
	end := wordEnd(l.src, l.at+1)
	if end == len(l.src) || l.src[end] != '$' || end > l.at+1 && isDigit(l.src[l.at+1]) {
		return l.take('$', l.at+1)
	}
	tag := l.src[l.at : end+1]
	return l.take(sqlLiteral, after(l.src, end+1, tag))
}

// commentEnd returns the end of the comment that begins here: after "--", between
// "/*" and "*/", which may nest, or after "#" at the start of a line.
func (l *sqlLexer) commentEnd(first bool) int {
	c := l.src[l.at]
	if c == '#' && first {
		return lineEnd(l.src, l.at)
	}
	if l.at+1 == len(l.src) {
		return l.at
	}
	switch next := l.src[l.at+1]; {
	case c == '-' && next == '-':
		return lineEnd(l.src, l.at)
	case c == '/' && next == '*':
		nested := lexer{src: l.src, syntax: &syntax{nested: true}}
		return nested.blockCommentEnd(l.at)
	}
	return l.at
}

// setDelimiter reads the DELIMITER command of MySQL clients.
func (l *sqlLexer) setDelimiter() bool {
	const command = "delimiter"
	line := l.src[l.at:lineEnd(l.src, l.at)]
	if len(line) <= len(command) || !bytes.EqualFold(line[:len(command)], []byte(command)) || line[len(command)] > ' ' {
		return false
	}
	l.delimiter = nil
	if fields := bytes.Fields(line[len(command):]); len(fields) > 0 && string(fields[0]) != ";" {
		l.delimiter = fields[0]
	}
	l.at += len(line)
	return true
}

// isBatch reports whether the line is a command of SQL Server or Oracle clients
// that ends the batch before it.
func (l *sqlLexer) isBatch() bool {
	if c := l.src[l.at]; c != '/' && c|0x20 != 'g' {
		return false
	}
	end := lineEnd(l.src, l.at)
	if end-l.at > len("go")+8 {
		return false
	}
	line := bytes.TrimSpace(l.src[l.at:end])
	return bytes.EqualFold(line, []byte("go")) || string(line) == "/"
}

// copyEnd returns the end of the rows that follow a "copy ... from stdin"
// statement, up to a "\." line.
func (l *sqlLexer) copyEnd() int {
	end := bytes.Index(l.src[l.at:], []byte("\n\\."))
	if end < 0 {
		return l.at
	}
	return l.at + end
}
