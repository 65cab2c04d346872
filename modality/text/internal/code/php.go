package code

import "context"

// mapPHP finds the functions, classes, interfaces, traits, enums and methods of
// PHP, and the namespaces that have braces. It skips the HTML between "?>" and
// "<?php".
func mapPHP(ctx context.Context, src []byte) (outline, error) {
	s := &phpScanner{phpLexer: newPHPLexer(src), modifiers: -1}
	s.found.doc = fileComment(src[s.end:])
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

	// heads are the declarations whose bodies have not begun.
	heads []phpHead
}

// maxBraces is how many braces can be open. Further ones are only counted.
const maxBraces = 1 << 14

// A phpBrace is a brace that is open.
type phpBrace struct {
	symbol int // -1 for none
	class  bool
	depth  int // parentheses open before it
}

// A phpHead is a declaration up to its body.
type phpHead struct {
	symbol int // -1 for a class without a name
	class  bool
	depth  int // parentheses open before it
}

// token handles the current token.
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
		s.closing(s.end)
	case ';':
		s.semicolon()
	}
	s.modifiers = -1
}

// begin records where a declaration may begin.
func (s *phpScanner) begin() {
	if s.modifiers < 0 {
		s.modifiers, s.doc = s.start, s.comments
	}
}

// word handles a word, and reports whether it may precede a declaration.
func (s *phpScanner) word() bool {
	if s.prev == tokenArrow || s.prev == tokenScope {
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

// lowerWord returns the word in lower case, or nil if it is too long for a
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

// head adds a symbol, which ends with its body.
func (s *phpScanner) head(kind, name string, class bool) {
	s.found.symbols = append(s.found.symbols, symbol{kind: kind, name: name, start: s.modifiers, end: s.end, doc: s.doc.text(s.src, s.modifiers)})
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
		if tok, _ := s.peek(); tok != '{' && tok != ':' && tok != phpWord {
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
			s.found.symbols[i].end = s.end
		}
		s.heads = s.heads[:n-1]
	}
}
