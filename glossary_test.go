package citekit_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// retired says which words names no longer have, and what they say instead:
// one word for one idea, see the glossary in docs/design.md.
var retired = map[string]string{
	"twin":    "SameBytes, original",
	"deal":    "process",
	"land":    "drop, finish",
	"fly":     "make",
	"doomed":  "deletion",
	"way":     "method, form",
	"verify":  "check (verify is for quotes)",
	"found":   "candidate (for a type)",
	"extract": "Content (for a type), Resolve (for a method)",
}

// onlyTypes are retired words that only types may not have as their whole name.
var onlyTypes = []string{"found", "extract"}

var nameWord = regexp.MustCompile(`[A-Z]+[a-z0-9]*|[a-z0-9]+`)

// TestGlossary holds the names that we declare to the glossary.
func TestGlossary(t *testing.T) {
	sharedtest.NotShort(t)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			for _, name := range declared(n) {
				for _, word := range nameWord.FindAllString(name.Name, -1) {
					word = strings.ToLower(word)
					if word == "verify" && strings.Contains(filepath.ToSlash(path), "verify") {
						continue // it is about quotes
					}
					if use := retired[word]; use != "" && !slices.Contains(onlyTypes, word) {
						t.Errorf("%s: %s; say %s", files.Position(name.Pos()), name.Name, use)
					}
				}
			}
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.IsExported() && slices.Contains(onlyTypes, strings.ToLower(spec.Name.Name)) {
				t.Errorf("%s: type %s; say %s", files.Position(spec.Pos()), spec.Name.Name, retired[strings.ToLower(spec.Name.Name)])
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// declared returns the names that a node of a syntax tree declares itself.
func declared(n ast.Node) (names []*ast.Ident) {
	switch d := n.(type) {
	case *ast.FuncDecl:
		return []*ast.Ident{d.Name}
	case *ast.TypeSpec:
		return []*ast.Ident{d.Name}
	case *ast.Field:
		return d.Names
	case *ast.ValueSpec:
		return d.Names
	case *ast.AssignStmt:
		for _, left := range d.Lhs {
			if name, ok := left.(*ast.Ident); ok && d.Tok == token.DEFINE {
				names = append(names, name)
			}
		}
	}
	return names
}
