package markup_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/text/internal/markup"
)

// A title is a heading as a reader or another program tells it.
type title struct {
	Level int
	Line  int
	Text  string
}

// How many real files are compared with each other program, unless the tests
// may take minutes, and how many of one directory, and of all those in one,
// come before others.
const (
	someFiles     = 150
	inDirectory   = 4
	inDirectories = 15
)

// realFiles returns files with one of the extensions, each content once: those
// of Go and of the modules that go.mod requires, those below the places where
// software keeps its documentation, and those that CITEKIT_DOCS lists. It
// returns all of them, or some, of which the first places come first and else
// the content says which, not where it lies. Without any the test is skipped, or
// fails where CI is set.
func realFiles(t *testing.T, extensions ...string) []string {
	t.Helper()
	var files []string
	seen := make(map[[sha256.Size]byte]bool)
	for _, roots := range [][]string{pinnedRoots(t), docRoots()} {
		var found []hashed
		for _, name := range pathsBelow(roots, extensions) {
			src, ok := readText(name)
			if sum := sha256.Sum256(src); ok && !seen[sum] {
				seen[sum] = true
				found = append(found, hashed{name, sum})
			}
		}
		slices.SortFunc(found, func(a, b hashed) int { return bytes.Compare(a.sum[:], b.sum[:]) })
		files = append(files, spread(found)...)
	}
	if !sharedtest.Long() {
		files = files[:min(len(files), someFiles)]
	}
	if len(files) == 0 {
		sharedtest.Missing(t, "no files with any of the extensions "+strings.Join(extensions, ", ")+": set CITEKIT_DOCS to directories that have some")
	}
	return files
}

// A hashed is a file with the hash of its text.
type hashed struct {
	name string
	sum  [sha256.Size]byte
}

// pinnedRoots returns directories that have the same documentation on each
// machine with the same Go. Directories that CITEKIT_DOCS lists come instead.
func pinnedRoots(t *testing.T) []string {
	if docs := os.Getenv("CITEKIT_DOCS"); docs != "" {
		return filepath.SplitList(docs)
	}
	return append(sharedtest.Modules(t), sharedtest.GoRoot(t))
}

// docRoots returns directories in which a machine has documentation.
func docRoots() []string {
	roots := []string{"/usr/share/doc", "/usr/lib/node_modules", "/usr/share/perl", "/usr/share/ruby-asciidoctor"}
	if out, err := exec.Command("python3", "-c", "import site; print(*site.getsitepackages())").Output(); err == nil {
		roots = append(roots, strings.Fields(string(out))...)
	}
	return roots
}

// pathsBelow returns the files with one of the extensions below the roots, in the
// order of these and then of the names inside them.
func pathsBelow(roots, extensions []string) []string {
	var paths []string
	for _, root := range roots {
		filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() && slices.Contains(extensions, filepath.Ext(name)) {
				paths = append(paths, name)
			}
			return nil
		})
	}
	return paths
}

// spread returns the names of the files, those first that are not too many of
// one directory.
func spread(files []hashed) []string {
	of := make(map[string]int)
	var first, rest []string
	for _, f := range files {
		dir := filepath.Dir(f.name)
		around := filepath.Join(filepath.Dir(dir), "*")
		if of[dir] == inDirectory || of[around] == inDirectories {
			rest = append(rest, f.name)
			continue
		}
		of[dir]++
		of[around]++
		first = append(first, f.name)
	}
	return append(first, rest...)
}

// readText returns the text of a file, with its line ends made "\n", and
// whether it is UTF-8.
func readText(name string) ([]byte, bool) {
	src, err := os.ReadFile(name)
	if err != nil || len(src) > 8<<20 || !utf8.Valid(src) {
		return nil, false
	}
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\ufeff", "", "\x00", "").Replace(string(src))
	return []byte(text), true
}

// titlesOf returns the sections that Map finds, with the level that their
// nesting gives them.
func titlesOf(t *testing.T, format markup.Format, src []byte) []title {
	t.Helper()
	structure, err := markup.Map(context.Background(), format, src)
	if err != nil {
		t.Fatal(err)
	}
	return flatten(structure.Nodes, 1)
}

func flatten(nodes []*citekit.Node, depth int) []title {
	var titles []title
	for _, n := range nodes {
		if n.Type == "section" {
			titles = append(titles, title{depth, n.Location.Lines.First, n.Title})
		}
		titles = append(titles, flatten(n.Children, depth+1)...)
	}
	return titles
}

// nest replaces levels by the depth in the tree that they make.
func nest(titles []title) []title {
	var open []int
	nested := make([]title, len(titles))
	for i, h := range titles {
		for len(open) > 0 && open[len(open)-1] >= h.Level {
			open = open[:len(open)-1]
		}
		open = append(open, h.Level)
		nested[i] = title{len(open), h.Line, h.Text}
	}
	return nested
}

// compareHeadings compares the headings of the real files with some extensions with
// those that another program finds.
func compareHeadings(t *testing.T, format markup.Format, program *exec.Cmd, extensions ...string) {
	t.Helper()
	files := realFiles(t, extensions...)
	want := oracle(t, program, files)
	var count tally
	for i, name := range files {
		src, _ := readText(name)
		count.agree(t, name, titlesOf(t, format, src), nest(want[i]))
	}
	count.report(t, len(files)/100+1)
}

// A tally counts what agrees with another program.
type tally struct {
	files, same, titles int
}

// agree reports whether two lists of titles are the same, and shows where they
// first differ.
func (c *tally) agree(t *testing.T, name string, got, want []title) {
	t.Helper()
	c.files++
	c.titles += len(want)
	if slices.Equal(got, want) {
		c.same++
		return
	}
	for i := range max(len(got), len(want)) {
		var a, b title
		if i < len(got) {
			a = got[i]
		}
		if i < len(want) {
			b = want[i]
		}
		if a != b {
			t.Logf("%s: heading %d\n got %+v\nwant %+v", name, i, a, b)
			return
		}
	}
}

// report fails the test if more files differ than allowed.
func (c *tally) report(t *testing.T, allowed int) {
	t.Helper()
	t.Logf("%d of %d files agree; %d headings", c.same, c.files, c.titles)
	if c.titles == 0 {
		t.Error("no headings were compared")
	}
	if differ := c.files - c.same; differ > allowed {
		t.Errorf("%d of %d files differ", differ, c.files)
	}
}
