package citekit_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// unrunnable lists the packages whose example only compiles, and why.
var unrunnable = map[string]string{
	"modality/modalitytest":                   "a suite needs the T of a test",
	"workspace/workspacetest":                 "a suite needs the T of a test",
	"search/embedding/internal/embeddingtest": "a suite needs the T of a test",
	"internal/command/internal/render":        "needs LibreOffice",
}

// TestEveryPackageHasAnExample checks that each package that others can import
// says what it is for, and shows its main use in an example with output.
func TestEveryPackageHasAnExample(t *testing.T) {
	sharedtest.Once(t)
	public := 0
	for _, p := range listPackages(t) {
		room := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if p.Name == "main" || len(p.GoFiles) == 0 || strings.HasPrefix(room, "internal/") || strings.Contains(room, "/internal/") {
			continue
		}
		public++
		comment, examples := documentation(t, filepath.FromSlash("./"+room))
		if !strings.HasPrefix(comment, "Package "+p.Name+" ") {
			t.Errorf("the comment of package %s begins with %.40q", p.ImportPath, comment)
		}
		runs := false
		for _, e := range examples {
			runs = runs || e.Output != ""
		}
		switch _, known := unrunnable[room]; {
		case len(examples) == 0:
			t.Errorf("package %s has no example", p.ImportPath)
		case !runs && !known:
			t.Errorf("no example of package %s has an output", p.ImportPath)
		case runs && known:
			t.Errorf("package %s has an example with output: remove it from unrunnable", p.ImportPath)
		}
	}
	if public < 20 {
		t.Errorf("the list has only %d packages", public)
	}
}

// documentation returns the package comment and the examples of a directory.
func documentation(t *testing.T, dir string) (comment string, examples []*doc.Example) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var tests []*ast.File
	for _, entry := range entries {
		name := entry.Name()
		if filepath.Ext(name) != ".go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			tests = append(tests, file)
		} else if comment == "" {
			comment = file.Doc.Text()
		}
	}
	return comment, doc.Examples(tests...)
}
