package code

import (
	"context"
	"go/scanner"
	gotoken "go/token"
	"unicode/utf8"
)

// mapGo finds the functions, methods and types of Go, including types declared in
// functions, and the methods of interfaces.
//
// It follows the tokens of go/scanner and not the tree of go/parser, which misses
// more in a file with a mistake and takes twenty times the memory of its source. At
// file level, a function ends with the brace that closes its body,
// and a type with the semicolon after it.
func mapGo(ctx context.Context, src []byte) (outline, error) {
	s := &goScanner{goLexer: newGoLexer(src)}
	poll := poll{ctx: ctx}
	s.first = true
	for s.next(); s.tok != gotoken.EOF; {
		if poll.stop(s.start, &s.found) {
			return s.found, ctx.Err()
		}
		s.statement()
	}
	return s.found, nil
}

type goScanner struct {
	*goLexer
	found outline
	first bool // the current token begins a statement
}

// statement reads one declaration, or one token of anything else.
func (s *goScanner) statement() {
	switch {
	case s.first && s.tok == gotoken.TYPE:
		s.types()
		return
	case s.first && s.tok == gotoken.FUNC && s.depth == 0:
		s.function()
		return
	case s.first && s.tok == gotoken.PACKAGE && s.depth == 0:
		s.found.doc = s.comments.text(s.src, s.start)
	}
	s.first = s.beginsStatement()
	s.next()
}

// function reads a function or method from the word "func".
func (s *goScanner) function() {
	f := symbol{kind: "function", start: s.start, doc: s.comments.text(s.src, s.start)}
	level := s.depth
	s.next()
	if s.tok == gotoken.LPAREN {
		receiver := s.receiver(level)
		if !s.isWord() {
			return // a call of a function literal, or half a declaration
		}
		f.name = string(s.text())
		f.kind, f.title, f.name = "method", receiver.title+"."+f.name, receiver.name+"-"+f.name
	} else if s.isWord() {
		f.name = string(s.text())
	} else {
		return
	}
	for !s.ends(level) && !(s.tok == gotoken.LBRACE && s.depth == level+1) {
		s.skipTypeBraces()
		s.next()
	}
	if s.tok == gotoken.LBRACE {
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
	for s.next(); s.tok != gotoken.EOF && s.depth > level; s.next() {
		switch s.tok {
		case gotoken.LBRACK:
			inBrackets++
		case gotoken.RBRACK:
			inBrackets--
		case gotoken.MUL:
			pointer = true
		case gotoken.IDENT:
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
	if s.tok != gotoken.STRUCT && s.tok != gotoken.INTERFACE {
		return
	}
	level := s.depth
	if s.next(); s.tok != gotoken.LBRACE {
		return
	}
	for s.tok != gotoken.EOF && s.depth > level {
		s.next()
	}
}

// body reads the body of a function, from "{" to the token after "}", and records
// the types declared in it.
func (s *goScanner) body(level int) {
	first := true // of a statement
	for s.next(); s.tok != gotoken.EOF && s.depth > level; {
		if first && s.tok == gotoken.TYPE {
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
	return s.tok == gotoken.SEMICOLON || s.tok == gotoken.LBRACE || s.tok == gotoken.RBRACE || s.tok == gotoken.COLON
}

// types reads the declaration of one type or a group of types, from the word
// "type" to the token after the semicolon.
func (s *goScanner) types() {
	start, doc := s.start, s.comments.text(s.src, s.start)
	level := s.depth
	if s.next(); s.tok != gotoken.LPAREN {
		s.typeSpec(start, doc)
		return
	}
	for s.next(); s.tok != gotoken.EOF && s.depth > level; {
		if s.isWord() {
			s.typeSpec(s.start, s.comments.text(s.src, s.start))
			continue
		}
		s.next()
	}
	s.next()
}

// typeSpec reads the name and definition of a type, up to the token that ends it.
func (s *goScanner) typeSpec(start int, doc string) {
	if !s.isWord() {
		return
	}
	t := symbol{kind: "type", name: string(s.text()), start: start, doc: doc}
	level := s.depth
	s.next()
	s.typeParameters()
	if s.tok == gotoken.ASSIGN {
		s.next()
	}
	switch s.tok {
	case gotoken.STRUCT:
		t.kind = "struct"
	case gotoken.INTERFACE:
		t.kind = "interface"
		s.interfaceMethods(level)
	}
	for !s.ends(level) {
		s.next()
	}
	t.end = s.prevEnd
	s.found.symbols = append(s.found.symbols, t)
	if s.tok == gotoken.SEMICOLON {
		s.next()
	}
}

// typeParameters skips the parameters of a generic type. Unlike the length of an
// array, they are more than one word.
func (s *goScanner) typeParameters() {
	if s.tok != gotoken.LBRACK {
		return
	}
	level := s.depth - 1
	words := 0
	for s.tok != gotoken.EOF && s.depth > level {
		if s.isWord() || s.tok == gotoken.MUL || s.tok == gotoken.TILDE {
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
	if s.next(); s.tok != gotoken.LBRACE {
		return
	}
	for s.next(); s.tok != gotoken.EOF && s.depth > level; {
		if !s.isWord() || s.depth != level+1 {
			s.next()
			continue
		}
		m := symbol{kind: "method", name: string(s.text()), start: s.start, doc: s.comments.text(s.src, s.start)}
		s.next()
		method := s.tok == gotoken.LPAREN
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
	return s.tok == gotoken.EOF || s.depth < level || s.tok == gotoken.SEMICOLON && s.depth <= level
}

// A goLexer reads the tokens of Go, with the semicolons that line ends imply, and
// counts the open brackets.
type goLexer struct {
	src      []byte
	file     *gotoken.File
	scanner  scanner.Scanner
	tok      gotoken.Token
	start    int // of the current token; an implied semicolon has no bytes
	end      int // of the current token
	prevEnd  int // end of the token before
	depth    int // brackets open after the current token
	comments commentRun
}

func newGoLexer(src []byte) *goLexer {
	l := &goLexer{src: src, file: gotoken.NewFileSet().AddFile("", -1, len(src))}
	l.scanner.Init(l.file, src, nil, scanner.ScanComments)
	return l
}

func (l *goLexer) text() []byte { return l.src[l.start:l.end] }

func (l *goLexer) isWord() bool { return l.tok == gotoken.IDENT || l.tok.IsKeyword() }

// next goes to the next token.
func (l *goLexer) next() {
	l.prevEnd = l.end
	var at gotoken.Pos
	var text string
	for at, l.tok, text = l.scanner.Scan(); l.tok == gotoken.COMMENT; at, l.tok, text = l.scanner.Scan() {
		start := l.file.Offset(at)
		l.comments.add(l.src, l.prevEnd, start, slashCommentEnd(l.src, start))
	}
	l.start = l.file.Offset(at)
	switch {
	case l.tok == gotoken.SEMICOLON && text == "\n":
		l.start = l.end
	case l.tok.IsOperator():
		l.end = l.start + len(l.tok.String())
	case l.tok == gotoken.ILLEGAL: // whose text may be of another length
		_, size := utf8.DecodeRune(l.src[l.start:])
		l.end = l.start + size
	default:
		l.end = l.start + len(text)
	}
	switch l.tok {
	case gotoken.LPAREN, gotoken.LBRACK, gotoken.LBRACE:
		l.depth++
	case gotoken.RPAREN, gotoken.RBRACK, gotoken.RBRACE:
		l.depth = max(l.depth-1, 0)
	}
}
