package code

import "bytes"

// Kinds of tokens. Any other punctuation is a token of its own byte, and so
// are brackets; in a header, an opening bracket stands for its whole group.
const (
	tokenEnd      byte = iota // end of the source
	tokenWord                 // identifier or keyword
	tokenLiteral              // number, string or character
	tokenScope                // ::
	tokenArrow                // ->
	tokenFatArrow             // =>
	tokenOperator             // operator of several characters that ends in "=", or && or ||
)

// A token is a piece of source that no white space divides.
type token struct {
	kind       byte
	newline    bool // a line begins between the token before and this one
	start, end int  // bytes, half-open
}

// A byteSpan is a run of bytes, half-open.
type byteSpan struct{ start, end int }

// A syntax is how a language of brackets writes its tokens.
type syntax struct {
	// nested says that comments may stand in comments.
	nested bool

	// wordStart has further bytes that identifiers may have anywhere.
	wordStart string

	// literal returns the end of the string or character that begins at a
	// quote, or at an identifier or sign directly before one; at if there
	// begins none.
	literal func(src []byte, at int) int

	// comment returns the end of the comment that begins at a slash or at
	// "#"; at if none begins there. If it is nil, comments are those of C.
	comment func(src []byte, at int) int

	// prefixes has the bytes other than quotes that a literal may begin with.
	prefixes string

	// directives says that lines may be directives of a preprocessor: all
	// that begin with "#", or only those of conditions.
	directives directiveStyle

	// semicolons says that parentheses may have semicolons in them that are
	// not those of a loop.
	semicolons bool

	// digitQuote says that a quote may divide the digits of a number.
	digitQuote bool
}

type directiveStyle int

const (
	noDirectives directiveStyle = iota
	allDirectives
	onlyConditions
)

// A lexer divides a source into tokens, for the languages that have comments
// as C has, quoted literals and brackets.
//
// What it yields: every byte of the source stands in one token, in white space,
// in a comment, in a directive or in a branch that is passed over. Tokens come
// in the order of the source, do not overlap, and are not empty but for the last
// one, tokenEnd, which comes again and again. Words are what isWord says and
// what the syntax adds; a literal is one token, however long, and what is not
// closed goes on to the end of its line or of the source, as the syntax has it.
// Token.newline tells of a line feed before the token, in a comment or a
// directive, too; what line feeds mean is for the scanner to say.
//
// What it never does: it never fails, whatever the bytes; it does not pair
// brackets, tell keywords from names or look back; it reads no byte before the
// token it is at; and it does not change or copy the source.
//
// Bounds: it takes time in proportion to the source, if literal of the syntax
// takes time in proportion to the literal, and memory for the comments between
// two tokens.
type lexer struct {
	syntax *syntax
	src    []byte
	at     int

	// comments are those before the latest token, in order. They hold until
	// the next one is asked for.
	comments []byteSpan

	// comment is the run of comments before the latest token, each beginning
	// its line, and without a blank line in or after it.
	comment byteSpan

	// skips are the branches of conditions that are passed over, in order;
	// see skippedBranches.
	skips []byteSpan

	// directive, if not nil, is told of each directive, from "#" on.
	directive func(line byteSpan)

	classes  [256]byteClass
	newlines int // line feeds since the latest token
	fresh    bool
}

type byteClass uint8

const (
	classPunctuation byteClass = iota
	classSpace
	classNewline
	classWord
	classDigit
	classSlash
	classHash
	classLiteral // quote
	classPrefix  // may begin a literal, else a word or punctuation
)

func newLexer(syntax *syntax, src []byte) lexer {
	l := lexer{syntax: syntax, src: src, fresh: true}
	for c := range 256 {
		l.classes[c] = syntax.class(byte(c))
	}
	return l
}

func (s *syntax) class(c byte) byteClass {
	switch {
	case bytes.IndexByte([]byte(s.prefixes), c) >= 0:
		return classPrefix
	case c == '\n':
		return classNewline
	case c <= ' ' || c == 0x7f:
		return classSpace
	case isDigit(c):
		return classDigit
	case isWord(c) || bytes.IndexByte([]byte(s.wordStart), c) >= 0:
		return classWord
	case c == '"' || c == '\'':
		return classLiteral
	case c == '/', c == '#' && s.comment != nil:
		return classSlash
	case c == '#' && s.directives != noDirectives:
		return classHash
	}
	return classPunctuation
}

// next returns the next token; at the end of the source one of tokenEnd.
func (l *lexer) next() token {
	l.newlines = 0
	l.comment, l.comments = byteSpan{}, l.comments[:0]
	for l.at < len(l.src) {
		c := l.src[l.at]
		switch l.classes[c] {
		case classSpace:
			l.at++
		case classNewline:
			l.at++
			l.lineFeed()
		case classWord:
			return l.word()
		case classDigit:
			return l.token(tokenLiteral, l.numberEnd())
		case classSlash:
			if !l.skipComment() {
				return l.punctuation(c)
			}
		case classHash:
			if !l.skipDirective() {
				return l.punctuation(c)
			}
		case classLiteral:
			return l.token(tokenLiteral, max(l.syntax.literal(l.src, l.at), l.at+1))
		case classPrefix:
			if end := l.syntax.literal(l.src, l.at); end > l.at {
				return l.token(literalKind(l.src[end-1]), end)
			}
			if isWord(c) {
				return l.word()
			}
			if c == '#' && l.syntax.directives != noDirectives && l.skipDirective() {
				continue
			}
			return l.punctuation(c)
		default:
			return l.punctuation(c)
		}
	}
	return token{kind: tokenEnd, newline: true, start: len(l.src), end: len(l.src)}
}

// literalKind returns the kind of a literal that ends with c: names may be
// written in backquotes or after a prefix.
func literalKind(c byte) byte {
	if c == '`' || isWord(c) {
		return tokenWord
	}
	return tokenLiteral
}

// lineFeed notes the end of a line without a token since. A blank line ends
// the run of comments.
func (l *lexer) lineFeed() {
	l.newlines++
	l.fresh = true
	if l.comment.end > 0 && l.at >= 2 {
		gap := bytes.TrimRight(l.src[l.comment.end:l.at-1], " \t\r")
		if bytes.IndexByte(gap, '\n') >= 0 {
			l.comment = byteSpan{}
		}
	}
}

func (l *lexer) token(kind byte, end int) token {
	t := token{kind: kind, newline: l.newlines > 0 || l.at == 0, start: l.at, end: end}
	l.at = end
	l.fresh = false
	return t
}

func (l *lexer) word() token {
	end := l.at + 1
	for end < len(l.src) {
		if class := l.classes[l.src[end]]; class != classWord && class != classDigit && !isWord(l.src[end]) {
			break
		}
		end++
	}
	return l.token(tokenWord, end)
}

func (l *lexer) numberEnd() int {
	end := l.at + 1
	for ; end < len(l.src); end++ {
		c := l.src[end]
		switch {
		case isWord(c):
		case c == '.' && end+1 < len(l.src) && isDigit(l.src[end+1]):
		case c == '\'' && l.syntax.digitQuote && end+1 < len(l.src) && isWord(l.src[end+1]):
		default:
			return end
		}
	}
	return end
}

func (l *lexer) punctuation(c byte) token {
	var after byte
	if l.at+1 < len(l.src) {
		after = l.src[l.at+1]
	}
	switch {
	case c == ':' && after == ':':
		return l.token(tokenScope, l.at+2)
	case c == '-' && after == '>':
		return l.token(tokenArrow, l.at+2)
	case c == '=' && after == '>':
		return l.token(tokenFatArrow, l.at+2)
	case after == '=' && bytes.IndexByte([]byte("=!<>+-*/%&|^"), c) >= 0,
		c == after && (c == '&' || c == '|'):
		return l.token(tokenOperator, l.at+2)
	}
	return l.token(c, l.at+1)
}

// skipComment passes over a comment, if one begins here.
func (l *lexer) skipComment() bool {
	end := l.commentEnd(l.at)
	if end == l.at {
		return false
	}
	l.comments = append(l.comments, byteSpan{l.at, end})
	if l.fresh {
		if l.comment.end == 0 {
			l.comment.start = l.at
		}
		l.comment.end = end
	}
	if bytes.IndexByte(l.src[l.at:end], '\n') >= 0 {
		l.newlines++
	}
	l.at = end
	return true
}

// commentEnd returns the end of the comment that begins at a slash, without
// the line feed that ends a comment of a line; at if none begins there.
func (l *lexer) commentEnd(at int) int {
	if l.syntax.comment != nil {
		return l.syntax.comment(l.src, at)
	}
	if at+1 >= len(l.src) {
		return at
	}
	switch l.src[at+1] {
	case '/':
		return l.lineEnd(at)
	case '*':
		return l.blockCommentEnd(at)
	}
	return at
}

// lineEnd returns the end of the line, which goes on after a backslash where
// there is a preprocessor.
func (l *lexer) lineEnd(at int) int {
	for {
		i := bytes.IndexByte(l.src[at:], '\n')
		if i < 0 {
			return len(l.src)
		}
		end := at + i
		if l.syntax.directives != allDirectives || end == 0 || l.src[end-1] != '\\' {
			return end
		}
		at = end + 1
	}
}

func (l *lexer) blockCommentEnd(at int) int {
	at += 2
	if !l.syntax.nested {
		i := bytes.Index(l.src[at:], []byte("*/"))
		if i < 0 {
			return len(l.src)
		}
		return at + i + 2
	}
	for depth := 1; at+1 < len(l.src); at++ {
		switch {
		case l.src[at] == '*' && l.src[at+1] == '/':
			at++
			if depth--; depth == 0 {
				return at + 1
			}
		case l.src[at] == '/' && l.src[at+1] == '*':
			at++
			depth++
		}
	}
	return len(l.src)
}

// skipDirective passes over a directive of the preprocessor, if one begins
// here, and over the branch after it, if that is not to be read.
func (l *lexer) skipDirective() bool {
	if !l.fresh && l.at > 0 {
		return false
	}
	start := l.at
	if l.syntax.directives == onlyConditions && conditionOf(l.src[start:]) == "" {
		return false
	}
	l.at = l.directiveEnd(start)
	l.newlines++
	if l.directive != nil {
		l.directive(byteSpan{start, l.at})
	}
	l.comment = byteSpan{}
	for len(l.skips) > 0 && l.skips[0].start < start {
		l.skips = l.skips[1:]
	}
	if len(l.skips) > 0 && l.skips[0].start == start {
		l.at = max(l.at, l.skips[0].end)
		l.fresh = true
	}
	return true
}

// directiveEnd returns the end of a directive: that of its line, which goes
// on after a backslash and in a comment of several lines.
func (l *lexer) directiveEnd(at int) int {
	for at < len(l.src) {
		switch l.src[at] {
		case '\n':
			if l.src[at-1] != '\\' {
				return at
			}
		case '/':
			if end := l.commentEnd(at); end > at {
				at = end
				continue
			}
		case '"':
			if l.syntax.directives == allDirectives {
				at = lineStringEnd(l.src, at)
				continue
			}
		}
		at++
	}
	return len(l.src)
}

// conditionOf returns the name of the directive that begins with "#", if it
// is one of conditions: "if", "else" for every further branch, or "endif".
func conditionOf(line []byte) string {
	line = bytes.TrimLeft(line[1:min(len(line), 64)], " \t")
	end := 0
	for end < len(line) && isWord(line[end]) {
		end++
	}
	switch string(line[:end]) {
	case "if", "ifdef", "ifndef":
		return "if"
	case "else", "elif", "elseif", "elifdef", "elifndef":
		return "else"
	case "endif":
		return "endif"
	}
	return ""
}
