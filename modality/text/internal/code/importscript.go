package code

import (
	"bytes"
	"strings"

	"github.com/citekit/citekit/modality/text/internal/linkset"
)

// scriptImports finds the modules that JavaScript and TypeScript import, export
// from, require and load, if their names are plain strings.
func (f *importFinder) scriptImports() {
	l := scriptLexer{src: f.src}
	if bytes.HasPrefix(f.src, []byte("#!")) {
		l.at = lineEnd(f.src, 0)
	}
	for l.next(); l.tok != scriptEOF && !f.stop(l.start); l.next() {
		if l.tok != scriptWord || l.prev == '.' {
			continue
		}
		start := l.start
		switch string(l.text()) {
		case "import":
			f.scriptModule(&l, start)
		case "export":
			if tok, text, _ := l.peek(); tok == '{' || tok == '*' || tok == scriptOperator || string(text) == "type" {
				f.scriptModule(&l, start)
			}
		case "require":
			f.scriptCall(&l, start)
		}
	}
}

// maxClause is how many tokens may stand between "import" and the module.
const maxClause = 5_000

// scriptModule reads an import up to the name of the module.
func (f *importFinder) scriptModule(l *scriptLexer, start int) {
	if tok, _, _ := l.peek(); tok == '(' {
		f.scriptCall(l, start)
		return
	}
	from := false // the previous word is "from", or nothing is imported by name
	for n := range maxClause {
		tok, text, _ := l.peek()
		switch {
		case tok == scriptValue && (n == 0 || from):
			l.next()
			f.addLiteral(start, l.start, l.at)
			return
		case tok == scriptWord:
			from = string(text) == "from"
			if w := string(text); w == "const" || w == "function" || w == "class" || w == "import" || w == "export" {
				return
			}
		case tok == '{' || tok == '}' || tok == ',' || tok == '*' || tok == scriptOperator:
			from = false
		default:
			if string(text) == "=" { // import a = require("b")
				return
			}
			if tok != scriptValue { // a name written as a string
				return
			}
		}
		l.next()
	}
}

// scriptCall reads the only argument of a call, if it is a string.
func (f *importFinder) scriptCall(l *scriptLexer, start int) {
	if tok, _, _ := l.peek(); tok != '(' {
		return
	}
	l.next()
	if tok, _, _ := l.peek(); tok != scriptValue {
		return
	}
	l.next()
	from, to := l.start, l.at
	if tok, _, _ := l.peek(); tok == ')' || tok == ',' {
		f.addLiteral(start, from, to)
	}
}

func (f *importFinder) addLiteral(start, from, to int) {
	if target, ok := plainString(f.src[from:to]); ok {
		f.add(start, to, linkset.Import, "", target)
	}
}

// rubyImports finds what Ruby requires and loads.
func (f *importFinder) rubyImports() {
	l := rubyLexer{src: f.src}
	for l.next(); l.tok != rubyEOF && !f.stop(l.start); l.next() {
		if l.tok != rubyWord || l.isMember {
			continue
		}
		kind := rubyKinds[string(l.text())]
		if kind == "" {
			continue
		}
		start, relative := l.start, string(l.text()) == "require_relative"
		l.next()
		if l.tok == '(' {
			l.next()
		}
		if l.tok != rubyValue {
			continue
		}
		if target, ok := plainString(l.text()); ok {
			if relative && !strings.HasPrefix(target, ".") {
				target = "./" + target
			}
			f.add(start, l.at, kind, "", target)
		}
	}
}

// rubyKinds are the kinds of links that methods make.
var rubyKinds = map[string]string{"require": linkset.Import, "require_relative": linkset.Include, "load": linkset.Include}

// phpImports finds the files that PHP includes, and the names that "use" imports
// outside of classes and closures.
func (f *importFinder) phpImports() {
	l := newPHPLexer(f.src)
	depth, classes := 0, []int{} // classes: depths of the braces of classes
	pending := false             // a class has begun, but not its braces
	first := true
	for l.next(); l.tok != phpEOF && !f.stop(l.start); l.next() {
		switch {
		case l.tok == '{':
			if depth++; pending {
				classes, pending = append(classes, depth), false
			}
		case l.tok == '}':
			if n := len(classes); n > 0 && classes[n-1] == depth {
				classes = classes[:n-1]
			}
			depth = max(depth-1, 0)
		case l.tok != phpWord:
		default:
			switch strings.ToLower(string(l.text())) {
			case "class", "interface", "trait", "enum":
				pending = first || l.prev == phpWord
			case "use":
				if first && len(classes) == 0 {
					f.phpUse(&l)
				}
			case "include", "include_once", "require", "require_once":
				f.phpInclude(&l)
			}
		}
		first = l.tok == ';' || l.tok == '{' || l.tok == '}' || l.tok == '#'
	}
}

// phpUse reads names up to the semicolon. Several names may share the part before
// a brace.
func (f *importFinder) phpUse(l *phpLexer) {
	start, prefix, name, alias := l.start, "", "", false
	for l.next(); l.tok != phpEOF; l.next() {
		word := string(l.text())
		switch {
		case l.tok == ';' || l.tok == ',' || l.tok == '}':
			if name != "" && len(prefix)+len(name) < maxTitle*4 {
				f.add(start, l.prevEnd, linkset.Import, "", strings.TrimPrefix(prefix+name, `\`))
			}
			if name, alias = "", false; l.tok == ';' {
				return
			}
			if l.tok == '}' {
				prefix = ""
			}
			start = l.end
		case l.tok == '{':
			prefix, name = name, ""
		case l.tok == phpWord && (word == "function" || word == "const") && name == "":
		case l.tok == phpWord && word == "as":
			alias = true
		case l.tok == phpWord && !alias:
			if name == "" && (prefix != "" || start == l.prevEnd) {
				start = l.start
			}
			name += word
		case l.tok == phpWord:
		default:
			return
		}
	}
}

// phpInclude reads the path of a file: a string, optionally after "__DIR__ .".
func (f *importFinder) phpInclude(l *phpLexer) {
	start, beside := l.start, ""
	tok, text := l.peek()
	if tok == '(' {
		l.next()
		tok, text = l.peek()
	}
	if tok == phpWord && string(text) == "__DIR__" {
		l.next()
		if tok, _ = l.peek(); tok != '.' {
			return
		}
		l.next()
		beside = "."
		tok, _ = l.peek()
	}
	if tok != phpValue {
		return
	}
	l.next()
	target, ok := plainString(l.text())
	if next, _ := l.peek(); ok && (next == ';' || next == ')' || next == phpEOF) {
		f.add(start, l.end, linkset.Include, "", beside+target)
	}
}
