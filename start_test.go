package citekit_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestNoExpressionsAtStart holds every package to compile regular expressions
// when they are first used, by internal/lazyregexp, and to have no init function: each
// costs every program that imports the package, at each start, some tenth of a
// millisecond.
func TestNoExpressionsAtStart(t *testing.T) {
	sharedtest.NotShort(t)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"*/*.go", "*/*/*.go", "*/*/*/*.go"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	read := 0
	for _, name := range files {
		slashed := filepath.ToSlash(name)
		if strings.HasSuffix(name, "_test.go") || strings.Contains(slashed, "testdata/") || strings.HasPrefix(slashed, "internal/test/") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		read++
		for _, declaration := range file.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s has an init function; use sync.OnceValue", name)
			}
			general, ok := declaration.(*ast.GenDecl)
			if !ok || general.Tok != token.VAR {
				continue
			}
			ast.Inspect(general, func(n ast.Node) bool {
				if _, ok := n.(*ast.FuncLit); ok {
					return false // it runs later
				}
				if selector, ok := n.(*ast.SelectorExpr); ok && selector.Sel.Name == "MustCompile" {
					t.Errorf("%s compiles an expression when the program starts; use internal/lazyregexp", name)
				}
				return true
			})
		}
	}
	if read < 300 {
		t.Errorf("%d files were read", read)
	}
}
