package code

import (
	"bytes"
	"context"
)

// mapPHP finds the functions, classes, interfaces, traits, enums and methods
// of PHP, and the namespaces that have braces. Between "?>" and "<?php" is
// HTML, which it passes over.
func mapPHP(ctx context.Context, src []byte) (outline, error) {
	s := &phpScanner{phpLexer: phpLexer{src: src}, modifiers: -1}
	s.html()
	s.found.doc = fileComment(src[s.at:])
	poll := poll{ctx: ctx}
	for s.next(); s.tok != phpEOF; s.next() {
		if poll.stop(s.start, &s.found) {
			return s.found, ctx.Err()
		}
		s.token()
	}
	for len(s.open) > 0 {
		s.closing(s.prevEnd)
	}
	return s.found, nil
}

type phpScanner struct {
	phpLexer
	found     outline
	open      []phpBrace
	beyond    int // braces open beyond maxBraces
	depth     int // parentheses and brackets open
	modifiers int // start of the words and attributes before a declaration, or -1
	doc       commentRun

	// heads are the declarations whose body has not begun.
	heads []phpHead
}

// maxBraces is how many braces can be open. Further ones are only counted.
const maxBraces = 1 << 14

// A phpBrace is a brace that is open.
type phpBrace struct {
	symbol int // -1 for none
	class  bool
	depth  int // parentheses open before
}

// A phpHead is a declaration up to its body.
type phpHead struct {
	symbol int // -1 for a class without a name
	class  bool
	depth  int // parentheses open before
}

// token looks at the current token.
func (s *phpScanner) token() {
	switch s.tok {
	case phpWord:
		if s.word() {
			return
		}
	case '#': // an attribute
		s.begin()
		return
	case '(', '[':
		s.depth++
	case ')', ']':
		s.depth--
	case '{':
		s.brace()
	case '}':
		s.closing(s.at)
	case ';':
		s.semicolon()
	}
	s.modifiers = -1
}

// begin keeps where a declaration may begin.
func (s *phpScanner) begin() {
	if s.modifiers < 0 {
		s.modifiers, s.doc = s.start, s.comments
	}
}

// word looks at a word, and reports whether it can be before a declaration.
func (s *phpScanner) word() bool {
	if s.prev == '>' || s.prev == ':' { // of "->" and "::"
		return false
	}
	var buffer [16]byte
	switch keyword := string(lowerWord(buffer[:0], s.text())); keyword {
	case "abstract", "final", "readonly", "public", "private", "protected", "static", "var":
		s.begin()
		return true
	case "class", "interface", "trait", "enum":
		s.class(keyword)
	case "function":
		s.function()
	case "namespace":
		s.namespace()
	}
	return false
}

// lowerWord returns the word in lower case, or nothing if it is too long for a
// keyword.
func lowerWord(buffer, word []byte) []byte {
	if len(word) > cap(buffer) {
		return nil
	}
	for _, c := range word {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		buffer = append(buffer, c)
	}
	return buffer
}

// head adds a symbol, which ends where its body does.
func (s *phpScanner) head(kind, name string, class bool) {
	s.found.symbols = append(s.found.symbols, symbol{kind: kind, name: name, start: s.modifiers, end: s.at, doc: s.doc.text(s.src, s.modifiers)})
	s.heads = append(s.heads, phpHead{len(s.found.symbols) - 1, class, s.depth})
}

func (s *phpScanner) class(kind string) {
	s.begin()
	afterNew := s.afterNew
	tok, text := s.peek()
	if kind == "class" && (afterNew || tok != phpWord) {
		if afterNew {
			s.heads = append(s.heads, phpHead{-1, true, s.depth})
		}
		return
	}
	if tok != phpWord || kind == "enum" && isHeritage(text) {
		return
	}
	s.next()
	name := string(s.text())
	if kind == "enum" {
		if tok, _ := s.peek(); tok != '{' && tok != '?' && tok != phpWord {
			return
		}
	}
	s.head(kind, name, true)
}

func isHeritage(word []byte) bool {
	return string(word) == "extends" || string(word) == "implements"
}

func (s *phpScanner) function() {
	if s.afterUse {
		return
	}
	s.begin()
	if tok, _ := s.peek(); tok == '&' {
		s.next()
	}
	if tok, _ := s.peek(); tok != phpWord {
		return
	}
	s.next()
	kind := "function"
	if n := len(s.open); n > 0 && s.open[n-1].class {
		kind = "method"
	}
	s.head(kind, string(s.text()), false)
}

func (s *phpScanner) namespace() {
	s.begin()
	if tok, _ := s.peek(); tok != phpWord {
		return
	}
	s.next()
	name := string(s.text())
	if tok, _ := s.peek(); tok == '{' {
		s.head("namespace", name, false)
	}
}

// brace opens the body of the latest declaration, or another block.
func (s *phpScanner) brace() {
	b := phpBrace{symbol: -1, depth: s.depth}
	if n := len(s.heads); n > 0 && s.heads[n-1].depth == s.depth {
		b.symbol, b.class = s.heads[n-1].symbol, s.heads[n-1].class
		s.heads = s.heads[:n-1]
	}
	if len(s.open) >= maxBraces {
		s.beyond++
		return
	}
	s.open = append(s.open, b)
}

// closing closes a block.
func (s *phpScanner) closing(end int) {
	n := len(s.open)
	if s.beyond > 0 {
		s.beyond--
		return
	}
	if n == 0 {
		return
	}
	b := s.open[n-1]
	s.open = s.open[:n-1]
	s.depth = b.depth
	if b.symbol >= 0 {
		s.found.symbols[b.symbol].end = end
	}
	for n := len(s.heads); n > 0 && s.heads[n-1].depth > s.depth; n-- {
		s.heads = s.heads[:n-1]
	}
}

// semicolon ends a function that has no body.
func (s *phpScanner) semicolon() {
	if n := len(s.heads); n > 0 && s.heads[n-1].depth >= s.depth {
		if i := s.heads[n-1].symbol; i >= 0 {
			s.found.symbols[i].end = s.at
		}
		s.heads = s.heads[:n-1]
	}
}

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
