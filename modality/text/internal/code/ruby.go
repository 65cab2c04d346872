package code

import (
	"bytes"
	"context"
	"strings"
)

// mapRuby finds the classes, modules and methods of Ruby. It counts the words that
// need an "end"; "if" and similar words count only if they are not modifiers after
// a statement.
func mapRuby(ctx context.Context, src []byte) (outline, error) {
	s := &rubyScanner{rubyLexer: rubyLexer{src: src, tok: '\n'}}
	s.found.doc = scriptComment(src)
	poll := poll{ctx: ctx}
	for s.next(); s.tok != rubyEOF; {
		if poll.stop(s.start, &s.found) {
			return s.found, ctx.Err()
		}
		s.token()
	}
	for len(s.open) > 0 || len(s.endless) > 0 {
		s.end(s.prevEnd)
	}
	return s.found, nil
}

type rubyScanner struct {
	rubyLexer
	found   outline
	open    []int         // symbols that "end" closes; -1 for other constructs
	endless []rubyEndless // methods that a line end closes
	depth   int           // brackets open

	// loop means that a "do" at loopDepth belongs to "while", "until" or "for".
	loop      bool
	loopDepth int

	parameters int // end of the parameters of the last method, if in parentheses

	reread int // bytes read ahead
}

// A rubyEndless is a method with "=" instead of "end".
type rubyEndless struct{ symbol, open, depth int }

// token reads the current token, or the head of the construct it begins.
func (s *rubyScanner) token() {
	switch s.tok {
	case '\n', ';':
		s.statementEnd()
	case '(', '[', '{':
		s.depth++
	case ')', ']', '}':
		s.depth = max(s.depth-1, 0)
		if s.at == s.parameters {
			s.isValue = false // a statement begins
		}
	case rubyWord:
		if !s.isMember {
			s.word()
			return
		}
	}
	s.next()
}

func (s *rubyScanner) statementEnd() {
	if s.tok == '\n' && s.continues() {
		return
	}
	if s.loop && s.depth <= s.loopDepth {
		s.loop = false
	}
	for n := len(s.endless); n > 0; n-- {
		e := s.endless[n-1]
		if e.open < len(s.open) || e.depth < s.depth {
			return
		}
		s.found.symbols[e.symbol].end = s.prevEnd
		s.endless = s.endless[:n-1]
	}
}

// continues reports whether the statement continues after a line end: because of
// an operator before it, or a call on the next line.
func (s *rubyScanner) continues() bool {
	switch s.prev {
	case rubyOperator, '=', ',', '.', '|', '&', '<', '?', ':':
		return true
	case rubyWord:
		before := s.src[:s.prevEnd]
		if bytes.HasSuffix(before, []byte(" or")) || bytes.HasSuffix(before, []byte(" and")) || bytes.HasSuffix(before, []byte(" not")) {
			return true
		}
	}
	i := s.at
	i = spaceEnd(s.src, i)
	return i+1 < len(s.src) && (s.src[i] == '.' && s.src[i+1] != '.' || s.src[i] == '&' && s.src[i+1] == '.')
}

// word reads a keyword with its construct, or another word.
func (s *rubyScanner) word() {
	switch string(s.text()) {
	case "def":
		s.method()
		return
	case "class":
		s.class("class")
		return
	case "module":
		s.class("module")
		return
	case "end":
		s.end(s.at)
	case "begin", "case":
		s.open = append(s.open, -1)
	case "if", "unless":
		if s.beginsValue() {
			s.open = append(s.open, -1)
		}
	case "while", "until", "for":
		if s.beginsValue() {
			s.open = append(s.open, -1)
			s.loop, s.loopDepth = true, s.depth
		}
	case "do":
		if s.loop && s.depth <= s.loopDepth {
			s.loop = false
		} else {
			s.open = append(s.open, -1)
		}
	case "alias", "undef":
		s.next()
		s.isMember = true
		if s.tok == rubyWord {
			s.next()
			s.isMember = true
		}
		return
	}
	s.next()
}

// beginsValue reports whether the current word begins a value, and does not follow
// one.
func (s *rubyScanner) beginsValue() bool { return !s.wasValue }

// end closes the innermost open construct.
func (s *rubyScanner) end(end int) {
	n := len(s.open)
	for m := len(s.endless); m > 0 && s.endless[m-1].open >= n; m-- {
		s.found.symbols[s.endless[m-1].symbol].end = s.prevEnd
		s.endless = s.endless[:m-1]
	}
	if n == 0 {
		return
	}
	if i := s.open[n-1]; i >= 0 {
		s.found.symbols[i].end = end
	}
	s.open = s.open[:n-1]
}

// add adds a symbol and returns its index.
func (s *rubyScanner) add(kind, name, title string, start int, doc string) int {
	s.found.symbols = append(s.found.symbols, symbol{kind: kind, name: name, title: title, start: start, end: s.at, doc: doc})
	return len(s.found.symbols) - 1
}

// class reads the head of a class or module: its name, or the object of a
// singleton class.
func (s *rubyScanner) class(kind string) {
	start, doc := s.start, s.comments.text(s.src, s.start)
	s.next()
	if s.tok == '<' && kind == "class" {
		s.next()
		object, level := s.start, s.depth
		for s.tok != rubyEOF && (s.depth > level || s.tok != '\n' && s.tok != ';') {
			switch s.tok {
			case '(', '[', '{':
				s.depth++
			case ')', ']', '}':
				s.depth = max(s.depth-1, 0)
			}
			s.next()
		}
		name := string(s.src[object:max(s.prevEnd, object)])
		s.open = append(s.open, s.add(kind, name, "<< "+name, start, doc))
		return
	}
	name := s.start
	if s.tok == '.' {
		s.next()
	}
	if s.tok != rubyWord {
		return
	}
	s.path()
	s.open = append(s.open, s.add(kind, strings.Join(strings.Fields(string(s.src[name:s.prevEnd])), ""), "", start, doc))
}

// path skips names joined by "::" or ".".
func (s *rubyScanner) path() {
	for s.tok == rubyWord || s.tok == rubyValue {
		if s.next(); s.tok != '.' {
			return
		}
		s.next()
	}
}

// method reads the head of a method, up to its body.
func (s *rubyScanner) method() {
	start, doc := s.start, s.comments.text(s.src, s.start)
	name, title := s.methodName()
	if name == "" {
		s.next()
		return
	}
	i := s.add("method", name, title, start, doc)
	s.isValue, s.isName, s.tok = true, false, rubyWord
	if s.endsWithLine() {
		s.endless = append(s.endless, rubyEndless{i, len(s.open), s.depth})
		s.next()
		return
	}
	s.open = append(s.open, i)
	s.next()
}

// methodName reads the name of a method after "def", including its receiver, as
// written in the source.
func (s *rubyScanner) methodName() (name, title string) {
	i := s.at
	i = spaceEnd(s.src, i)
	object := i
	if i < len(s.src) && s.src[i] == '(' { // the receiver is an expression
		i = rubyStringEnd(s.src, i, '(', ')', maxInterpolations)
	}
	for i < len(s.src) && (s.src[i] == '@' || s.src[i] == '$') {
		i++
	}
	first := i
	i = rubyNameEnd(s.src, i)
	for i < len(s.src) && i > first && (s.src[i] == '.' || i+1 < len(s.src) && s.src[i] == ':' && s.src[i+1] == ':') {
		for i < len(s.src) && (s.src[i] == '.' || s.src[i] == ':') {
			i++
		}
		first = i
		i = rubyNameEnd(s.src, i)
	}
	s.at = i
	name = string(s.src[first:i])
	if object != first {
		title = string(s.src[object:i])
	}
	return name, title
}

// rubyNameEnd returns the end of the method name at i, which may be an operator.
func rubyNameEnd(src []byte, i int) int {
	begin := i
	i = wordEnd(src, i)
	if i == begin {
		for i < len(src) && i < begin+3 && strings.IndexByte("+-*/<>=!~%&|^[]@`", src[i]) >= 0 {
			i++
		}
		return i
	}
	if i >= len(src) {
		return i
	}
	switch src[i] {
	case '?', '!':
		return i + 1
	case '=':
		if i+1 < len(src) && (src[i+1] == '(' || isWord(src[i+1]) || src[i+1] == ' ' && i+2 < len(src) && src[i+2] == '(') || i+1 < len(src) && src[i+1] == ' ' && src[i-1] != ' ' {
			return i + 1
		}
	}
	return i
}

// endsWithLine looks ahead past the parameters of a method for the "=" of a method
// without "end", and moves there if it finds one.
func (s *rubyScanner) endsWithLine() bool {
	i := s.at
	i = spaceEnd(s.src, i)
	if i < len(s.src) && s.src[i] == '(' {
		if s.reread > len(s.src) {
			return false
		}
		i = rubyStringEnd(s.src, i, '(', ')', 0)
		s.reread += i - s.at
		s.parameters = i
		i = spaceEnd(s.src, i)
	}
	if i+1 >= len(s.src) || s.src[i] != '=' || s.src[i+1] == '=' || s.src[i+1] == '~' || s.src[i+1] == '>' {
		return false
	}
	s.at = i + 1
	s.tok, s.isValue = '=', false
	return true
}
