package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// lineSets returns ranges of lines: the first, the last, all, and some at
// random.
func lineSets(count, random int) []location {
	sets := [][]int{{1, 1}, {count, count}, {1, count}}
	r := rand.New(rand.NewPCG(uint64(count), 4))
	for range random {
		first := 1 + r.IntN(count)
		sets = append(sets, []int{first, first + r.IntN(count-first+1)})
	}
	locations := make([]location, len(sets))
	for i, lines := range sets {
		locations[i] = location{"lines": lines}
	}
	return locations
}

// countLines counts what sed counts.
func countLines(data []byte) int {
	n := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}

// compareWithSed compares lines with what sed prints.
func compareWithSed(t *testing.T, a answer) {
	t.Helper()
	lines := a.wanted(t).Lines
	want := output(t, "sed", "-n", fmt.Sprintf("%d,%dp", lines.First, lines.Last), a.path)
	if got := a.data(t); !bytes.Equal(got, want) {
		t.Errorf("%v is %.100q, not %.100q", a, got, want)
	}
}

// TestRealSourceTree resolves lines of every file of some directories of Go's
// own source.
func TestRealSourceTree(t *testing.T) {
	sharedtest.Tool(t, "sed")
	root := filepath.Join(strings.TrimSpace(string(output(t, "go", "env", "GOROOT"))), "src")
	c := cite(t, root)
	dirs := []string{"encoding", "archive"}
	if sharedtest.Long() {
		dirs = append(dirs, "bufio", "net/textproto", "text", "go")
	}
	for _, dir := range dirs {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data := fileData(t, path)
			if len(data) == 0 || bytes.IndexByte(data, 0) >= 0 {
				return nil // binary test data
			}
			name, err := filepath.Rel(root, path)
			c.add("text", name, lineSets(countLines(data), 1)...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if c.maps < 100 {
		t.Fatalf("%d source files", c.maps)
	}
	for _, a := range c.evidence() {
		compareWithSed(t, a)
	}
}

// TestRealText resolves lines of texts in many scripts and encodings.
func TestRealText(t *testing.T) {
	sharedtest.Tool(t, "sed")
	c := cite(t, sharedtest.Corpus(t, "text"))
	for _, name := range []string{
		"code-c.h", "code-rust.rs", "code-shell.sh", "latin1-umlauts.md", "html-cp1252.html", "shift-jis.csv", "crlf.md",
		"plain-long-lines.txt", "udhr-all-scripts.txt", "csv-long-lines.csv", "utf8bom.srt", "naughty-strings.txt", "example.ssa",
	} {
		c.add("text", name, lineSets(countLines(fileData(t, filepath.Join(c.root, name))), 4)...)
	}
	for _, a := range c.evidence() {
		compareWithSed(t, a)
	}
}

// TestRealEncodings resolves lines of texts whose line ends are not those of
// sed: iconv converts the evidence and the source before they are compared.
func TestRealEncodings(t *testing.T) {
	sharedtest.Tool(t, "iconv")
	c := cite(t, sharedtest.Corpus(t, "text"))
	encodings := map[string]string{
		"utf16le-nobom.txt": "utf-16le", "utf16be.txt": "utf-16be", "utf16-bom.txt": "utf-16le", "utf16le.srt": "utf-16le", "utf32.txt": "utf-32le",
	}
	decoded := func(path, encoding string) []byte {
		return output(t, "iconv", "-f", encoding, "-t", "utf-8", path)
	}
	for name, encoding := range encodings {
		c.add("text", name, lineSets(countLines(decoded(filepath.Join(c.root, name), encoding)), 6)...)
	}
	for _, a := range c.evidence() {
		encoding := encodings[filepath.Base(a.path)]
		lines := bytes.SplitAfter(decoded(a.path, encoding), []byte("\n"))
		selected := a.wanted(t).Lines
		want := bytes.Join(lines[selected.First-1:selected.Last], nil)
		if got := decoded(a.OutputPath, encoding); !bytes.Equal(got, want) || a.Charset != encoding {
			t.Errorf("%v in %s is %.100q, not %.100q in %s", a, a.Charset, got, want, encoding)
		}
	}
}
