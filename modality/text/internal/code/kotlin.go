package code

import (
	"context"
	"slices"
	"strings"
)

// mapKotlin finds the types, objects, functions, methods, secondary constructors
// and type aliases of Kotlin, including local ones and those of object
// expressions.
func mapKotlin(ctx context.Context, src []byte) (outline, error) {
	syntax := &syntax{nested: true, literal: kotlinLiteral, prefixes: "`"}
	return scanBraces(ctx, syntax, kotlinGrammar{}, src)
}

type kotlinGrammar struct{}

// breaks implements [grammar].
func (kotlinGrammar) breaks(s *braceScanner, header []token, t token) bool {
	switch t.kind {
	case ',':
		body := s.top().body
		return body == enumBody || body == valueBody
	case tokenArrow:
		return s.top().body == blockBody && !isKotlinFunction(s, header)
	}
	return false
}

// ends implements [lineGrammar].
func (g kotlinGrammar) ends(s *braceScanner, header []token, t token) bool {
	if s.continuesKotlin(header, t) {
		return false
	}
	rest := skipModifiers(s, header, kotlinModifiers)
	if len(rest) == 0 {
		return len(header) > 1 && s.is(header[1], "file") || len(header) > maxModifiers
	}
	if s.is(rest[0], "class") && !hasKind(rest, '(') && (t.kind == '@' || t.kind == tokenWord && kotlinModifiers[s.text(t)]) {
		return !s.constructorFollows(t)
	}
	return true
}

// continuesKotlin reports whether the tokens on both sides of a line end show that
// the statement continues.
func (s *braceScanner) continuesKotlin(header []token, t token) bool {
	switch t.kind {
	case '.', '?', ':', '=', ',', '{', '>', tokenOperator, tokenArrow:
		return true
	case tokenWord:
		switch s.text(t) {
		case "where", "as", "else", "catch", "finally", "by", "constructor":
			return s.text(t) != "constructor" || s.top().body != typeBody || !hasKind(header, '(') && s.hasWord(header, "class")
		}
	}
	n := len(header)
	switch last := header[n-1]; last.kind {
	case ',', '=', '.', ':', '/', '%', '<', tokenOperator, tokenArrow:
		return true
	case '+', '-':
		return n < 2 || header[n-2].kind != last.kind
	case '*':
		return n < 2 || header[n-2].kind != '.'
	case '(':
		return n > 1 && s.isAny(header[n-2], "if", "while", "for")
	case tokenWord:
		return s.isAny(last, "else", "by", "in", "is", "as", "fun", "class", "object")
	}
	return false
}

// hasWord reports whether the header has the word.
func (s *braceScanner) hasWord(header []token, word string) bool {
	return slices.ContainsFunc(header, func(t token) bool { return s.is(t, word) })
}

// isAny reports whether t is one of the words.
func (s *braceScanner) isAny(t token, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return s.is(t, word) })
}

// constructorFollows reports whether t begins the annotations and modifiers of a
// constructor.
func (s *braceScanner) constructorFollows(t token) bool {
	const most = 40 // tokens
	ahead := s.lexer
	depth := 0
	for range most {
		switch {
		case t.kind == '(' || t.kind == '[':
			depth++
		case t.kind == ')' || t.kind == ']':
			depth--
		case depth > 0 || t.kind == '@' || t.kind == '.' || t.kind == ':':
		case t.kind != tokenWord:
			return false
		case s.is(t, "constructor"):
			return true
		case s.isAny(t, "class", "fun", "val", "var", "object", "interface", "typealias"):
			return false
		}
		t = ahead.next()
	}
	return false
}

// open implements [grammar].
func (g kotlinGrammar) open(s *braceScanner, header []token) braceBody {
	d := g.declared(s, header)
	switch d.kind {
	case "enum", "class", "interface":
		body := typeBody
		if d.kind == "enum" {
			body = enumBody
		}
		return braceBody{body: body, name: d.name, symbol: &d}
	case "function", "method":
		if !hasKind(header, '=') {
			return braceBody{body: blockBody, symbol: &d}
		}
	}
	if g.endsInObject(s, header) {
		return braceBody{body: typeBody, goesOn: true}
	}
	if s.top().body == enumBody && len(skipModifiers(s, header, kotlinModifiers)) <= 2 {
		return braceBody{body: typeBody, goesOn: true} // a constant with members
	}
	return braceBody{body: blockBody, goesOn: true}
}

// end implements [grammar]. It finds declarations without braces.
func (g kotlinGrammar) end(s *braceScanner, header []token, end int) {
	if len(header) < 2 {
		return
	}
	if d := g.declared(s, header); d.kind != "" {
		s.emit(d, header, header[len(header)-1].end)
	}
}

// endsInObject reports whether the header ends in the start of an object
// expression.
func (g kotlinGrammar) endsInObject(s *braceScanner, header []token) bool {
	for i, t := range header {
		if s.is(t, "object") && (i+1 == len(header) || header[i+1].kind == ':') {
			return true
		}
	}
	return false
}

// declared returns what the header declares. The kind is empty if that is not a
// symbol.
func (g kotlinGrammar) declared(s *braceScanner, header []token) symbol {
	rest := skipModifiers(s, header, kotlinModifiers)
	if len(rest) == 0 || rest[0].kind != tokenWord {
		return symbol{}
	}
	named := len(rest) > 1 && rest[1].kind == tokenWord
	switch word := s.text(rest[0]); {
	case word == "fun" && named && s.is(rest[1], "interface") && len(rest) > 2:
		return symbol{kind: "interface", name: s.kotlinName(rest[2])}
	case word == "fun":
		return g.function(s, rest)
	case word == "constructor" && len(rest) > 1 && rest[1].kind == '(':
		return symbol{kind: "method", name: "constructor"}
	case word == "object" && s.isCompanion(header) && !named:
		return symbol{kind: "class", name: "Companion"}
	case !named:
		return symbol{}
	case word == "class":
		kind := "class"
		if s.hasWord(header[:len(header)-len(rest)], "enum") {
			kind = "enum"
		}
		return symbol{kind: kind, name: s.kotlinName(rest[1])}
	case word == "interface":
		return symbol{kind: "interface", name: s.kotlinName(rest[1])}
	case word == "object":
		return symbol{kind: "class", name: s.kotlinName(rest[1])}
	case word == "typealias":
		return symbol{kind: "type", name: s.kotlinName(rest[1])}
	}
	return symbol{}
}

func (s *braceScanner) isCompanion(header []token) bool {
	for _, t := range header {
		if s.is(t, "companion") {
			return true
		}
		if s.is(t, "object") {
			return false
		}
	}
	return false
}

func (s *braceScanner) kotlinName(t token) string { return strings.Trim(s.text(t), "`") }

func isKotlinFunction(s *braceScanner, header []token) bool {
	rest := skipModifiers(s, header, kotlinModifiers)
	return len(rest) > 0 && s.is(rest[0], "fun")
}

// function returns the function declared by the header, which begins with "fun".
// Its title includes the type it extends.
func (g kotlinGrammar) function(s *braceScanner, header []token) symbol {
	angles, from := 0, 1
	for i, t := range header {
		switch t.kind {
		case '<':
			angles++
		case '>':
			if angles--; angles == 0 && from == 1 && header[1].kind == '<' {
				from = i + 1
			}
		case '=':
			return symbol{}
		case '(':
			if angles > 0 || i <= from || header[i-1].kind != tokenWord {
				continue
			}
			kind := "function"
			if body := s.top().body; body == typeBody || body == enumBody {
				kind = "method"
			}
			name := s.kotlinName(header[i-1])
			title := string(s.src[header[from].start:header[i-1].end])
			return symbol{kind: kind, name: name, title: strings.ReplaceAll(title, "`", "")}
		}
	}
	return symbol{}
}

var kotlinModifiers = wordSet(`public private protected internal open abstract final override sealed data enum annotation inner value
	inline infix operator suspend tailrec external const lateinit vararg noinline crossinline reified expect
	actual companion header impl`)
