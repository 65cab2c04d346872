package code

import (
	"context"
	"strings"
)

// mapRust finds the modules, types, traits, impls, functions and macros of Rust.
// The braces of a macro called among items are read as items too.
func mapRust(ctx context.Context, src []byte) (outline, error) {
	syntax := &syntax{nested: true, literal: rustLiteral, prefixes: "bcr", semicolons: true}
	return scanBraces(ctx, syntax, rustGrammar{}, src)
}

type rustGrammar struct{}

// breaks implements [grammar].
func (rustGrammar) breaks(s *braceScanner, header []token, t token) bool {
	n := len(header)
	switch {
	case n > 1 && header[n-1].kind == '[' && header[0].kind == '#' && (n == 2 || n == 3 && header[1].kind == '!'):
		s.dropAttribute()
		return false
	case t.kind == tokenFatArrow, t.kind == ',' && angleDepth(header[max(n-maxAngles, 0):]) == 0:
		kind, _, _ := rustGrammar{}.declared(s, header)
		return kind == "" && (s.top().body == blockBody || s.top().body == valueBody)
	}
	return false
}

// dropAttribute ends the header, which is an attribute, but keeps the comment
// before it, which documents the next item.
func (s *braceScanner) dropAttribute() {
	top := s.top()
	if s.comment.end == 0 {
		s.comment = top.doc
	}
	s.clear()
	s.noteDoc()
}

// open implements [grammar].
func (g rustGrammar) open(s *braceScanner, header []token) braceBody {
	if s.top().body == opaqueBody {
		return braceBody{body: opaqueBody, goesOn: true}
	}
	header = g.item(s, header)
	if angleDepth(header) > 0 {
		return braceBody{body: valueBody, goesOn: true}
	}
	kind, name, title := g.declared(s, header)
	switch kind {
	case "":
	case "function":
		return braceBody{body: blockBody, symbol: &symbol{kind: memberKind(s, "function"), name: name}}
	case "trait", "impl", "module":
		body := typeBody
		if kind == "module" {
			body = scopeBody
		}
		return braceBody{body: body, symbol: &symbol{kind: kind, name: name, title: title}}
	case "type":
		return braceBody{body: opaqueBody, goesOn: true}
	default:
		return braceBody{body: opaqueBody, symbol: &symbol{kind: kind, name: name}}
	}
	switch s.top().body {
	case scopeBody, typeBody:
		return g.openInScope(s, header)
	}
	return braceBody{body: blockBody, goesOn: s.top().body == valueBody || g.isValue(s, header)}
}

// openInScope returns the opening for a brace among items that belongs to no item.
func (g rustGrammar) openInScope(s *braceScanner, header []token) braceBody {
	if hasKind(header, '!') || len(header) > 0 && s.is(header[0], "extern") || len(header) > 1 && s.is(header[1], "extern") {
		return braceBody{body: s.top().body}
	}
	if g.isValue(s, header) {
		return braceBody{body: blockBody, goesOn: true}
	}
	return braceBody{body: blockBody}
}

// isValue reports whether the header is a statement that only a semicolon ends.
func (g rustGrammar) isValue(s *braceScanner, header []token) bool {
	if len(header) == 0 {
		return false
	}
	switch s.text(header[0]) {
	case "let", "const", "static", "use", "type":
		return true
	}
	return false
}

// end implements [grammar]. It finds functions without a body, and structs without
// braces.
func (g rustGrammar) end(s *braceScanner, header []token, end int) {
	if s.top().body == opaqueBody || s.top().body == valueBody {
		return
	}
	header = g.item(s, header)
	kind, name, _ := g.declared(s, header)
	switch kind {
	case "function":
		s.emit(symbol{kind: memberKind(s, "function"), name: name}, header, end)
	case "struct", "macro", "type":
		s.emit(symbol{kind: kind, name: name}, header, end)
	}
}

// item returns the header without the leading attributes.
func (g rustGrammar) item(s *braceScanner, header []token) []token {
	for len(header) > 1 && header[0].kind == '#' {
		header = header[1:]
		if header[0].kind == '!' {
			header = header[1:]
		}
		if len(header) > 0 && header[0].kind == '[' {
			header = header[1:]
		}
	}
	return header
}

// declared returns what the header declares.
func (g rustGrammar) declared(s *braceScanner, header []token) (kind, name, title string) {
	for i, t := range header {
		switch t.kind {
		case '(', tokenLiteral:
			continue
		case tokenWord:
		default:
			return "", "", ""
		}
		word := s.text(t)
		switch word {
		case "pub", "crate", "default", "const", "async", "unsafe", "extern", "auto", "safe", "gen":
			continue
		case "impl":
			name, title = s.implName(header[i:])
			return "impl", name, title
		case "macro_rules":
			if i+2 < len(header) && header[i+1].kind == '!' && header[i+2].kind == tokenWord {
				return "macro", s.text(header[i+2]), ""
			}
			return "", "", ""
		}
		if i+1 >= len(header) || header[i+1].kind != tokenWord {
			return "", "", ""
		}
		return rustKinds[word], s.text(header[i+1]), ""
	}
	return "", "", ""
}

// rustKinds are the kinds of items by their words.
var rustKinds = map[string]string{
	"fn": "function", "struct": "struct", "union": "struct", "enum": "enum", "trait": "trait", "macro": "macro", "type": "type", "mod": "module",
}

// implName returns the name and title of an impl or extension: "impl-T-for-S", and
// the header without its where clause.
func (s *braceScanner) implName(header []token) (name, title string) {
	var parts []string
	angles, end := 0, 0
	for i, t := range header {
		if angles == 0 && s.is(t, "where") {
			break
		}
		end = i
		switch t.kind {
		case '<':
			angles++
		case '>':
			angles--
		case tokenWord:
			if angles == 0 && (i == 0 || header[i-1].kind != '\'') {
				parts = append(parts, s.text(t))
			}
		}
	}
	return strings.Join(parts, "-"), string(s.src[header[0].start:header[end].end])
}

// angleDepth returns how many angle brackets the header leaves open.
func angleDepth(header []token) int {
	depth := 0
	for _, t := range header {
		switch t.kind {
		case '<':
			depth++
		case '>':
			depth = max(depth-1, 0)
		}
	}
	return depth
}
