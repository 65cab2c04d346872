package code_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"iter"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/text/internal/code"
)

// A declared is a symbol as an independent parser sees it.
type declared struct {
	Kind, Name  string
	First, Last int
}

// A parsed is a source file and what an independent parser finds in it.
type parsed struct {
	Lang    code.Language
	Path    string
	Broken  bool // the parser met an error
	Symbols []declared
}

// A tally counts how far two parsers agree.
type tally struct {
	files, broken int
	want, got     int // symbols
	found         int // by name, with the first or the last line right
	kinds         int // and the kind
	first, last   int // and the first line, the last line
	exact         int // and both
}

func (t *tally) String() string {
	share := func(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
	return fmt.Sprintf("%d files (%d broken left out), %d symbols: recall %.4f, precision %.4f, first line %.4f, last line %.4f, recall with exact lines %.4f, kind %.4f",
		t.files, t.broken, t.want, share(t.found, t.want), share(t.found, t.got), share(t.first, t.found), share(t.last, t.found), share(t.exact, t.want), share(t.kinds, t.found))
}

// compare adds to the tally what we find in p, and returns what differs.
func (t *tally) compare(p parsed, got []declared) (differences []string) {
	t.files++
	t.want += len(p.Symbols)
	t.got += len(got)
	rest := slices.Clone(got)
	var missed []declared
	for _, want := range p.Symbols {
		if i := slices.IndexFunc(rest, func(g declared) bool { return sameName(want, g) && g.First == want.First && g.Last == want.Last }); i >= 0 {
			t.found, t.first, t.last, t.exact = t.found+1, t.first+1, t.last+1, t.exact+1
			t.countKind(want, rest[i], &differences)
			rest = slices.Delete(rest, i, i+1)
			continue
		}
		missed = append(missed, want)
	}
	for _, want := range missed {
		i := slices.IndexFunc(rest, func(g declared) bool { return sameName(want, g) && (g.First == want.First || g.Last == want.Last) })
		if i < 0 {
			differences = append(differences, fmt.Sprintf("missed %v", want))
			continue
		}
		t.found++
		if rest[i].First == want.First {
			t.first++
		} else {
			t.last++
		}
		differences = append(differences, fmt.Sprintf("want %v, got %v", want, rest[i]))
		t.countKind(want, rest[i], &differences)
		rest = slices.Delete(rest, i, i+1)
	}
	for _, g := range rest {
		differences = append(differences, fmt.Sprintf("extra %v", g))
	}
	return differences
}

func (t *tally) countKind(want, got declared, differences *[]string) {
	if want.Kind == got.Kind {
		t.kinds++
	} else if os.Getenv("CITEKIT_CODE_KINDS") != "" {
		*differences = append(*differences, fmt.Sprintf("kind of %v is %s", want, got.Kind))
	}
}

// sameName reports whether got is titled with the name, be it after the name
// of its type.
func sameName(want, got declared) bool {
	return got.Name == want.Name || strings.HasSuffix(got.Name, "."+want.Name) || strings.HasSuffix(got.Name, "::"+want.Name)
}

// symbolsOf returns the symbols we find in a file.
func symbolsOf(t *testing.T, p parsed) []declared {
	t.Helper()
	src, err := os.ReadFile(p.Path)
	if err != nil {
		t.Fatal(err)
	}
	return flatten(t, p.Lang, bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")))
}

func flatten(t *testing.T, lang code.Language, src []byte) []declared {
	t.Helper()
	structure, err := code.Map(context.Background(), lang, src)
	if err != nil {
		t.Fatal(err)
	}
	var all []declared
	m := citekit.ResourceMap{Nodes: structure.Nodes}
	for n := range m.All() {
		all = append(all, declared{n.Type, n.Title, n.Location.Lines.First, n.Location.Lines.Last})
	}
	return all
}

// measure compares each file with what an independent parser found in it, and
// fails the test where in a language with enough symbols the recall, or the
// share of exact last lines, is below .98.
func measure(t *testing.T, all iter.Seq[parsed]) {
	t.Helper()
	tallies := make(map[code.Language]*tally)
	for p := range all {
		if tallies[p.Lang] == nil {
			tallies[p.Lang] = new(tally)
		}
		if p.Broken {
			tallies[p.Lang].broken++
			continue
		}
		report(t, p, tallies[p.Lang].compare(p, symbolsOf(t, p)))
	}
	if len(tallies) == 0 {
		sharedtest.Missing(t, "no files to compare")
	}
	const enough, least = 500, 0.98
	for _, lang := range slices.Sorted(maps.Keys(tallies)) {
		n := tallies[lang]
		t.Logf("%s: %v", lang, n)
		if n.want >= enough && (float64(n.found) < least*float64(n.want) || float64(n.last) < least*float64(n.found)) {
			t.Errorf("%s: less than %v", lang, least)
		}
	}
}

// report prints the differences where CITEKIT_CODE_DIFFERENCES is set.
func report(t *testing.T, p parsed, differences []string) {
	t.Helper()
	if os.Getenv("CITEKIT_CODE_DIFFERENCES") == "" {
		return
	}
	for _, d := range differences {
		t.Logf("%s: %s", p.Path, d)
	}
}

// sourcesOf returns sources under the directories: of each language as many
// as limit. Which they are depends on their paths inside the directory alone, in
// an order that has nothing to do with their names, so that it is the same
// wherever the directory lies.
func sourcesOf(t *testing.T, limit int, dirs ...string) map[code.Language][]string {
	t.Helper()
	type source struct {
		order [sha256.Size]byte
		name  string
	}
	found := make(map[code.Language][]source)
	for _, dir := range dirs {
		err := fs.WalkDir(os.DirFS(dir), ".", func(inside string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || strings.Contains("/"+inside, "/testdata/") || strings.HasPrefix(inside, "site-packages/") {
				return nil
			}
			if info, err := d.Info(); err != nil || info.Size() > 1<<20 {
				return nil
			}
			if lang, ok := code.LanguageOf(inside, nil); ok && lang != code.C && lang != code.CPP {
				found[lang] = append(found[lang], source{sha256.Sum256([]byte(inside)), filepath.Join(dir, filepath.FromSlash(inside))})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	names := make(map[code.Language][]string)
	for lang, all := range found {
		slices.SortFunc(all, func(a, b source) int { return bytes.Compare(a.order[:], b.order[:]) })
		for _, s := range all[:min(len(all), limit)] {
			names[lang] = append(names[lang], s.name)
		}
	}
	return names
}

// TestTreeSitter compares with tree-sitter: the files listed in the file named
// by CITEKIT_CODE_FILES, as testdata/oracle.mjs reads them, else packages of
// Node and what Debian has of Ruby and shell: 200 files of each language, or
// with CITEKIT_LONG all. What a program wrote or made small is judged as all
// else.
func TestTreeSitter(t *testing.T) {
	node := sharedtest.Tool(t, "node")
	modules := os.Getenv("CITEKIT_CODE_MODULES")
	if modules == "" {
		modules = filepath.Join("testdata", "node_modules")
	}
	if _, err := os.Stat(filepath.Join(modules, "web-tree-sitter")); err != nil {
		sharedtest.Missing(t, "no tree-sitter: run npm ci in modality/text/internal/code/testdata, or set CITEKIT_CODE_MODULES")
	}
	var list []byte
	if name := os.Getenv("CITEKIT_CODE_FILES"); name != "" {
		var err error
		if list, err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	} else {
		limit := 200
		if sharedtest.Long() {
			limit = math.MaxInt
		}
		for lang, names := range sourcesOf(t, limit, sharedtest.NodeModules(t), "/usr/lib/ruby", "/usr/share/bash-completion", "/usr/share/rubygems-integration") {
			for _, name := range names {
				list = fmt.Appendf(list, "%s\t%s\n", lang, name)
			}
		}
	}
	cmd := exec.Command(node, filepath.Join("testdata", "oracle.mjs"), modules)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(list), os.Stderr
	measure(t, answers(t, cmd))
}

// answers runs an independent parser, which prints a line for each file.
func answers(t *testing.T, cmd *exec.Cmd) iter.Seq[parsed] {
	t.Helper()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(parsed) bool) {
		for line := range bytes.Lines(out) {
			var p parsed
			if err := json.Unmarshal(line, &p); err != nil {
				t.Fatal(err)
			}
			if !yield(p) {
				return
			}
		}
	}
}

// pythonOracle prints the definitions in the files that it is given.
const pythonOracle = `
import ast, json, sys
for path in sys.stdin.read().splitlines():
    found = []
    def visit(node, of_class):
        for child in ast.iter_child_nodes(node):
            is_class = isinstance(child, ast.ClassDef)
            if is_class or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = min([child.lineno] + [d.lineno for d in child.decorator_list])
                kind = "class" if is_class else "method" if of_class else "function"
                found.append({"kind": kind, "name": child.name, "first": first, "last": child.end_lineno})
                visit(child, is_class)
            else:
                visit(child, False)
    broken = False
    try:
        with open(path, encoding="utf-8") as f:
            visit(ast.parse(f.read()), False)
    except (SyntaxError, ValueError, RecursionError):
        broken = True
    print(json.dumps({"lang": "python", "path": path, "broken": broken, "symbols": found}))
`

// TestPythonParser compares with the parser of Python itself: the files of its
// standard library, or those listed in the file named by CITEKIT_CODE_FILES.
func TestPythonParser(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	python := sharedtest.Tool(t, "python3")
	var names []string
	if list := os.Getenv("CITEKIT_CODE_FILES"); list != "" {
		names = listed(t, list, code.Python)
	} else {
		dir, err := exec.Command(python, "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))").Output()
		if err != nil {
			t.Fatal(err)
		}
		names = sourcesOf(t, 300, strings.TrimSpace(string(dir)))[code.Python]
	}
	cmd := exec.Command(python, "-W", "ignore", "-c", pythonOracle)
	cmd.Stdin, cmd.Stderr = strings.NewReader(strings.Join(names, "\n")), os.Stderr
	measure(t, answers(t, cmd))
}

// listed returns the paths of the files of one language in a list.
func listed(t *testing.T, list string, lang code.Language) (names []string) {
	t.Helper()
	lines, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(lines)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), string(lang)+"\t"); ok {
			names = append(names, name)
		}
	}
	return names
}

// TestGoParser compares with the parser of Go itself, on the standard library
// or the files listed in the file named by CITEKIT_CODE_FILES.
func TestGoParser(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	var names []string
	if list := os.Getenv("CITEKIT_CODE_FILES"); list != "" {
		names = listed(t, list, code.Go)
	} else {
		names = sourcesOf(t, 300, filepath.Join(sharedtest.GoRoot(t), "src"))[code.Go]
	}
	measure(t, func(yield func(parsed) bool) {
		for _, name := range names {
			if !yield(parseGo(name)) {
				return
			}
		}
	})
}

func parseGo(name string) parsed {
	p := parsed{Lang: code.Go, Path: name}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
	if err != nil {
		p.Broken = true
		return p
	}
	add := func(kind, name string, n ast.Node) {
		p.Symbols = append(p.Symbols, declared{kind, name, files.PositionFor(n.Pos(), false).Line, files.PositionFor(n.End()-1, false).Line})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv != nil {
				add("method", n.Name.Name, n)
			} else {
				add("function", n.Name.Name, n)
			}
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					goType(spec, n, add)
				}
			}
		}
		return true
	})
	return p
}

// goType adds a type, which without parentheses begins with the word "type",
// and the methods of an interface.
func goType(spec *ast.TypeSpec, around *ast.GenDecl, add func(kind, name string, n ast.Node)) {
	var extent ast.Node = spec
	if !around.Lparen.IsValid() {
		extent = around
	}
	switch of := spec.Type.(type) {
	case *ast.StructType:
		add("struct", spec.Name.Name, extent)
	case *ast.InterfaceType:
		add("interface", spec.Name.Name, extent)
		for _, field := range of.Methods.List {
			if _, ok := field.Type.(*ast.FuncType); ok {
				add("method", field.Names[0].Name, field)
			}
		}
	default:
		add("type", spec.Name.Name, extent)
	}
}
