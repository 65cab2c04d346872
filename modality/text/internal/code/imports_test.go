package code

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// imported writes links one a line: lines, kind, text and target.
func imported(t testing.TB, lang Language, src []byte) []string {
	t.Helper()
	links, err := Links(t.Context(), lang, src)
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{}
	for _, l := range links {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%v %s %s %s", l.From.Lines, l.Kind, l.Target, l.Text)))
	}
	return lines
}

func TestLinks(t *testing.T) {
	for _, test := range []struct {
		lang Language
		src  string
		want []string
	}{
		{Go, "package a\nimport \"b/c\"\nimport (\n\tx \"d\" // \"no\"\n\t. \"e\"\n)\nvar s = `import \"no\"`", []string{"2 import b/c", "4 import d x", "5 import e ."}},
		{Python, "'''import no'''\nimport a.b as c, d\nfrom . import e\nfrom ..f.g import (h as i, # import no\n  j)\nif x: import k; from l import *\ns = 'import no'\n", []string{"2 import a.b c", "2 import d", "3 import . e", "4 import ..f.g h", "5 import ..f.g j", "6 import k", "6 import l *"}},
		{JavaScript, "import a, {b as c} from './a.js'\nimport 'side'\nexport * from \"../x\"\nconst y = require('y'), z = await import(`./z`)\n// require('no')\nlet t = `import 'no'`; o.require('no'); import(n)\n", []string{"1 import ./a.js", "2 import side", "3 import ../x", "4 import y", "4 import ./z"}},
		{TypeScript, "import type {A} from \"./a\"\nimport b = require(\"b\")\nexport type {C} from './c'\nexport const d = 1\n", []string{"1 import ./a", "2 import b", "3 import ./c"}},
		{Java, "package p;\nimport java.util.List;\nimport static a.B.*;\n/* import no; */ class C { String s = \"import no;\"; }", []string{"2 import java.util.List", "3 import a.B.*"}},
		{Kotlin, "package p\nimport a.b.C\nimport d.* // import no\nimport e.f as g\nval s = \"import no\"", []string{"2 import a.b.C", "3 import d.*", "4 import e.f g"}},
		{Swift, "import Foundation\nimport struct A.B\n@testable import C\n// import No\nlet x = 1", []string{"1 import Foundation", "2 import A.B", "3 import C"}},
		{CSharp, "using System;\nglobal using A.B;\nusing static C.D;\nusing X = E.F;\nnamespace N { using G; class H { void M() { using (var f = Open()) { } using var g = I(); } } }", []string{"1 import System", "2 import A.B", "3 import C.D", "4 import E.F X", "5 import G"}},
		{C, "#include <stdio.h>\n#  include \"a/b.h\" // x\n/*\n#include \"no.h\"\n*/\n#if 0\n#include \"c.h\"\n#endif\nchar *s = \"#include <no.h>\";", []string{"1 include <stdio.h>", "2 include a/b.h", "7 include c.h"}},
		{Rust, "use std::io::{self, Read as R,\n  fmt::*};\nmod a;\npub(crate) mod b { use super::c; }\nextern crate d as e;\n// use no;\n", []string{"1 import std::io", "1 import std::io::Read R", "2 import std::io::fmt::*", "3 include a", "4 import super::c", "5 import d"}},
		{Ruby, "require 'a/b'\nrequire_relative \"c\"\n# require 'no'\nload('d.rb')\nx.require 'no'\nrequire \"e#{f}\"\n", []string{"1 import a/b", "2 include ./c", "4 include d.rb"}},
		{PHP, "<p><?php\nuse A\\B;\nuse C\\{D, E as F}, G;\nrequire_once __DIR__ . '/h.php';\ninclude 'i.php';\nclass J { use K; }\n$f = function () use ($x) {};\n// use No;\n", []string{"2 import A\\B", "3 import C\\D", "3 import C\\E", "3 import G", "4 include ./h.php", "5 include i.php"}},
		{Shell, "#!/bin/sh\n. ./a.sh\nsource \"b.sh\"; echo . no\nif true; then . c.sh; fi\ncat <<E\n. no.sh\nE\n# . no\n. \"$x/no\"\n", []string{"2 include ./a.sh", "3 include b.sh", "4 include c.sh"}},
		{SQL, "-- nothing", []string{}},
	} {
		if got := imported(t, test.lang, []byte(test.src)); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q\nwant %q", test.lang, got, test.want)
		}
	}
}

// TestGoImportsAgainstParser compares the imports of the Go distribution with
// those that its own parser finds.
func TestGoImportsAgainstParser(t *testing.T) {
	root := os.DirFS(filepath.Join(sharedtest.GoRoot(t), "src"))
	files, imports := 0, 0
	_ = fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.HasSuffix(path, ".go") || strings.Contains(path, "testdata") || testing.Short() && files > 500 {
			return nil
		}
		src, err := fs.ReadFile(root, path)
		if err != nil {
			return nil
		}
		set := gotoken.NewFileSet()
		file, err := parser.ParseFile(set, path, src, parser.ImportsOnly)
		if err != nil {
			return nil
		}
		want := []string{}
		for _, spec := range file.Imports {
			name := ""
			if spec.Name != nil {
				name = spec.Name.Name
			}
			line := set.PositionFor(spec.Pos(), false).Line
			want = append(want, strings.TrimSpace(fmt.Sprintf("%d import %s %s", line, strings.Trim(spec.Path.Value, "\"`"), name)))
		}
		files, imports = files+1, imports+len(want)
		if got := imported(t, Go, src); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
		return nil
	})
	t.Logf("%d imports in %d files", imports, files)
}

// pythonJudge prints for each file the imports that Python's own parser finds.
const pythonJudge = `
import ast, json, os, sys, warnings
warnings.simplefilter("ignore")
root = os.path.dirname(os.__file__)
n = 0
for d, dirs, names in os.walk(root):
    dirs[:] = sorted(x for x in dirs if x not in ("site-packages", "lib2to3"))
    for name in sorted(names):
        if not name.endswith(".py") or n >= int(sys.argv[1]): continue
        path = os.path.join(d, name)
        try:
            text = open(path, encoding="utf-8").read()
            tree = ast.parse(text)
        except Exception:
            continue
        n += 1
        found = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for a in node.names: found.append((a.name, a.asname or ""))
            elif isinstance(node, ast.ImportFrom):
                for a in node.names: found.append(("." * node.level + (node.module or ""), a.name))
        print(json.dumps({"path": path, "found": sorted(m + " " + t for m, t in found)}))
`

// TestPythonImportsAgainstAST compares the imports of Python's library with
// those that its own parser finds.
func TestPythonImportsAgainstAST(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	python := sharedtest.Tool(t, "python3")
	most := "300"
	if testing.Short() {
		most = "50"
	}
	out, err := exec.Command(python, "-c", pythonJudge, most).Output()
	if err != nil {
		t.Fatal(err)
	}
	files, imports := 0, 0
	for line := range bytes.Lines(out) {
		var judged struct {
			Path  string
			Found []string
		}
		if err := json.Unmarshal(line, &judged); err != nil {
			t.Fatal(err)
		}
		src, err := os.ReadFile(judged.Path)
		if err != nil {
			continue
		}
		links, err := Links(t.Context(), Python, bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")))
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, l := range links {
			got = append(got, l.Target+" "+l.Text)
		}
		slices.Sort(got)
		files, imports = files+1, imports+len(got)
		if !slices.Equal(got, judged.Found) {
			t.Errorf("%s: got %q, want %q", judged.Path, got, judged.Found)
		}
	}
	t.Logf("%d imports in %d files", imports, files)
}

// FuzzImports checks that links lie in their source.
func FuzzImports(f *testing.F) {
	for i, seed := range []string{"import (\"a\")", "from . import (a, b)", "import a from 'b'", "import a.b as c", "use a::{b, c};", "#include <a>", "require 'a'", "<?php use A\\{B};", ". a; source b"} {
		f.Add(seed, uint8(i))
	}
	all := []Language{Go, Python, TypeScript, Kotlin, Rust, C, Ruby, PHP, Shell, Java, Swift, CSharp, JavaScript, CPP, SQL}
	f.Fuzz(func(t *testing.T, src string, lang uint8) {
		links, err := Links(t.Context(), all[int(lang)%len(all)], []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		last := strings.Count(src, "\n") + 1
		for _, l := range links {
			if l.Target == "" || l.From.Validate() != nil || l.From.Lines.Last > last {
				t.Errorf("%+v in %q", l, src)
			}
		}
	})
}
