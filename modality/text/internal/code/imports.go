package code

import (
	"bytes"
	"context"
	"fmt"
	gotoken "go/token"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text/internal/linkset"
	"github.com/citekit/citekit/relations"
)

// Links returns what src imports and includes, with the lines of each, in line
// order. src is as for [Map]. The target is written as in the language: the path
// of a package, the dotted name of a module, a path relative to the file, or a
// header in "<" and ">" if it is not looked for beside the file. For a name
// imported from a module, the target is the module and the text the name.
//
// For an unknown language the error matches [citekit.ErrSyntax]. SQL has no
// links.
func Links(ctx context.Context, lang Language, src []byte) ([]relations.Link, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	f := &importFinder{ctx: ctx, src: src, lines: lineCounter{src: src}}
	if !f.find(lang) {
		return nil, fmt.Errorf("language %q is not known: %w", string(lang), citekit.ErrSyntax)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return f.set.Links(), nil
}

// An importFinder gathers what a source imports.
type importFinder struct {
	ctx    context.Context
	src    []byte
	set    linkset.Set
	lines  lineCounter
	polled int
}

func (f *importFinder) find(lang Language) bool {
	switch lang {
	case Go:
		f.goImports()
	case Python:
		f.pythonImports()
	case JavaScript, TypeScript, TSX:
		f.scriptImports()
	case C, CPP:
		f.includes()
	case Java:
		f.dotted(&syntax{literal: javaLiteral, wordStart: "$"}, dottedImport{word: "import", modifiers: []string{"static"}})
	case Kotlin:
		f.dotted(&syntax{literal: kotlinLiteral, prefixes: "`", nested: true}, dottedImport{word: "import", lines: true})
	case Swift:
		f.dotted(&syntax{literal: swiftLiteral, prefixes: "#`", nested: true, directives: onlyConditions}, dottedImport{word: "import", lines: true, modifiers: []string{"struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor"}})
	case CSharp:
		f.dotted(&syntax{literal: csharpLiteral, prefixes: "@$", directives: allDirectives}, dottedImport{word: "using", modifiers: []string{"static", "unsafe"}, aliased: true})
	case Rust:
		f.rustImports()
	case Ruby:
		f.rubyImports()
	case PHP:
		f.phpImports()
	case Shell:
		f.shellImports()
	case SQL:
	default:
		return false
	}
	return true
}

// add records a link at the bytes from start to end.
func (f *importFinder) add(start, end int, kind, text, target string) {
	start = max(start, f.lines.at) // lines are only counted forwards
	lines := f.lines.lines(start, max(start, end-1)+1)
	f.set.Add(lines.First, lines.Last, kind, text, target)
}

// stop reports whether to stop at offset at.
func (f *importFinder) stop(at int) bool {
	if at-f.polled < pollBytes {
		return false
	}
	f.polled = at
	return f.ctx.Err() != nil || f.set.Full()
}

// plainString returns the text between the quotes of a literal, if it has no
// escapes, interpolation or prefix.
func plainString(literal []byte) (text string, ok bool) {
	if len(literal) < 2 || literal[0] != literal[len(literal)-1] || bytes.IndexByte([]byte("\"'`"), literal[0]) < 0 {
		return "", false
	}
	inner := literal[1 : len(literal)-1]
	if bytes.ContainsAny(inner, "\\\n") || literal[0] != '\'' && bytes.Contains(inner, []byte("${")) || literal[0] == '"' && bytes.Contains(inner, []byte("#{")) {
		return "", false
	}
	return string(inner), true
}

// goImports finds the imports of Go, which precede all other declarations.
func (f *importFinder) goImports() {
	l := newGoLexer(f.src)
	for l.next(); l.tok != gotoken.EOF && !f.stop(l.start); l.next() {
		switch {
		case l.depth > 0:
		case l.tok == gotoken.IMPORT:
			f.goImport(l)
		case l.tok == gotoken.FUNC, l.tok == gotoken.TYPE, l.tok == gotoken.VAR, l.tok == gotoken.CONST:
			return
		}
	}
}

// goImport reads from the word "import" to the end of its declaration.
func (f *importFinder) goImport(l *goLexer) {
	name, start := "", -1
	for l.next(); l.tok != gotoken.EOF; l.next() {
		switch {
		case l.isWord(), l.tok == gotoken.PERIOD:
			name, start = string(l.text()), l.start
		case l.tok.IsLiteral():
			if start < 0 {
				start = l.start
			}
			if path, ok := plainString(l.text()); ok {
				f.add(start, l.end, linkset.Import, name, path)
			}
			name, start = "", -1
		case l.tok == gotoken.SEMICOLON && l.depth == 0:
			return
		}
	}
}

// includes finds the "#include" directives of C, including those in branches that
// a condition leaves out.
func (f *importFinder) includes() {
	l := newLexer(cSyntax(), f.src)
	l.directive = func(line byteSpan) { f.include(line) }
	for t := l.next(); t.kind != tokenEnd && !f.stop(t.start); t = l.next() {
	}
}

func (f *importFinder) include(line byteSpan) {
	text := bytes.TrimLeft(f.src[line.start+1:line.end], " \t")
	rest, ok := bytes.CutPrefix(text, []byte("include"))
	if rest, ok = cutNext(rest, ok); !ok {
		return
	}
	closing := rest[0]
	if closing == '<' {
		closing = '>'
	}
	n := bytes.IndexByte(rest[1:], closing)
	if closing != '"' && closing != '>' || n <= 0 || bytes.IndexByte(rest[:n+1], '\n') >= 0 {
		return
	}
	target := string(rest[1 : n+1])
	if closing == '>' {
		target = string(rest[:n+2])
	}
	f.add(line.start, line.end, linkset.Include, "", target)
}

// cutNext returns the path after "include" or "include_next".
func cutNext(rest []byte, ok bool) ([]byte, bool) {
	rest = bytes.TrimLeft(bytes.TrimPrefix(rest, []byte("_next")), " \t")
	return rest, ok && len(rest) > 2
}
