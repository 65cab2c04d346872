package code

import (
	"bytes"
	"context"
	"strings"
)

// mapCSharp finds the namespaces, types and methods of C#. Constructors,
// finalizers, operators and indexers count as methods. A namespace without braces
// is left out, because it contains the whole source.
func mapCSharp(ctx context.Context, src []byte) (outline, error) {
	syntax := &syntax{literal: csharpLiteral, prefixes: "$@", directives: allDirectives}
	return scanBraces(ctx, syntax, csharpGrammar{}, src)
}

type csharpGrammar struct{}

// breaks implements [grammar].
func (csharpGrammar) breaks(s *braceScanner, header []token, t token) bool {
	return t.kind == ',' && s.top().body == opaqueBody
}

// open implements [grammar].
func (g csharpGrammar) open(s *braceScanner, header []token) braceBody {
	body := s.top().body
	if body != scopeBody && body != typeBody {
		return braceBody{body: opaqueBody, goesOn: body == valueBody}
	}
	kind, name := g.typeOf(s, header)
	switch kind {
	case "":
	case "enum":
		return braceBody{body: opaqueBody, symbol: &symbol{kind: kind, name: name, start: g.start(s, header)}}
	case "namespace":
		return braceBody{body: scopeBody, symbol: &symbol{kind: kind, name: name, start: g.start(s, header)}}
	default:
		return braceBody{body: typeBody, name: name, symbol: &symbol{kind: kind, name: name, start: g.start(s, header)}}
	}
	if hasKind(header, '=') || hasKind(header, tokenFatArrow) {
		return braceBody{body: opaqueBody, goesOn: true}
	}
	if name := g.methodName(s, header); name != "" && body == typeBody {
		return braceBody{body: opaqueBody, symbol: &symbol{kind: "method", name: name, start: g.start(s, header)}}
	}
	return braceBody{body: opaqueBody}
}

// end implements [grammar]. It finds methods that are an expression or have no
// body, types without members, and delegates.
func (g csharpGrammar) end(s *braceScanner, header []token, end int) {
	body := s.top().body
	if body != scopeBody && body != typeBody || len(header) < 2 {
		return
	}
	kind, name := g.typeOf(s, header)
	if kind == "delegate" {
		kind, name = "type", g.methodName(s, header)
	} else if kind == "" && body == typeBody {
		kind, name = "method", g.methodName(s, header)
	}
	if name != "" && kind != "" && kind != "namespace" {
		s.emit(symbol{kind: kind, name: name, start: g.start(s, header)}, header, end)
	}
}

// start returns the first byte of the declaration, after any attributes of the
// assembly.
func (csharpGrammar) start(s *braceScanner, header []token) int {
	for len(header) > 1 && header[0].kind == '[' && s.isAssemblyAttribute(header[0]) {
		header = header[1:]
	}
	return header[0].start
}

func (s *braceScanner) isAssemblyAttribute(t token) bool {
	text := bytes.TrimLeft(s.src[t.start+1:t.end], " \t\n")
	return bytes.HasPrefix(text, []byte("assembly")) || bytes.HasPrefix(text, []byte("module"))
}

// typeOf returns the kind and name of the type or namespace that the header
// declares.
func (g csharpGrammar) typeOf(s *braceScanner, header []token) (kind, name string) {
	for i, t := range header {
		switch {
		case t.kind == '=' || t.kind == '(' || t.kind == ':' || t.kind == tokenFatArrow:
			return "", ""
		case t.kind != tokenWord || i+1 >= len(header) || header[i+1].kind != tokenWord && header[i+1].kind != '(':
			continue
		}
		switch word := s.text(t); word {
		case "class", "struct", "interface", "enum":
			return word, s.text(header[i+1])
		case "namespace":
			return word, s.dotted(header[i+1:])
		case "delegate":
			return word, ""
		case "record":
			return g.recordOf(s, header[i+1:])
		}
	}
	return "", ""
}

// recordOf returns the kind and name of a record from the header after "record".
func (g csharpGrammar) recordOf(s *braceScanner, header []token) (kind, name string) {
	kind = "class"
	if len(header) > 1 && header[1].kind == tokenWord {
		if s.is(header[0], "struct") {
			kind = "struct"
		} else if !s.is(header[0], "class") {
			return "", ""
		}
		header = header[1:]
	}
	if header[0].kind != tokenWord {
		return "", ""
	}
	if len(header) > 1 && header[1].kind == '(' && s.top().body == typeBody && s.is(header[0], s.top().name) {
		return "", ""
	}
	return kind, s.text(header[0])
}

// dotted returns the dotted name at the start of the header.
func (s *braceScanner) dotted(header []token) string {
	end := 0
	for end < len(header) && (header[end].kind == tokenWord || header[end].kind == '.' || header[end].kind == tokenScope) {
		end++
	}
	if end == 0 {
		return ""
	}
	return string(s.src[header[0].start:header[end-1].end])
}

// methodName returns the name of the method that the header declares.
func (g csharpGrammar) methodName(s *braceScanner, header []token) string {
	for len(header) > 0 && header[0].kind == '[' {
		header = header[1:]
	}
	angles := 0
	for i, t := range header {
		switch t.kind {
		case '<':
			angles++
		case '>':
			angles--
		case '=', tokenFatArrow:
			return ""
		case '[':
			if angles == 0 && i > 0 && s.is(header[i-1], "this") {
				return "this"
			}
		case '(':
			if angles == 0 && i > 0 {
				if name := g.nameBefore(s, header[:i]); name != "" {
					return name
				}
			}
		case tokenWord:
			if s.is(t, "operator") && i+1 < len(header) {
				return s.operatorName(header[i:])
			}
			if s.is(t, "new") && i > 0 && (header[i-1].kind == tokenOperator) {
				return ""
			}
		}
	}
	return ""
}

// nameBefore returns the name at the end of the header, without its qualifiers and
// type parameters.
func (g csharpGrammar) nameBefore(s *braceScanner, header []token) string {
	i := len(header) - 1
	if header[i].kind == '>' {
		for depth := 0; i >= 0; i-- {
			if header[i].kind == '>' {
				depth++
			} else if header[i].kind == '<' {
				if depth--; depth == 0 {
					i--
					break
				}
			}
		}
	}
	if i < 0 || header[i].kind != tokenWord {
		return ""
	}
	name := s.text(header[i])
	switch name {
	case "public", "private", "protected", "internal", "static", "readonly", "const", "volatile", "ref", "params", "event", "override", "virtual", "async", "unsafe", "new", "abstract", "sealed", "extern", "partial", "in", "out":
		return "" // these are the parentheses of a tuple
	}
	if i > 0 && header[i-1].kind == '~' {
		return "~" + name
	}
	return name
}

// operatorName returns the name of an operator, such as "operator ==", from the
// word "operator" to the parameters.
func (s *braceScanner) operatorName(header []token) string {
	end := 1
	for end < len(header) && header[end].kind != '(' {
		end++
	}
	if end == 1 && end+1 < len(header) && header[end+1].kind == '(' {
		end++ // the operator is "()" itself
	}
	return strings.TrimSpace(string(s.src[header[0].start:header[end-1].end]))
}
