package code

import (
	"bytes"
	"context"
)

// mapGo finds the functions, methods and types of Go, including types declared in
// functions, and the methods of interfaces.
//
// It follows the tokens of the language specification, including the implied
// semicolons. At file level, a function ends with the brace that closes its body,
// and a type with the semicolon after it.
func mapGo(ctx context.Context, src []byte) (outline, error) {
	s := &goScanner{goLexer: newGoLexer(src)}
	poll := poll{ctx: ctx}
	s.first = true
	for s.next(); s.tok != goEOF; {
		if poll.stop(s.start, &s.found) {
			return s.found, ctx.Err()
		}
		s.statement()
	}
	return s.found, nil
}

type goScanner struct {
	goLexer
	found outline
	first bool // the current token begins a statement
}

// statement reads one declaration, or one token of anything else.
func (s *goScanner) statement() {
	if s.first && s.tok == goWord {
		switch word := string(s.text()); {
		case word == "type":
			s.types()
			return
		case word == "func" && s.depth == 0:
			s.function()
			return
		case word == "package" && s.depth == 0:
			s.found.doc = s.comments.text(s.src, s.start)
		}
	}
	s.first = s.beginsStatement()
	s.next()
}

// function reads a function or method from the word "func".
func (s *goScanner) function() {
	f := symbol{kind: "function", start: s.start, doc: s.comments.text(s.src, s.start)}
	level := s.depth
	s.next()
	if s.tok == '(' {
		receiver := s.receiver(level)
		if s.tok != goWord {
			return // a call of a function literal, or half a declaration
		}
		f.name = string(s.text())
		f.kind, f.title, f.name = "method", receiver.title+"."+f.name, receiver.name+"-"+f.name
	} else if s.tok == goWord {
		f.name = string(s.text())
	} else {
		return
	}
	for !s.ends(level) && !(s.tok == '{' && s.depth == level+1) {
		s.skipTypeBraces()
		s.next()
	}
	if s.tok == '{' {
		s.body(level)
	}
	f.end = s.prevEnd
	s.found.symbols = append(s.found.symbols, f)
}

// goReceiver is the type of a receiver: its bare name, and its form in a method
// expression.
type goReceiver struct{ name, title string }

// receiver reads the receiver of a method, from "(" to the token after it.
func (s *goScanner) receiver(level int) goReceiver {
	var r goReceiver
	pointer, inBrackets := false, 0
	for s.next(); s.tok != goEOF && s.depth > level; s.next() {
		switch s.tok {
		case '[':
			inBrackets++
		case ']':
			inBrackets--
		case '*':
			pointer = true
		case goWord:
			if inBrackets == 0 {
				r.name = string(s.text())
			}
		}
	}
	s.next()
	r.title = r.name
	if pointer {
		r.title = "(*" + r.name + ")"
	}
	return r
}

// skipTypeBraces goes to the closing brace of the struct or interface type that
// begins with the current token and the next.
func (s *goScanner) skipTypeBraces() {
	if s.tok != goWord {
		return
	}
	if word := string(s.text()); word != "struct" && word != "interface" {
		return
	}
	level := s.depth
	if s.next(); s.tok != '{' {
		return
	}
	for s.tok != goEOF && s.depth > level {
		s.next()
	}
}

// body reads the body of a function, from "{" to the token after "}", and records
// the types declared in it.
func (s *goScanner) body(level int) {
	first := true // of a statement
	for s.next(); s.tok != goEOF && s.depth > level; {
		if first && s.tok == goWord && string(s.text()) == "type" {
			s.types()
			continue
		}
		first = s.beginsStatement()
		s.next()
	}
	s.next()
}

// beginsStatement reports whether a statement may begin after the current
// token.
func (s *goScanner) beginsStatement() bool {
	return s.tok == ';' || s.tok == '{' || s.tok == '}' || s.tok == ':'
}

// types reads the declaration of one type or a group of types, from the word
// "type" to the token after the semicolon.
func (s *goScanner) types() {
	start, doc := s.start, s.comments.text(s.src, s.start)
	level := s.depth
	if s.next(); s.tok != '(' {
		s.typeSpec(start, doc)
		return
	}
	for s.next(); s.tok != goEOF && s.depth > level; {
		if s.tok == goWord {
			s.typeSpec(s.start, s.comments.text(s.src, s.start))
			continue
		}
		s.next()
	}
	s.next()
}

// typeSpec reads the name and definition of a type, up to the token that ends it.
func (s *goScanner) typeSpec(start int, doc string) {
	if s.tok != goWord {
		return
	}
	t := symbol{kind: "type", name: string(s.text()), start: start, doc: doc}
	level := s.depth
	s.next()
	s.typeParameters()
	if s.tok == '=' {
		s.next()
	}
	if s.tok == goWord {
		switch string(s.text()) {
		case "struct":
			t.kind = "struct"
		case "interface":
			t.kind = "interface"
			s.interfaceMethods(level)
		}
	}
	for !s.ends(level) {
		s.next()
	}
	t.end = s.prevEnd
	s.found.symbols = append(s.found.symbols, t)
	if s.tok == ';' {
		s.next()
	}
}

// typeParameters skips the parameters of a generic type. Unlike the length of an
// array, they are more than one word.
func (s *goScanner) typeParameters() {
	if s.tok != '[' {
		return
	}
	level := s.depth - 1
	words := 0
	for s.tok != goEOF && s.depth > level {
		if s.tok == goWord || s.tok == '*' || s.tok == '~' {
			words++
		}
		s.next()
	}
	if words > 1 {
		s.next()
	}
}

// interfaceMethods reads the methods of an interface, from the word "interface" to
// the brace that closes it.
func (s *goScanner) interfaceMethods(level int) {
	if s.next(); s.tok != '{' {
		return
	}
	for s.next(); s.tok != goEOF && s.depth > level; {
		if s.tok != goWord || s.depth != level+1 {
			s.next()
			continue
		}
		m := symbol{kind: "method", name: string(s.text()), start: s.start, doc: s.comments.text(s.src, s.start)}
		s.next()
		method := s.tok == '('
		for !s.ends(level + 1) {
			s.next()
		}
		if m.end = s.prevEnd; method {
			s.found.symbols = append(s.found.symbols, m)
		}
	}
}

// ends reports whether the current token ends the construct at the level: a
// semicolon there, a closing bracket of an outer level, or the end of the source.
func (s *goScanner) ends(level int) bool {
	return s.tok == goEOF || s.depth < level || s.tok == ';' && s.depth <= level
}

// Tokens of Go other than single punctuation characters.
const (
	goEOF   = 0
	goWord  = 'a'
	goValue = '0' // a number, string or character
)

// goSyntax is the syntax of Go. A number that ends with a point is two tokens.
var goSyntax = syntax{literal: goLiteral, prefixes: "`"}

// goLiteral returns the end of the string or character literal at a quote. One in
// backquotes may span lines.
func goLiteral(src []byte, at int) int {
	if src[at] != '`' {
		return quotedEnd(src, at)
	}
	if n := bytes.IndexByte(src[at+1:], '`'); n >= 0 {
		return at + n + 2
	}
	return len(src)
}

// A goLexer adds Go's rules to the shared lexer: the semicolons implied at line
// ends, and the nesting depth of brackets.
type goLexer struct {
	src      []byte
	lexer    lexer
	ahead    token // token after an implied semicolon
	isAhead  bool
	tok      byte
	start    int  // of the current token
	end      int  // of the current token
	prevEnd  int  // end of the token before
	depth    int  // brackets open after the current token
	endsLine bool // a line end after the current token ends the statement
	doubled  bool // the current token is the second of "++" or "--"
	comments commentRun
}

func newGoLexer(src []byte) goLexer { return goLexer{src: src, lexer: newLexer(&goSyntax, src)} }

func (l *goLexer) text() []byte { return l.src[l.start:l.end] }

// next goes to the next token. An implied semicolon is a token without text.
func (l *goLexer) next() {
	if l.tok != ';' || l.end > l.start {
		l.prevEnd = l.end
	}
	t := l.ahead
	if !l.isAhead {
		t = l.lexer.next()
		for _, c := range l.lexer.comments {
			l.comments.add(l.src, l.prevEnd, c.start, c.end)
		}
	}
	if l.isAhead = l.endsLine && t.newline; l.isAhead {
		l.ahead = t
		l.tok, l.start, l.endsLine = ';', l.end, false
		return
	}
	l.take(t)
}

// take makes t the current token.
func (l *goLexer) take(t token) {
	follows := t.start == l.end // the token touches the previous one
	before, beforeStart, doubled := l.tok, l.start, l.doubled
	l.start, l.end, l.doubled = t.start, t.end, false
	switch {
	case t.kind == tokenEnd:
		l.tok = goEOF
		return
	case t.kind == tokenLiteral, t.kind == tokenWord && l.src[t.start] == '`':
		l.tok, l.endsLine = goValue, true
		return
	case t.kind == tokenWord:
		l.tok, l.endsLine = goWord, !goContinues(l.text())
		return
	}
	l.tok, l.endsLine = l.src[t.start], false
	switch t.kind {
	case '(', '[', '{':
		l.depth++
	case ')', ']', '}':
		l.depth = max(l.depth-1, 0)
		l.endsLine = true
	case '+', '-':
		l.doubled = follows && before == t.kind && !doubled
		l.endsLine = l.doubled
	case '.':
		l.endsLine = follows && before == goValue && isDigit(l.src[beforeStart])
	}
}

// goContinues reports whether a keyword cannot end a statement.
func goContinues(word []byte) bool {
	switch string(word) {
	case "case", "chan", "const", "default", "defer", "else", "for", "func", "go", "goto", "if", "import",
		"interface", "map", "package", "range", "select", "struct", "switch", "type", "var":
		return true
	}
	return false
}
