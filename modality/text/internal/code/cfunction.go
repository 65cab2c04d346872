package code

import (
	"slices"
	"strings"
)

// A declarator is a name with parameters in a header.
type declarator struct {
	first, name, group int // indexes: start of the qualified name, its last word, the parameters
}

// function returns the function that the header declares, or nil, and whether a
// colon follows its parameters.
func (g *cGrammar) function(s *braceScanner, header []token) (f *symbol, colon bool) {
	full := header
	header = g.afterTemplate(s, header)
	header = header[lastKind(header, '{')+1:]
	if len(header) < len(full) && hasKind(full, '{') && g.initialized(full) {
		header = g.afterTemplate(s, full)
	}
	end, colon := g.parametersEnd(s, header)
	name, title, ok := g.functionName(s, header[:end])
	if !ok {
		return nil, false
	}
	start := full[0].start
	if g.initialized(full) || !hasKind(full, '{') {
		return &symbol{kind: g.functionKind(s, title), name: name, title: title, start: start}, colon
	}
	return &symbol{kind: g.functionKind(s, title), name: name, title: title, start: header[0].start}, colon
}

// initialized reports whether the braces in the header initialize members between
// the parameters of a constructor and its body.
func (g *cGrammar) initialized(header []token) bool {
	group, brace := indexKind(header, '('), indexKind(header, '{')
	if group < 0 || brace < group {
		return false
	}
	return hasKind(header[group:brace], ':')
}

// parametersEnd returns where the declarator ends: at what follows the parameters
// without being part of it, such as member initializers or the type after an
// arrow.
func (g *cGrammar) parametersEnd(s *braceScanner, header []token) (end int, colon bool) {
	group := false
	for i, t := range header {
		switch t.kind {
		case '(':
			group = group || i > 0 && !cAttributes[s.text(header[i-1])]
		case ':':
			if group {
				return i, true
			}
		case tokenArrow:
			if group && !s.is(header[i-1], "operator") {
				return i, false
			}
		}
	}
	return len(header), false
}

func (g *cGrammar) functionKind(s *braceScanner, title string) string {
	if s.top().body == typeBody || strings.Contains(title, "::") {
		return "method"
	}
	return "function"
}

// functionName returns the bare name and the title of the function that the header
// declares. The header ends before the parameters.
func (g *cGrammar) functionName(s *braceScanner, header []token) (name, title string, ok bool) {
	all := g.declarators(s, header)
	if len(all) == 0 {
		return "", "", false
	}
	d := all[0]
	for _, next := range all[1:] {
		if !g.isMacroCall(s, header, d, next) {
			break
		}
		d = next
	}
	if inner := g.innerName(s, header, d); inner != "" {
		return inner, "", true
	}
	title = string(s.src[header[d.first].start:header[d.group-1].end])
	if g.isOperator(s, header, d) {
		return strings.ReplaceAll(title, "::", "-"), title, true
	}
	return s.bareName(header[d.first:d.group]), title, true
}

// bareName returns the words of a name joined by hyphens, without those in angle
// brackets.
func (s *braceScanner) bareName(tokens []token) string {
	var parts []string
	angles := 0
	for i, t := range tokens {
		switch t.kind {
		case '<':
			angles++
		case '>':
			angles--
		case tokenWord:
			if angles > 0 {
				continue
			}
			if i > 0 && tokens[i-1].kind == '~' {
				parts = append(parts, "~"+s.text(t))
			} else {
				parts = append(parts, s.text(t))
			}
		}
	}
	return strings.Join(parts, "-")
}

func (g *cGrammar) isOperator(s *braceScanner, header []token, d declarator) bool {
	return s.is(header[d.name], "operator")
}

// isMacroCall reports whether d calls a macro before the function that next
// declares: "EXPORT(int) f(void)" and "static ALIGN(8) int f(void)", but not "int
// f(void) LOCKS(m)".
func (g *cGrammar) isMacroCall(s *braceScanner, header []token, d, next declarator) bool {
	for _, t := range header[d.group+1 : next.first] {
		if t.kind == '(' || t.kind == '&' || t.kind == '[' || t.kind == tokenWord && (cTrailers[s.text(t)] || cAttributes[s.text(t)]) {
			continue
		}
		return true
	}
	if d.first != d.name || s.is(header[d.name], s.top().name) || s.is(header[d.name], "operator") {
		return false
	}
	return !slices.ContainsFunc(header[:d.first], func(t token) bool {
		return t.kind != tokenWord || !cSpecifiers[s.text(t)]
	})
}

// cSpecifiers are words that may stand before a type.
var cSpecifiers = wordSet(`static extern inline constexpr virtual explicit friend const volatile typedef __inline __inline__
	consteval constinit`)

// declarators returns the candidates for a function in the header.
func (g *cGrammar) declarators(s *braceScanner, header []token) []declarator {
	var all []declarator
	for i := 0; i < len(header); i++ {
		switch t := header[i]; {
		case s.is(t, "operator"):
			group := operatorEnd(header, i)
			if group < 0 {
				return all
			}
			all = append(all, declarator{first: g.qualifiedStart(header, i), name: i, group: group})
			i = group
		case t.kind == '<' && g.cpp && i > 0 && header[i-1].kind == tokenWord:
			end := angleEnd(header, i)
			if end < 0 {
				continue
			}
			if end < len(header) && header[end].kind == '(' {
				all = append(all, declarator{first: g.qualifiedStart(header, i-1), name: i - 1, group: end})
			}
			i = end - 1
		case t.kind == '(' && i > 0 && header[i-1].kind == tokenWord && !cAttributes[s.text(header[i-1])]:
			all = append(all, declarator{first: g.qualifiedStart(header, i-1), name: i - 1, group: i})
		}
	}
	return all
}

// operatorEnd returns the index of the parameters of the operator at i, or -1.
func operatorEnd(header []token, i int) int {
	for j := i + 1; j < len(header); j++ {
		if header[j].kind == '(' && (j > i+1 || j+1 == len(header) || header[j+1].kind != '(') {
			return j
		}
		if header[j].kind == '(' {
			return j + 1
		}
	}
	return -1
}

// qualifiedStart returns where the name whose last word is at i begins: at "~", or
// at its outermost scope.
func (g *cGrammar) qualifiedStart(header []token, i int) int {
	if i > 0 && header[i-1].kind == '~' {
		i--
	}
	for i > 1 && header[i-1].kind == tokenScope {
		j := i - 2
		if header[j].kind == '>' {
			for depth := 0; j >= 0; j-- {
				if header[j].kind == '>' {
					depth++
				} else if header[j].kind == '<' {
					if depth--; depth == 0 {
						j--
						break
					}
				}
			}
		}
		if j < 0 || header[j].kind != tokenWord {
			return i
		}
		i = j
	}
	return i
}

// innerName returns the name of a function that is itself in parentheses, as in
// "int (f)(int)" or "void (*f(int))(int)", or "".
func (g *cGrammar) innerName(s *braceScanner, header []token, d declarator) string {
	group := header[d.group]
	followed := d.group+1 < len(header) && header[d.group+1].kind == '('
	if !followed || !cBasicTypes[s.text(header[d.name])] {
		return ""
	}
	l := newLexer(s.syntax, s.src[:group.end])
	l.at = group.start + 1
	const most = 8 // tokens
	for range most {
		if t := l.next(); t.kind == tokenWord && !cSpecifiers[s.text(t)] {
			return s.text(t)
		}
	}
	return ""
}

var cBasicTypes = wordSet(`void int char long short unsigned signed float double bool`)
