package code

import (
	"slices"
	"strings"

	"github.com/citekit/citekit/modality/text/internal/linkset"
)

// A dottedImport describes how a language imports dotted names.
type dottedImport struct {
	word      string   // begins an import
	modifiers []string // may follow word
	lines     bool     // an import ends with its line
	aliased   bool     // a name and "=" may precede what is imported
}

// dotted finds the imports of a language that names modules with dots. They stand
// outside all brackets, or inside the braces of a namespace.
func (f *importFinder) dotted(syntax *syntax, how dottedImport) {
	l := newLexer(syntax, f.src)
	first, attribute := true, false // first: at the start of a statement; attribute: after "@"
	t := l.next()
	for t.kind != tokenEnd && !f.stop(t.start) {
		if t.kind == tokenWord && (first || how.lines && t.newline) && f.text(t) == how.word {
			t = f.dottedName(&l, how, t.start)
			first = t.kind == ';'
			continue
		}
		if attribute && t.kind == tokenWord && first {
			attribute, t = false, l.next()
			continue
		}
		attribute = t.kind == '@' && (first || t.newline)
		first = attribute || t.kind == ';' || t.kind == '{' || t.kind == '}' || t.kind == ']' || t.kind == tokenWord && f.text(t) == "global"
		t = l.next()
	}
}

func (f *importFinder) text(t token) string { return string(f.src[t.start:t.end]) }

// dottedName reads the imported name, and returns the token after it.
func (f *importFinder) dottedName(l *lexer, how dottedImport, start int) token {
	var name strings.Builder
	end, text := start, ""
	for t := l.next(); ; t = l.next() {
		word := f.text(t)
		switch {
		case how.lines && t.newline && name.Len() > 0, t.kind == ';', t.kind == tokenEnd:
			return f.imported(start, end, text, name.String(), t)
		case t.kind == tokenWord && name.Len() == 0 && slices.Contains(how.modifiers, word):
		case t.kind == tokenWord && name.Len() > 0 && word == "as":
			t = l.next()
			f.imported(start, t.end, f.text(t), name.String(), t)
			return l.next()
		case t.kind == tokenWord || t.kind == '.' || t.kind == '*':
			if name.Len() < maxTitle {
				name.WriteString(strings.Trim(word, "`"))
			}
			end = t.end
		case t.kind == tokenScope && how.aliased:
			name.WriteByte('.')
		case t.kind == '=' && how.aliased && text == "":
			text = name.String()
			name.Reset()
		default:
			return t // a statement of another kind, such as "using (…)"
		}
	}
}

// imported keeps an import, and returns the token after it.
func (f *importFinder) imported(start, end int, text, name string, next token) token {
	if name != "" && name != "." {
		f.add(start, end, linkset.Import, text, name)
	}
	return next
}

// rustImports finds the paths that "use" names, the crates of "extern crate",
// and the files of "mod".
func (f *importFinder) rustImports() {
	l := newLexer(&syntax{literal: rustLiteral, prefixes: "rbc", nested: true}, f.src)
	for t := l.next(); t.kind != tokenEnd && !f.stop(t.start); {
		if t.kind != tokenWord {
			t = l.next()
			continue
		}
		switch f.text(t) {
		case "use":
			t = f.rustUse(&l, t.start)
		case "mod":
			t = f.rustName(&l, t.start, linkset.Include)
		case "crate":
			t = f.rustName(&l, t.start, linkset.Import)
		default:
			t = l.next()
		}
	}
}

// rustName reads a name followed by a semicolon or "as".
func (f *importFinder) rustName(l *lexer, start int, kind string) token {
	name := l.next()
	if name.kind != tokenWord {
		return name
	}
	after := l.next()
	if after.kind == ';' || kind == linkset.Import && after.kind == tokenWord && f.text(after) == "as" {
		f.add(start, after.end, kind, "", f.text(name))
	}
	return after
}

// maxUseDepth is how deeply the braces of "use" may nest.
const maxUseDepth = 32

// rustUse reads a tree of paths, from the word "use" to the token after its
// semicolon.
func (f *importFinder) rustUse(l *lexer, start int) token {
	prefixes := []string{""}
	path, alias := "", ""
	from := start
	flush := func(end int) {
		if path = strings.TrimPrefix(path, "::"); path != "" && len(path) < maxTitle*4 {
			f.add(from, end, linkset.Import, alias, strings.TrimSuffix(path, "::self"))
		}
		path, alias = prefixes[len(prefixes)-1], ""
		from = end
	}
	end, had := start, false // had: the path has its own part
	for t := l.next(); ; t = l.next() {
		switch {
		case t.kind == tokenEnd, t.kind == ';', t.kind == '=', t.kind == '(':
			if had && t.kind == ';' {
				flush(end)
			}
			return t
		case t.kind == '{' && len(prefixes) < maxUseDepth:
			prefixes, had = append(prefixes, path), false
		case t.kind == ',' || t.kind == '}':
			if had {
				flush(end)
			}
			if had = false; t.kind == '}' && len(prefixes) > 1 {
				prefixes = prefixes[:len(prefixes)-1]
			}
			path = prefixes[len(prefixes)-1]
		case t.kind == tokenWord && f.text(t) == "as":
			t = l.next()
			alias, end = f.text(t), t.end
		case t.kind == tokenWord, t.kind == tokenScope, t.kind == '*':
			if !had {
				from = t.start
				if len(prefixes) == 1 {
					from = start
				}
			}
			if len(path) < maxTitle*4 {
				path += f.text(t)
			}
			end, had = t.end, true
		}
	}
}
