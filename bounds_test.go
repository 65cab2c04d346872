package citekit_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What this package, which all others know, may have: what only one room uses belongs
// to that room.
const (
	maxRootLines = 4000 // of all files without tests
	maxRootNames = 75   // exported types, functions, variables and constants
	maxRootFiles = 25
)

// TestRootIsSmall counts the lines, the exported names and the files of this package.
func TestRootIsSmall(t *testing.T) {
	all, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var lines, files int
	var names []string
	for _, name := range all {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, data, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files++
		lines += bytes.Count(data, []byte("\n"))
		names = append(names, declaredIn(file)...)
	}
	if files == 0 || files > maxRootFiles || lines > maxRootLines || len(names) > maxRootNames {
		t.Errorf("%d files, %d lines, %d names; at most %d, %d and %d: %s",
			files, lines, len(names), maxRootFiles, maxRootLines, maxRootNames, strings.Join(names, " "))
	}
}

// declaredIn lists the exported names that a file declares at package level.
func declaredIn(file *ast.File) (names []string) {
	add := func(ids ...*ast.Ident) {
		for _, id := range ids {
			if id.IsExported() {
				names = append(names, id.Name)
			}
		}
	}
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					add(s.Name)
				case *ast.ValueSpec:
					add(s.Names...)
				}
			}
		}
	}
	return names
}
