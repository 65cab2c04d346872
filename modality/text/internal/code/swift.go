package code

import (
	"cmp"
	"context"
	"strings"
)

// mapSwift finds the types, protocols (as interfaces), extensions (as impls),
// functions, methods, initializers, subscripts and type aliases of Swift,
// including local ones.
func mapSwift(ctx context.Context, src []byte) (outline, error) {
	syntax := &syntax{nested: true, literal: swiftLiteral, prefixes: "#`", directives: onlyConditions}
	return scanBraces(ctx, syntax, swiftGrammar{}, src)
}

type swiftGrammar struct{}

// breaks implements [grammar].
func (swiftGrammar) breaks(s *braceScanner, header []token, t token) bool {
	if len(header) == 0 || s.top().body != blockBody {
		return false
	}
	switch t.kind {
	case ':':
		return s.isAny(header[0], "case", "default")
	case tokenWord:
		return s.is(t, "in") && !s.is(header[0], "for")
	}
	return false
}

// ends implements [lineGrammar].
func (g swiftGrammar) ends(s *braceScanner, header []token, t token) bool {
	if s.continuesSwift(header, t) {
		return false
	}
	rest, _ := g.skipModifiers(s, header)
	return len(rest) > 0 || len(header) > maxModifiers
}

// continuesSwift reports whether the tokens on both sides of a line end show that
// the statement continues.
func (s *braceScanner) continuesSwift(header []token, t token) bool {
	switch t.kind {
	case '.', '?', ':', '=', ',', '{', '+', '*', '/', '|', '<', '>', tokenOperator, tokenArrow:
		return true
	case tokenWord:
		if s.isAny(t, "where", "else", "throws", "rethrows", "async", "is", "as", "catch") {
			return true
		}
	}
	switch last := header[len(header)-1]; last.kind {
	case ',', '=', '.', ':', '/', '+', '|', '&', '<', tokenOperator, tokenArrow:
		return true
	case tokenWord:
		return s.isAny(last, "func", "class", "struct", "enum", "protocol", "extension", "where", "else")
	}
	return false
}

// open implements [grammar].
func (g swiftGrammar) open(s *braceScanner, header []token) braceBody {
	d := g.declared(s, header)
	switch d.kind {
	case "":
		return braceBody{body: blockBody, goesOn: true}
	case "function", "method":
		return braceBody{body: blockBody, symbol: &d}
	case "type":
		return braceBody{body: blockBody, goesOn: true}
	}
	return braceBody{body: typeBody, name: d.name, symbol: &d}
}

// end implements [grammar]. It finds declarations without braces.
func (g swiftGrammar) end(s *braceScanner, header []token, end int) {
	if len(header) < 2 {
		return
	}
	d := g.declared(s, header)
	if d.kind == "type" || d.kind == "method" || d.kind == "function" {
		s.emit(d, header, header[len(header)-1].end)
	}
}

// declared returns what the header declares. The kind is empty if that is not a
// symbol.
func (g swiftGrammar) declared(s *braceScanner, header []token) symbol {
	rest, _ := g.skipModifiers(s, header)
	if len(rest) == 0 || rest[0].kind != tokenWord {
		return symbol{}
	}
	var next token
	if len(rest) > 1 {
		next = rest[1]
	}
	switch word := s.text(rest[0]); word {
	case "func":
		return symbol{kind: memberKind(s, "function"), name: g.functionName(s, rest)}
	case "init":
		if next.kind == '(' || next.kind == '?' || next.kind == '!' || next.kind == '<' {
			return symbol{kind: memberKind(s, ""), name: word}
		}
	case "subscript":
		if next.kind == '(' || next.kind == '<' {
			return symbol{kind: memberKind(s, ""), name: word}
		}
	case "deinit":
		return symbol{kind: memberKind(s, ""), name: word}
	case "extension":
		return g.extension(s, rest)
	case "class", "struct", "enum", "protocol", "actor", "typealias":
		if next.kind == tokenWord {
			return symbol{kind: cmp.Or(swiftKinds[word], word), name: strings.Trim(s.text(next), "`")}
		}
	}
	return symbol{}
}

// memberKind returns the kind of a function among members, else other.
func memberKind(s *braceScanner, other string) string {
	if s.top().body == typeBody {
		return "method"
	}
	return other
}

// swiftKinds are the kinds of symbols whose words are others.
var swiftKinds = map[string]string{"protocol": "interface", "actor": "class", "typealias": "type"}

// extension returns the extension that the header declares.
func (g swiftGrammar) extension(s *braceScanner, header []token) symbol {
	if len(header) < 2 || header[1].kind != tokenWord {
		return symbol{}
	}
	name, title := s.implName(header)
	return symbol{kind: "impl", name: name, title: title}
}

// functionName returns the name after "func", which may be an operator.
func (g swiftGrammar) functionName(s *braceScanner, header []token) string {
	if len(header) < 2 {
		return ""
	}
	if header[1].kind == tokenWord {
		return strings.Trim(s.text(header[1]), "`")
	}
	end := 1
	for end < len(header) && header[end].kind != '(' && (end == 1 || header[end].start == header[end-1].end) {
		end++
	}
	if end == 1 {
		return ""
	}
	return string(s.src[header[1].start:header[end-1].end])
}

// skipModifiers returns the header without its attributes and modifiers. "class"
// is a modifier if a class member may follow it.
func (g swiftGrammar) skipModifiers(s *braceScanner, header []token) (rest, modifiers []token) {
	rest = header
	for {
		before := len(rest)
		rest = skipModifiers(s, rest, swiftModifiers)
		if len(rest) > 1 && s.is(rest[0], "class") && rest[1].kind == tokenWord && (swiftModifiers[s.text(rest[1])] || s.isAny(rest[1], "func", "var", "let", "subscript")) {
			rest = rest[1:]
		}
		if len(rest) < len(header) && len(rest) > 0 && rest[0].kind == '(' {
			rest = rest[1:]
		}
		if len(rest) == before {
			return rest, header[:len(header)-len(rest)]
		}
	}
}

var swiftModifiers = wordSet(`public private fileprivate internal open package static final override mutating nonmutating convenience
	required lazy weak unowned optional dynamic indirect prefix postfix infix isolated nonisolated
	distributed borrowing consuming`)
