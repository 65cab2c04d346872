package text_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/linetest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/text"
)

// mappedNames are names of files of every format that is mapped in its own
// way.
var mappedNames = strings.Fields(`a.md a.rst a.adoc a.html a.tex a.org a.go a.py a.js a.ts a.tsx a.rb a.php a.sh a.java a.c a.cpp
	a.cs a.rs a.kt a.swift a.sql a.json a.jsonl a.yaml a.toml a.ini a.xml a.csv a.ipynb a.log a.txt a.unknown a a.patch a.mbox a.1
	a.srt a.vtt a.ass a.lrc a.sub`)

// hostilePieces are what a source has once or twice, and a hostile one
// thousands of times.
var hostilePieces = []string{
	// brackets, quotes and marks that nothing closes
	">", "(", "{", "[", "<", "'", "\"", "`", "$", "@", "/*", "*/", "\\", ")", "}", "]", ":", ",", ";", "<!--", "<a", "<a b='", "</", "</a>", "<a/>",
	"![a](", "*a **", "`a``b", "&", "&a;", "<![CDATA[", "<?a", "<!DOCTYPE a [", "\"a\"\"", "\"\"\"", "'''", "`${", "\"#{", "r#\"", "R\"(", "$(", "${", "$((", "=begin\n", "<?php ", "?>",
	// headings, lists, tables and blocks
	"#\n", "# a\n", "## a\n\na.\n\n", "a\n=\n", "a\n-\n", "====\n", "== ==\n", "== a\n", "* a\n", "** a\n", "* TODO a :b:\n", "- ", "- a\n", "1. a\n   ", "[a]: b\n", "[a\n", "|a\n|-\n", "~~~\n", "```\n",
	"<div>", "<h1>", "<h1>a</h1>", "<h1>a</h2>\n", "<script>", "<template>", "<img alt=a>", "b=c ", `\section{`, `\section{a}` + "\n", `\begin{verbatim}`, `\label{`, ".. a\n", "a::\n\n", ":a:`b ", "----\n", "|===\n", "#+begin_a\n", ":a:\n", "#+title: a\n",
	// keys, rows and entries
	"{\"a\":", "{\"a\":[", "[[a]]\n", "[a.b]\na=1\n", "a.b = 1\n", "a: ", "a:\n", "- - ", "? ", "&a ", "*a ", "---\n", "a: |\n b\n", "a,b\n", "a;b\t|", "2024-01-31 10:11:12 x\n", "Jan 31 10:11:12 x\n",
	// declarations
	"func a() {\n}\n", "def a():\n  1\n", "def a\nend\n", "class a {\n", "class a {}\n", "fn a() {\n}\n", "interface a{b(", "type a<", "a=>{", "@A(", "#if\n", "#else\n{\n", "<<A ", "f(){", "case a in ", "CREATE FUNCTION f AS BEGIN ", "delimiter a\n", "//\n", "/** a */\n", "# a\n@a\n",
	// cues
	"1\n00:00:01,000 --> 00:00:02,000\na\n\n", "00:01.000 --> 00:02.000\n<i>a\n\n", "NOTE a\n", "Dialogue: 0,0:00:01.00,0:00:02.00,a,b,0,0,0,,c\n", "[00:01.00]a\n", "{1}{2}a\n",
	// prose, and what is none
	"CHAPTER I\n\n", "CAPITALS\n\n", "1. A\n\n", "a. ", "a.\n\n", "Mr. A. ", "word ", "x", "\n", " ", "\t", "\f", "From a\n\n", "diff --git a/a b/a\n", "@@ -1 +1 @@\n", ".SH A\n",
	// characters that have no width, no case, no meaning or more than one byte
	"é", "。", "e\u0301", "\u202e", "\u200b\n", "\x01", "\x1b[1m", "\u0085", "\u2028", "\xff", "\xed\xa0\x80", "\ufeff", "\ufffd", "\U0001f468\u200d",
}

// hostileSources makes sources of about size bytes of a piece: in one line, in
// lines, in long lines below headings, and ever more deeply indented.
func hostileSources(piece string, size int) map[string]string {
	var stairs strings.Builder
	for i := 0; stairs.Len() < size; i++ {
		stairs.WriteString(strings.Repeat(" ", i%200) + piece + "\n")
	}
	fill := func(s string) string { return strings.Repeat(s, max(size/len(s), 1)) }
	return map[string]string{
		"plain":    fill(piece),
		"lines":    fill(piece + "\n"),
		"headings": fill("# " + strings.Repeat(piece, 400/len(piece)+1) + "\n\n"),
		"stairs":   stairs.String(),
	}
}

// inEncoding returns text in UTF-16, or with other line ends.
func inEncoding(text, encoding string) []byte {
	switch encoding {
	case "CR":
		return []byte(strings.ReplaceAll(text, "\n", "\r"))
	case "CRLF":
		return []byte(strings.ReplaceAll(text, "\n", "\r\n"))
	case "UTF-16":
		encoded := []byte{0xff, 0xfe}
		for _, unit := range utf16.Encode([]rune(text)) {
			encoded = binary.LittleEndian.AppendUint16(encoded, unit)
		}
		return encoded
	}
	return []byte(text)
}

// TestMapHostile maps what readers may trip over in every format and in some
// encodings.
func TestMapHostile(t *testing.T) {
	sharedtest.Once(t)
	size, every := 2<<10, 23
	switch {
	case testing.Short():
		every = 101
	case sharedtest.Long():
		size, every = 128<<10, 1
	}
	encodings := []string{"UTF-8", "CR", "CRLF", "UTF-16"}
	n := 0
	for _, piece := range hostilePieces {
		for form, src := range hostileSources(piece, size) {
			for _, name := range mappedNames {
				if n++; n%every == 0 {
					encoding := encodings[n/every%len(encodings)]
					problem := mapProblem(t, name, inEncoding(src, encoding))
					if strings.TrimSpace(src) == "" && strings.HasPrefix(problem, "only blanks; ") {
						continue
					}
					if problem != "" {
						t.Errorf("%q, %s, as %s in %s: %s", piece, form, name, encoding, problem)
					}
				}
			}
		}
	}
}

// TestMapAlike maps sources whose parts all have one name, beside each other
// and in each other.
func TestMapAlike(t *testing.T) {
	sharedtest.Once(t)
	n := 20_000
	if testing.Short() {
		n = 1_000
	}
	for name, src := range map[string]string{
		"beside.md":  strings.Repeat("# Same\n\nText.\n\n", n),
		"levels.md":  strings.Repeat("# Same\n\n## Same\n\n### Same\n\n", n/3),
		"nested.org": nested(n, "*", " Same"),
		"nested.xml": strings.Repeat("<same>\n", n) + strings.Repeat("</same>\n", n),
		"beside.xml": "<a>\n" + strings.Repeat("<same>\n\n</same>\n", n) + "</a>\n",
		"beside.py":  strings.Repeat("def same():\n    pass\n\n", n),
		"nested.js":  strings.Repeat("function same() {\n", n) + strings.Repeat("}\n", n),
		"beside.ini": strings.Repeat("[same]\nsame = 1\n", n),
		"short.txt":  strings.Repeat("CHAPTER I\n\nSame.\n\n", n),
		"short.srt":  strings.Repeat("1\n00:00:01,000 --> 00:00:02,000\nSame.\n\n", n),
	} {
		if problem := mapProblem(t, name, []byte(src)); problem != "" {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

// nested has a heading on each of so many levels, up to 200.
func nested(n int, mark, title string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(mark, i%200+1) + title + "\n")
	}
	return b.String()
}

// TestMapRealFiles maps the texts of the corpus, and files of all kinds from
// modules of Go, chosen by the hash of their names inside these.
func TestMapRealFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("reads files of other projects: not with -short")
	}
	most := 300
	if sharedtest.Long() {
		most = 2_000
	}
	files := modules(t)
	slices.SortFunc(files, func(a, b hashed) int { return cmp.Or(bytes.Compare(a.hash[:], b.hash[:]), cmp.Compare(a.path, b.path)) })
	paths := corpusFiles(t)
	for _, f := range files[:min(len(files), most)] {
		paths = append(paths, f.path)
	}
	if len(paths) == 0 {
		t.Skip("no files: neither modules of Go nor shared test files")
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if problem := mapProblem(t, filepath.Base(path), src); problem != "" {
			t.Errorf("%s: %s", path, problem)
		}
	}
	t.Logf("%d files", len(paths))
}

type hashed struct {
	path string
	hash [sha256.Size]byte
}

// modules returns the files of the modules that go.mod requires.
func modules(t *testing.T) []hashed {
	t.Helper()
	var files []hashed
	for _, dir := range sharedtest.Modules(t) {
		filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return nil
			}
			if info, err := entry.Info(); err == nil && info.Size() <= 8<<20 {
				name, _ := filepath.Rel(filepath.Dir(dir), path)
				files = append(files, hashed{path, sha256.Sum256([]byte(filepath.ToSlash(name)))})
			}
			return nil
		})
	}
	return files
}

func corpusFiles(t *testing.T) []string {
	t.Helper()
	dir, ok := sharedtest.Extra(t)
	if !ok {
		return nil
	}
	var paths []string
	filepath.WalkDir(filepath.Join(dir, "corpus"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err == nil && info.Size() <= 16<<20 {
				paths = append(paths, path)
			}
		}
		return nil
	})
	return paths
}

// mapProblem says what is wrong with the map of a source, or "". A source that
// is not a text is no problem.
func mapProblem(t *testing.T, name string, data []byte) string {
	t.Helper()
	r, src := new(text.Resolver), source(name, data)
	extent, err := r.Measure(t.Context(), src)
	if err != nil || extent.Lines == 0 {
		return ""
	}
	s, err := r.Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Text})
	if errors.Is(err, citekit.ErrFormat) && len(data) <= 4 {
		return "" // nothing but a mark
	}
	if err != nil {
		return err.Error()
	}
	return draftProblem(s, extent)
}

// draftProblem says what is wrong with the map of a text, or "".
func draftProblem(s *citekit.Draft, extent citekit.Extent) string {
	if s.Method == "" || s.Metadata["format"] == nil || len(s.Nodes) == 0 {
		return "no nodes, method or format"
	}
	if !linetest.IsLine(s.Title) {
		return fmt.Sprintf("title %q", s.Title)
	}
	if err := linetest.Problem(s.Nodes, extent.Lines); err != nil {
		return err.Error()
	}
	ingest.NameNodes(s.Nodes)
	m := citekit.ResourceMap{Nodes: s.Nodes}
	ids := make(map[string]bool)
	for n := range m.All() {
		switch {
		case n.ID == "":
			return "a node without an id"
		case ids[n.ID]:
			return "duplicate id " + n.ID
		}
		ids[n.ID] = true
	}
	return ""
}
