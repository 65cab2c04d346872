package code

import "bytes"

// Kinds of tokens. Any other punctuation, including brackets, is a token of its
// own byte. In a header, an opening bracket stands for its whole group.
const (
	tokenEnd      byte = iota // end of the source
	tokenWord                 // identifier or keyword
	tokenLiteral              // number, string or character
	tokenScope                // ::
	tokenArrow                // ->
	tokenFatArrow             // =>
	tokenOperator             // operator of several characters: && or ||, or one that ends in "="
)

// A token is a lexical unit of the source.
type token struct {
	kind       byte
	newline    bool // a line begins between the previous token and this one
	start, end int  // bytes, half-open
}

// A byteSpan is a run of bytes, half-open.
type byteSpan struct{ start, end int }

// A syntax describes how a language with brackets writes its tokens.
type syntax struct {
	// nested means that comments may contain comments.
	nested bool

	// wordStart has further bytes that may stand anywhere in identifiers.
	wordStart string

	// literal returns the end of the string or character literal that begins at a
	// quote, or at an identifier or sign directly before a quote. It returns at if
	// no literal begins there.
	literal func(src []byte, at int) int

	// comment returns the end of the comment that begins at a slash or at "#", or
	// at if none begins there. Nil means comments as in C.
	comment func(src []byte, at int) int

	// prefixes has the bytes other than quotes that a literal may begin with.
	prefixes string

	// directives tells which lines are preprocessor directives: all that begin
	// with "#", or only those of conditions.
	directives directiveStyle

	// semicolons means that parentheses may contain semicolons outside of loops.
	semicolons bool

	// digitQuote means that a quote may separate the digits of a number.
	digitQuote bool
}

type directiveStyle int

const (
	noDirectives directiveStyle = iota
	allDirectives
	onlyConditions
)

// A lexer divides a source into tokens. It serves languages with C-style comments,
// quoted literals and brackets.
//
// Guarantees: every byte of the source is in a token, white space, a comment, a
// directive or a skipped branch. Tokens come in source order, do not overlap and
// are not empty, except tokenEnd, which is last and repeats. Words consist of the
// bytes accepted by isWord and those the syntax adds. A literal is one token,
// however long. An unclosed literal runs to the end of its line or of the source,
// depending on the syntax. Token.newline reports a line feed before the token,
// even one inside a comment or directive; the scanner decides what line feeds
// mean.
//
// The lexer never fails, whatever the bytes. It does not pair brackets,
// distinguish keywords from names or look back. It reads no byte before the
// current token, and neither changes nor copies the source.
//
// It takes time proportional to the source, provided that syntax.literal takes
// time proportional to the literal, and memory for the comments between two
// tokens.
type lexer struct {
	syntax *syntax
	src    []byte
	at     int

	// comments are those before the latest token, in order. They are valid until
	// the next call of next.
	comments []byteSpan

	// comment is the run of comments before the latest token. Each begins its own
	// line, and no blank line is in or after the run.
	comment byteSpan

	// skips are the skipped branches of conditions, in order; see skippedBranches.
	skips []byteSpan

	// directive, if not nil, is called with each directive, starting at "#".
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
	classPrefix  // may begin a literal; else a word or punctuation
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

// next returns the next token, or tokenEnd at the end of the source.
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

// literalKind returns the kind of a literal that ends with c. Names may be written
// in backquotes or after a prefix.
func literalKind(c byte) byte {
	if c == '`' || isWord(c) {
		return tokenWord
	}
	return tokenLiteral
}

// lineFeed records the end of a line. A blank line ends the run of comments.
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

// skipComment skips a comment if one begins here, and reports whether it did.
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

// commentEnd returns the end of the comment that begins at a slash, without the
// line feed that ends a line comment. It returns at if none begins there.
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

// lineEnd returns the end of the line. With a preprocessor, a line continues after
// a backslash.
func (l *lexer) lineEnd(at int) int {
	for {
		end := lineEnd(l.src, at)
		if l.syntax.directives != allDirectives || end == 0 || end == len(l.src) || l.src[end-1] != '\\' {
			return end
		}
		at = end + 1
	}
}

func (l *lexer) blockCommentEnd(at int) int {
	if !l.syntax.nested {
		return slashCommentEnd(l.src, at)
	}
	at += 2
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

// skipDirective skips a preprocessor directive if one begins here, and the branch
// after it if that is not to be read.
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

// directiveEnd returns the end of a directive: the end of its line, which
// continues after a backslash and inside a comment of several lines.
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
				at = quotedEnd(l.src, at)
				continue
			}
		}
		at++
	}
	return len(l.src)
}

// conditionOf returns the kind of a conditional directive that begins with "#":
// "if", "else" for every further branch, or "endif". It returns "" for others.
func conditionOf(line []byte) string {
	line = bytes.TrimLeft(line[1:min(len(line), 64)], " \t")
	switch string(line[:wordEnd(line, 0)]) {
	case "if", "ifdef", "ifndef":
		return "if"
	case "else", "elif", "elseif", "elifdef", "elifndef":
		return "else"
	case "endif":
		return "endif"
	}
	return ""
}
