package citekit_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestErrorPrefixes checks that the text of an error that begins with the name of a
// package of ours begins with that of its own package, or of one that it is below.
func TestErrorPrefixes(t *testing.T) {
	sharedtest.Once(t)
	packages, names := listPackages(t), make(map[string]bool)
	for _, p := range packages {
		names[p.Name] = p.Name != "main"
	}
	own := 0
	for _, p := range packages {
		if p.Name == "main" {
			continue
		}
		dir := path.Join(".", strings.TrimPrefix(p.ImportPath, module))
		for _, name := range p.GoFiles {
			for at, text := range errorTexts(t, path.Join(strings.TrimPrefix(dir, "/"), name)) {
				switch prefix, _, ok := strings.Cut(text, ": "); {
				case !ok || !names[prefix]:
				case prefix == p.Name || slices.Contains(strings.Split(dir, "/"), prefix):
					own++
				default:
					t.Errorf("%s: the error %q of package %s begins with the name of another", at, text, p.Name)
				}
			}
		}
	}
	if own == 0 {
		t.Error("no error has the name of its package")
	}
}

// errorTexts returns the texts of the errors that a file makes, by their positions.
func errorTexts(t *testing.T, name string) map[string]string {
	source, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string)
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		made, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || made.Sel.Name != "Errorf" && made.Sel.Name != "New" {
			return true
		}
		if in, ok := made.X.(*ast.Ident); !ok || in.Name != "fmt" && in.Name != "errors" {
			return true
		}
		if literal, ok := call.Args[0].(*ast.BasicLit); ok {
			texts[set.Position(literal.Pos()).String()], _ = strconv.Unquote(literal.Value)
		}
		return true
	})
	return texts
}
