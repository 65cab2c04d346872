package markup_test

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/markup"
)

// A title is a heading as a reader or another program tells it.
type title struct {
	Level int
	Line  int
	Text  string
}

// realFiles returns the files of an extension below the places where software
// keeps its documentation and those that CITEKIT_DOCS lists, sorted, each
// content once.
func realFiles(t *testing.T, extensions ...string) []string {
	t.Helper()
	roots := []string{"/usr/share/doc", "/usr/lib/node_modules", "/usr/share/perl", "/usr/share/ruby-asciidoctor", os.Getenv("CITEKIT_NODE_MODULES")}
	roots = append(roots, filepath.SplitList(os.Getenv("CITEKIT_DOCS"))...)
	if out, err := exec.Command("go", "env", "GOMODCACHE", "GOROOT").Output(); err == nil {
		roots = append(roots, strings.Fields(string(out))...)
	}
	if out, err := exec.Command("python3", "-c", "import site; print(*site.getsitepackages())").Output(); err == nil {
		roots = append(roots, strings.Fields(string(out))...)
	}
	var files []string
	seen := make(map[string]bool)
	for _, root := range roots {
		if root == "" {
			continue
		}
		filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() && slices.Contains(extensions, filepath.Ext(name)) {
				if src, ok := readText(name); ok && !seen[string(src)] {
					seen[string(src)] = true
					files = append(files, name)
				}
			}
			return nil
		})
	}
	slices.Sort(files)
	return files
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
	if differ := c.files - c.same; differ > allowed {
		t.Errorf("%d of %d files differ", differ, c.files)
	}
}
