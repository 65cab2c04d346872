package code

import (
	"bytes"
	"context"
	"slices"
	"strings"
)

// mapC finds the types with members, the functions with a body and the macros of
// several lines of C. A type without a tag takes the name of its typedef. Of
// preprocessor branches that cannot be read together, the first is read.
func mapC(ctx context.Context, src []byte) (outline, error) {
	return scanBraces(ctx, cSyntax(), &cGrammar{}, src)
}

// mapCPP finds what [mapC] finds, and namespaces, classes and methods.
func mapCPP(ctx context.Context, src []byte) (outline, error) {
	return scanBraces(ctx, cSyntax(), &cGrammar{cpp: true}, src)
}

func cSyntax() *syntax {
	return &syntax{wordStart: "$", literal: cLiteral, prefixes: "uULR", directives: allDirectives, digitQuote: true}
}

// A cGrammar is the grammar of C or C++.
type cGrammar struct {
	cpp bool

	// old is the K&R-style function whose parameter declarations are being read,
	// or nil.
	old *symbol
}

// breaks implements [grammar].
func (g *cGrammar) breaks(s *braceScanner, header []token, t token) bool {
	n := len(header)
	if n == 0 || s.top().body != typeBody && s.top().body != scopeBody {
		return false
	}
	if t.kind == ':' {
		last := header[n-1]
		if n > 1 && s.isAny(last, "slots", "Q_SLOTS") {
			last = header[n-2]
		}
		return s.top().body == typeBody && s.isAny(last, "public", "private", "protected", "signals", "Q_SIGNALS")
	}
	if !t.newline || t.kind != tokenWord {
		return false
	}
	if n == 1 {
		return bytes.HasPrefix(s.src[header[0].start:header[0].end], []byte("Q_"))
	}
	return n == 2 && header[1].kind == '(' && header[0].kind == tokenWord &&
		!cAttributes[s.text(header[0])] && !cTrailers[s.text(t)] && !s.isAny(header[0], s.top().name)
}

// open implements [grammar].
func (g *cGrammar) open(s *braceScanner, header []token) braceBody {
	old := g.old
	g.old = nil
	body := s.top().body
	if body == valueBody || body == opaqueBody {
		return braceBody{body: opaqueIn(body), goesOn: true}
	}
	if len(header) == 0 {
		if old != nil && body == scopeBody {
			return braceBody{body: blockBody, symbol: old}
		}
		return braceBody{body: opaqueIn(body)}
	}
	if n := len(header); body == scopeBody && n > 1 && header[n-1].kind == tokenLiteral && s.is(header[n-2], "extern") {
		return braceBody{body: scopeBody}
	}
	if i := g.namespaceWord(s, header); i >= 0 && body == scopeBody {
		return g.namespace(s, header[i+1:])
	}
	if g.isValue(s, header) {
		return braceBody{body: opaqueIn(body), goesOn: true}
	}
	if kind, name := g.typeOf(s, header); kind != "" {
		return g.openType(s, header, kind, name)
	}
	if body == blockBody {
		return braceBody{body: blockBody}
	}
	f, colon := g.function(s, header)
	if f == nil {
		return braceBody{body: opaqueBody, goesOn: true}
	}
	if last := header[len(header)-1]; colon && (last.kind == tokenWord || last.kind == '>') {
		return braceBody{body: opaqueBody, goesOn: true} // the value of a member
	}
	return braceBody{body: blockBody, symbol: f}
}

// opaqueIn returns the kind of body of a brace that belongs to no declaration.
// Among statements it has statements, because it may be the body of a lambda.
func opaqueIn(around bodyKind) bodyKind {
	if around == blockBody || around == valueBody {
		return blockBody
	}
	return opaqueBody
}

func (g *cGrammar) openType(s *braceScanner, header []token, kind string, parts []token) braceBody {
	o := braceBody{body: typeBody, goesOn: true}
	if kind == "enum" {
		o.body = opaqueBody
	}
	if len(parts) == 0 && !s.is(header[0], "typedef") {
		return o
	}
	o.symbol = &symbol{kind: kind, start: g.start(header)}
	if n := len(parts); n > 0 {
		o.symbol.name = s.bareName(parts)
		o.symbol.title = string(s.src[parts[0].start:parts[n-1].end])
		o.name = o.symbol.name[strings.LastIndexByte(o.symbol.name, '-')+1:]
	}
	return o
}

// start returns the first byte of the declaration in a header. It skips a type
// before it that lacks its semicolon.
func (g *cGrammar) start(header []token) int {
	if i := lastKind(header, '{'); i >= 0 && i+1 < len(header) {
		return header[i+1].start
	}
	return header[0].start
}

// end implements [grammar]. It finds the names of typedefs, and functions that are
// defaulted or deleted.
func (g *cGrammar) end(s *braceScanner, header []token, end int) {
	n := len(header)
	body := s.top().body
	if n == 0 || body != scopeBody && body != typeBody && body != blockBody {
		return
	}
	if s.is(header[0], "typedef") && hasKind(header, '{') {
		g.nameType(s, header, end)
		return
	}
	if body == blockBody {
		return
	}
	if g.cpp && n > 3 && header[n-2].kind == '=' && s.isAny(header[n-1], "default", "delete") {
		if f, _ := g.function(s, header[:n-2]); f != nil {
			s.emit(*f, header, end)
		}
		return
	}
	if !g.cpp {
		g.noteOld(s, header)
	}
}

// nameType ends the type that a typedef holds, and names it if it is unnamed.
func (g *cGrammar) nameType(s *braceScanner, header []token, end int) {
	for i := len(s.symbols) - 1; i >= 0 && s.symbols[i].start >= header[0].start; i-- {
		if sym := &s.symbols[i]; sym.start == header[0].start && sym.kind != "macro" {
			sym.end = end
			if sym.name == "" {
				sym.name = g.typedefName(s, header)
			}
			return
		}
	}
}

// typedefName returns the first name after the members.
func (g *cGrammar) typedefName(s *braceScanner, header []token) string {
	header = header[indexKind(header, '{')+1:]
	for i, t := range header {
		if t.kind == tokenWord && !cAttributes[s.text(t)] && (i+1 == len(header) || header[i+1].kind != '(') {
			return s.text(t)
		}
	}
	return ""
}

// noteOld keeps a function whose first parameter is declared in the header, until
// a brace or anything except a parameter follows.
func (g *cGrammar) noteOld(s *braceScanner, header []token) {
	if g.old != nil {
		if hasKind(header, '=') || hasKind(header, '{') {
			g.old = nil
		}
		return
	}
	i := indexKind(header, '(')
	if i < 1 || i+2 >= len(header) || header[i+1].kind != tokenWord || cAttributes[s.text(header[i+1])] || hasKind(header, '=') {
		return
	}
	if f, _ := g.function(s, header[:i+1]); f != nil {
		if doc := s.top().doc; doc.end > 0 {
			f.doc = docText(s.src[doc.start:doc.end])
		}
		g.old = f
	}
}

// namespaceWord returns the index of "namespace" in a header that declares a
// namespace, or -1.
func (g *cGrammar) namespaceWord(s *braceScanner, header []token) int {
	for i, t := range header {
		switch {
		case t.kind != tokenWord && t.kind != '[':
			return -1
		case g.cpp && s.is(t, "namespace"):
			return i
		}
	}
	return -1
}

// namespace opens the namespace whose header continues after that word.
func (g *cGrammar) namespace(s *braceScanner, header []token) braceBody {
	for len(header) > 0 && header[0].kind == '[' {
		header = header[1:]
	}
	name := s.dotted(header[:min(len(header), 1)])
	for i := 1; i+1 < len(header) && header[i].kind == tokenScope; i += 2 {
		name = string(s.src[header[0].start:header[i+1].end])
	}
	if name == "" {
		return braceBody{body: scopeBody}
	}
	return braceBody{body: scopeBody, symbol: &symbol{kind: "namespace", name: name}}
}

// isValue reports whether the header assigns a value: it has a "=" that is neither
// part of an operator's name nor inside angle brackets.
func (g *cGrammar) isValue(s *braceScanner, header []token) bool {
	header = g.afterTemplate(s, header)
	for i, t := range header {
		if t.kind == '=' && (i == 0 || !s.is(header[i-1], "operator")) && angleDepth(header[:i]) == 0 {
			return true
		}
	}
	return false
}

// afterTemplate returns the header after its leading template parameters.
func (g *cGrammar) afterTemplate(s *braceScanner, header []token) []token {
	if len(header) > 0 && s.is(header[0], "export") {
		header = header[1:]
	}
	for g.cpp && len(header) > 2 && s.is(header[0], "template") && header[1].kind == '<' {
		end := angleEnd(header, 1)
		if end < 0 {
			return header
		}
		header = header[end:]
	}
	return header
}

// angleEnd returns the index after the angle bracket that closes the one at i, or
// -1.
func angleEnd(header []token, i int) int {
	depth := 0
	for ; i < len(header); i++ {
		switch header[i].kind {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// typeOf returns the kind of the type whose members follow the header, and the
// parts of its name, none if it is unnamed.
func (g *cGrammar) typeOf(s *braceScanner, header []token) (kind string, name []token) {
	header = g.afterTemplate(s, header)
	header = header[lastKind(header, '{')+1:]
	angles := 0
	for i, t := range header {
		switch t.kind {
		case '<':
			angles++
		case '>':
			angles--
		case tokenWord:
			if kind := g.typeWord(s, t); kind != "" && angles <= 0 {
				return g.typeName(s, kind, header[i+1:])
			}
		}
	}
	return "", nil
}

// lastKind returns the index of the last token of the kind, or -1.
func lastKind(header []token, kind byte) int {
	for i, t := range slices.Backward(header) {
		if t.kind == kind {
			return i
		}
	}
	return -1
}

// typeWord returns the kind of type that a keyword begins.
func (g *cGrammar) typeWord(s *braceScanner, t token) string {
	switch word := s.text(t); {
	case word == "struct" || word == "union":
		return "struct"
	case word == "enum" || word == "class" && g.cpp:
		return word
	}
	return ""
}

// typeName returns the kind of a type and the parts of its name, from the header
// after its keyword. The kind is empty if no members follow.
func (g *cGrammar) typeName(s *braceScanner, kind string, header []token) (string, []token) {
	if len(header) > 0 && kind == "enum" && s.isAny(header[0], "class", "struct") {
		header = header[1:]
	}
	first, end, group := 0, 0, false // indexes of the name
	for i := 0; i < len(header); i++ {
		t := header[i]
		switch t.kind {
		case '[', tokenScope:
		case ':':
			return kind, header[first:end]
		case '<':
			closed := angleEnd(header, i)
			if closed < 0 {
				return "", nil
			}
			i = closed - 1
			if end > 0 {
				end = closed
			}
		case '(':
			if i > 0 && cAttributes[s.text(header[i-1])] {
				continue
			}
			first, end, group = 0, 0, true
		case tokenWord:
			switch word := s.text(t); {
			case cAttributes[word] || word == "final" && end > first:
			case cTrailers[word]:
				return "", nil
			default:
				if i == 0 || header[i-1].kind != tokenScope || end == 0 {
					first = i
				}
				end = i + 1
			}
		default:
			return "", nil
		}
	}
	if group && end == 0 {
		return "", nil
	}
	return kind, header[first:end]
}

// cAttributes are words whose parentheses are not those of parameters.
var cAttributes = wordSet(`__attribute__ __attribute __declspec alignas _Alignas noexcept throw decltype requires explicit if while
	for switch catch return sizeof typeof __typeof__ asm __asm__ static_assert _Static_assert else do defined
	new delete constexpr __extension__`)

// cTrailers are words that may follow the parameters of a function.
var cTrailers = wordSet(`const volatile noexcept override final throw try mutable requires`)
