package citekit_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestOptionsArePointers holds the functions that others can call to one form: options
// are the last argument, and a pointer, so that nil means the defaults.
func TestOptionsArePointers(t *testing.T) {
	checked := 0
	for _, p := range listPackages(t) {
		room := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if p.Name == "main" || strings.HasPrefix(room, "internal/") || strings.Contains(room, "/internal/") {
			continue
		}
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(filepath.FromSlash("./"+room), name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range file.Decls {
				f, ok := decl.(*ast.FuncDecl)
				if !ok || f.Recv != nil || !f.Name.IsExported() {
					continue
				}
				for i, param := range f.Type.Params.List {
					of := param.Type
					pointer, isPointer := of.(*ast.StarExpr)
					if isPointer {
						of = pointer.X
					}
					if !isOptions(of) {
						continue
					}
					checked++
					if !isPointer || i != len(f.Type.Params.List)-1 {
						t.Errorf("%s.%s: options must be a pointer, and the last argument", p.ImportPath, f.Name.Name)
					}
				}
			}
		}
	}
	if checked < 25 {
		t.Errorf("only %d functions with options were found", checked)
	}
}

// isOptions reports whether a type is named Options or ends so.
func isOptions(of ast.Expr) bool {
	if s, ok := of.(*ast.SelectorExpr); ok {
		of = s.Sel
	}
	id, ok := of.(*ast.Ident)
	return ok && strings.HasSuffix(id.Name, "Options")
}
