package citekit_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// exportedIn returns the names of a package, and as "Type.Name" those of
// methods and fields.
func exportedIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			addNames(names, decl)
		}
		addMembersOfAliases(t, names, file)
	}
	return names
}

// addMembersOfAliases adds the fields and methods of types that a file takes from
// another package of ours.
func addMembersOfAliases(t *testing.T, names map[string]bool, file *ast.File) {
	t.Helper()
	imported := make(map[string]string) // folders, by the names of packages
	for _, i := range file.Imports {
		name, err := strconv.Unquote(i.Path.Value)
		folder, ours := strings.CutPrefix(name, module+"/")
		if err != nil || !ours {
			continue
		}
		name = path.Base(name)
		if i.Name != nil {
			name = i.Name.Name
		}
		imported[name] = folder
	}
	ast.Inspect(file, func(n ast.Node) bool {
		alias, ok := n.(*ast.TypeSpec)
		if !ok || !alias.Assign.IsValid() {
			return true
		}
		if from, ok := alias.Type.(*ast.SelectorExpr); ok {
			for name := range exportedIn(t, imported[fmt.Sprint(from.X)]) {
				if member, ok := strings.CutPrefix(name, from.Sel.Name+"."); ok {
					names[alias.Name.Name+"."+member] = true
				}
			}
		}
		return true
	})
}

func addNames(names map[string]bool, decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names[d.Name.Name] = true
			return
		}
		of := d.Recv.List[0].Type
		if star, ok := of.(*ast.StarExpr); ok {
			of = star.X
		}
		if id, ok := of.(*ast.Ident); ok {
			names[id.Name+"."+d.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				for _, name := range s.Names {
					names[name.Name] = true
				}
			case *ast.TypeSpec:
				names[s.Name.Name] = true
				ast.Inspect(s.Type, func(n ast.Node) bool {
					if field, ok := n.(*ast.Field); ok {
						for _, name := range field.Names {
							names[s.Name.Name+"."+name.Name] = true
						}
					}
					return true
				})
			}
		}
	}
}

// variables are what the documents call values of our types.
var variables = map[string]string{"lib": "Library", "searcher": "Searcher"}

// constants have the methods of these types.
var constants = map[string]string{
	"Document": "Modality", "Video": "Modality", "Audio": "Modality", "Image": "Modality", "Text": "Modality",
}

// TestDocsNameWhatExists checks that what the documents name of our packages is
// there: in the form package.Name or package.Type.Name, Type.Name, lib.Name.
func TestDocsNameWhatExists(t *testing.T) {
	sharedtest.Once(t)
	packages, types := make(map[string]map[string]bool), make(map[string]bool)
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if base := d.Name(); base == "internal" || base == "testdata" || base == "node_modules" || strings.HasPrefix(base, ".") && base != "." {
			return fs.SkipDir
		}
		names := exportedIn(t, name)
		for n := range names {
			types[n] = true
		}
		if name == "." {
			name = "citekit"
		}
		if len(names) > 0 && packages[path.Base(name)] == nil {
			packages[path.Base(name)] = names
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`\b([A-Za-z]+)\.([A-Z][A-Za-z]*)(?:\.([A-Z][A-Za-z]*))?\b`)
	checked := 0
	docs, err := filepath.Glob("docs/decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	docs = append(docs, "README.md", "CONTRIBUTING.md", "docs/design.md", "docs/limits.md", "docs/addresses.md", "docs/formats.md", "docs/search.md", "docs/citations.md", "docs/library.md")
	for _, doc := range docs {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			of, name, member := m[1], m[2], m[3]
			known := types
			switch {
			case variables[of] != "":
				name = variables[of] + "." + name
			case packages[of] != nil:
				known = packages[of]
			case ast.IsExported(of) && types[of]:
				name = of + "." + name
			default:
				continue // another's
			}
			checked++
			if member != "" && packages[of] != nil {
				name += "." + member
				if of := constants[m[2]]; of != "" {
					name = of + "." + member
				}
			}
			if !known[name] {
				t.Errorf("%s: there is no %s", doc, m[0])
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d names were found", checked)
	}
}
