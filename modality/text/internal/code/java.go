package code

import "context"

// mapJava finds the types, methods and constructors of Java, including those of
// local and anonymous classes.
func mapJava(ctx context.Context, src []byte) (outline, error) {
	return scanBraces(ctx, &syntax{wordStart: "$", literal: javaLiteral}, javaGrammar{}, src)
}

type javaGrammar struct{}

// breaks implements [grammar].
func (javaGrammar) breaks(s *braceScanner, header []token, t token) bool {
	switch t.kind {
	case ',':
		body := s.top().body
		return body == enumBody || body == valueBody && angleDepth(header[max(len(header)-maxAngles, 0):]) == 0
	case tokenArrow, ':':
		return s.top().body == blockBody
	}
	return false
}

// open implements [grammar].
func (g javaGrammar) open(s *braceScanner, header []token) braceBody {
	if kind, name := g.typeOf(s, header); kind != "" {
		body := typeBody
		if kind == "enum" {
			body = enumBody
		}
		return braceBody{body: body, name: name, symbol: &symbol{kind: kind, name: name}}
	}
	if s.endsInCreation(header) {
		return braceBody{body: typeBody, goesOn: true}
	}
	switch s.top().body {
	case enumBody:
		if !hasKind(header, '=') && (len(header) == 1 || len(skipModifiers(s, header, javaModifiers)) <= 2) {
			return braceBody{body: typeBody, goesOn: true} // a constant with members
		}
	case typeBody:
		if name, _ := g.methodName(s, header); name != "" {
			return braceBody{body: blockBody, symbol: &symbol{kind: "method", name: name}}
		}
		if rest := skipModifiers(s, header, javaModifiers); len(rest) == 1 && s.is(rest[0], s.top().name) {
			return braceBody{body: blockBody, symbol: &symbol{kind: "method", name: s.top().name}}
		}
	}
	if hasKind(header, '=') {
		return braceBody{body: blockBody, goesOn: true}
	}
	return braceBody{body: blockBody}
}

// end implements [grammar]. It finds methods without a body.
func (g javaGrammar) end(s *braceScanner, header []token, end int) {
	if s.top().body != typeBody || len(header) < 3 {
		return
	}
	if name, typed := g.methodName(s, header); name != "" && typed {
		s.emit(symbol{kind: "method", name: name}, header, end)
	}
}

// typeOf returns the kind and name of the type that the header declares.
func (g javaGrammar) typeOf(s *braceScanner, header []token) (kind, name string) {
	for i, t := range header {
		if t.kind != tokenWord || i+1 >= len(header) || header[i+1].kind != tokenWord {
			continue
		}
		if i > 0 && header[i-1].kind == '.' {
			continue
		}
		switch s.text(t) {
		case "class", "interface", "enum":
			return s.text(t), s.text(header[i+1])
		case "record":
			if i+2 < len(header) && (header[i+2].kind == '(' || header[i+2].kind == '<') {
				return "class", s.text(header[i+1])
			}
		}
	}
	return "", ""
}

// methodName returns the name of the method or constructor that the header
// declares, and whether it has a result type.
func (g javaGrammar) methodName(s *braceScanner, header []token) (name string, typed bool) {
	header = skipModifiers(s, header, javaModifiers)
	angles := 0
	for i, t := range header {
		switch t.kind {
		case '<':
			angles++
		case '>':
			angles--
		case '=', tokenArrow:
			return "", false
		case '(':
			if angles > 0 || i == 0 || header[i-1].kind != tokenWord {
				continue
			}
			if i > 1 && header[i-2].kind == '@' {
				continue
			}
			return s.text(header[i-1]), i > 1
		}
	}
	return "", false
}

var javaModifiers = wordSet(`public protected private abstract static final synchronized native strictfp default transient volatile
	sealed`)
