package markup

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/net/html"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/text/internal/linkset"
)

// shown writes links one a line: lines, kind, text and target.
func shown(t testing.TB, format Format, src string) string {
	t.Helper()
	links, err := Links(t.Context(), format, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, l := range links {
		fmt.Fprintf(&b, "%v %s %q %s\n", l.From.Lines, l.Kind, l.Text, l.Target)
	}
	return b.String()
}

func TestLinks(t *testing.T) {
	for _, test := range []struct {
		name   string
		format Format
		src    string
		want   string
	}{
		{"markdown", Markdown, "# See [*one*](a.md#x \"t\")\n\ntext ![pic](p.png) and\n[two\nlines][ref], `[no](code)` <http://auto/>.\n\n> [ref]: <b c.md>\n\nSee https://example.com/a_(b)), and [not] this.\n\n| a | [t](u\\|v) |\n|---|---|\n| [x](y) | z |\n\n    [no](indented)\n\n<p>\n<a href=\"h.html\">\nword</a>\n</p>\n",
			"1 hyperlink \"one\" a.md#x\n3 image \"pic\" p.png\n4-5 hyperlink \"two lines\" b c.md\n5 hyperlink \"\" http://auto/\n9 hyperlink \"\" https://example.com/a_(b)\n11 hyperlink \"t\" u|v\n13 hyperlink \"x\" y\n18-19 hyperlink \"word\" h.html\n"},
		{"markdown link of an image", Markdown, "[![alt](i.png)](h)\n[a http://no/ b](c) [^1]\n\n[^1]: note\n", "1 image \"alt\" i.png\n1 hyperlink \"alt\" h\n2 hyperlink \"a http://no/ b\" c\n"},
		{"markdown with an open comment above", Markdown, "a <!-- that nothing closes, some words long\n\nx <!-- [no](b) --> [c](d)\n", "3 hyperlink \"c\" d\n"},
		{"html", HTML, "<html><body id=top>\n<script>'<a href=no>'</script><!-- <a href=no> -->\n<a\nhref='a&amp;b.html'>one <b>two</b>\n</a><img src=i.png alt=Pic><template><a href=no></template>\n<q cite=s.html>", "1 anchor \"\" #top\n3-5 hyperlink \"one two\" a&b.html\n5 image \"Pic\" i.png\n6 citation \"\" s.html\n"},
		{"rest", ReST, ".. _start:\n\nSee `text <a.html>`_ and `Sec`_, :ref:`t <lab>`, :doc:`/other`, ``http://no/`` http://yes/.\n\n.. image:: p.png\n.. include:: inc.rst\n.. toctree::\n   :maxdepth: 2\n\n   one\n   Two <sub/two>\n\nCode::\n\n   `no <x>`_\n\n.. _far: http://far/\n",
			"1 anchor \"\" #start\n3 hyperlink \"text\" a.html\n3 reference \"Sec\" #Sec\n3 reference \"t\" #lab\n3 hyperlink \"\" /other\n3 hyperlink \"\" http://yes/\n5 image \"\" p.png\n6 include \"\" inc.rst\n10 include \"\" one\n11 include \"Two\" sub/two\n17 hyperlink \"far\" http://far/\n"},
		{"asciidoc", AsciiDoc, "[[here]]\nSee <<sec,The section>>, xref:b.adoc#x[B] and https://e.com[E], link:c.pdf[C]; http://d/.\n\ninclude::part.adoc[]\n\nimage::p.png[Pic]\n\n----\nlink:no[no]\n----\n// link:no[no]\n",
			"1 anchor \"\" #here\n2 reference \"The section\" #sec\n2 reference \"B\" b.adoc#x\n2 hyperlink \"E\" https://e.com\n2 hyperlink \"C\" c.pdf\n2 hyperlink \"\" http://d/\n4 include \"\" part.adoc\n6 image \"Pic\" p.png\n"},
		{"org", Org, "* One\n:PROPERTIES:\n:CUSTOM_ID: one\n:END:\n[[file:b.org::*Two][B]] [[#one]] [[https://e.com]] [[file:i.png]] [cite:@smith; @jones p. 3] http://x/.\n#+INCLUDE: \"c.org\" src\n#+begin_src sh\n[[no]]\n#+end_src\n",
			"3 anchor \"\" #one\n5 hyperlink \"B\" b.org#Two\n5 reference \"\" #one\n5 hyperlink \"\" https://e.com\n5 image \"\" i.png\n5 citation \"\" smith\n5 citation \"\" jones\n5 hyperlink \"\" http://x/\n6 include \"\" c.org\n"},
		{"latex", LaTeX, "\\section{A}\\label{sec:a}\nSee \\ref{sec:a}, \\cite[p.~2]{knuth,lamport} % \\ref{no}\n\\input{chap/one}\\includegraphics[width=3cm]{fig}\n\\href{http://e.com/\\%20}{the \\emph{site}} \\verb|\\ref{no}|\n\\begin{verbatim}\n\\ref{no}\n\\end{verbatim}\n\\url{http://u/}\n",
			"1 anchor \"\" #sec:a\n2 reference \"\" #sec:a\n2 citation \"\" knuth\n2 citation \"\" lamport\n3 include \"\" chap/one\n3 image \"\" fig\n4 hyperlink \"the site\" http://e.com/%20\n8 hyperlink \"\" http://u/\n"},
	} {
		if got := shown(t, test.format, test.src); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// TestMarkdownLinksAgainstCmark compares links with those of cmark-gfm, in
// files of the Go distribution and in texts made of pieces of markup.
func TestMarkdownLinksAgainstCmark(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	cmark := sharedtest.Tool(t, "cmark-gfm")
	files, links := 0, 0
	compare := func(name string, src []byte) {
		t.Helper()
		if bytes.HasPrefix(src, []byte("---\n")) || bytes.Contains(src, []byte("[^")) || bytes.IndexByte(src, 0) >= 0 || bytes.IndexByte(src, '\r') >= 0 {
			return // front matter and footnotes are no CommonMark
		}
		want := cmarkLinks(t, cmark, src)
		got := markdownTargets(t, src)
		if slices.ContainsFunc(want, func(s string) bool { return strings.Count(s, "(") > strings.Count(s, ")") }) {
			return // cmark-gfm takes what the specification refuses
		}
		files, links = files+1, links+len(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q\nwant %q", name, got, want)
			if len(src) < 2000 {
				t.Logf("%q", src)
			}
		}
	}
	for _, path := range markdownFiles(t) {
		src, err := os.ReadFile(path)
		if err == nil && len(src) < 1<<20 {
			compare(path, src)
		}
	}
	t.Logf("%d files with %d links", files, links)
	rounds := 300
	if os.Getenv("CITEKIT_LONG") != "" {
		rounds = 20_000
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range rounds {
		compare(fmt.Sprint("round ", i), madeMarkdown(random))
	}
}

func markdownFiles(t *testing.T) (paths []string) {
	roots := []string{sharedtest.GoRoot(t)}
	if extra := os.Getenv("CITEKIT_MARKDOWN"); extra != "" {
		roots = append(roots, extra)
	}
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".md") {
				paths = append(paths, path)
			}
			return nil
		})
	}
	return paths
}

// madeMarkdown strings pieces of markup together.
func madeMarkdown(random *rand.Rand) []byte {
	pieces := []string{"[", "]", "(", ")", "![", "](", "](<", ">)", "][", "[]", "a", "b c", "u.md", "\n", "\n\n", "\n> ", "\n- ", "    ", "`", "``", "\\", "<", ">", "<http://x/>", "<a href=\"y\">", "</a>", "\"", "'", " \"t\")", "[r]: d\n", "\n[r]: <d e> 't'\n\n", "&amp;", "*", "**", "# ", "|", "é", "\n```\n", "ref", "[ref]: z\n\n", "1. "}
	var b bytes.Buffer
	for range random.IntN(30) {
		b.WriteString(pieces[random.IntN(len(pieces))])
	}
	return b.Bytes()
}

// markdownTargets returns the kinds and targets of links, without those of HTML
// and those in prose, sorted.
func markdownTargets(t *testing.T, src []byte) []string {
	l := newMarkdownLinker(src, 1, new(linkset.Set))
	if err := readBlocks(t.Context(), src, l.refs, func(ast.Node) {}); err != nil {
		t.Fatal(err)
	}
	if err := readBlocks(t.Context(), src, newReferences(), func(n ast.Node) {
		for line, part := range l.parts(n) {
			for _, s := range l.read(part) {
				if _, ok := s.node.(*ast.RawHTML); !ok {
					l.add(s, part, line, line)
				}
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	targets := []string{}
	for _, link := range l.set.Links() {
		targets = append(targets, link.Kind+" "+link.Target)
	}
	slices.Sort(targets)
	return targets
}

func cmarkLinks(t *testing.T, cmark string, src []byte) []string {
	t.Helper()
	cmd := exec.Command(cmark, "-t", "xml", "-e", "table")
	cmd.Stdin = bytes.NewReader(src)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	targets := []string{}
	decoder := xml.NewDecoder(bytes.NewReader(out))
	decoder.Strict = false
	for {
		token, err := decoder.Token()
		if err != nil {
			break
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "link" && start.Name.Local != "image" {
			continue
		}
		kind := "hyperlink"
		if start.Name.Local == "image" {
			kind = "image"
		}
		for _, a := range start.Attr {
			if target := strings.TrimSpace(a.Value); a.Name.Local == "destination" && target != "" {
				targets = append(targets, kind+" "+target)
			}
		}
	}
	slices.Sort(targets)
	return targets
}

// TestHTMLLinksAgainstTree compares links with those in the tree that another
// reader makes of the same page.
func TestHTMLLinksAgainstTree(t *testing.T) {
	pages := 0
	_ = filepath.WalkDir(sharedtest.GoRoot(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".html" {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		pages++
		links, err := Links(t.Context(), HTML, src)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range links {
			if l.Kind != linkset.Anchor {
				got = append(got, l.Target)
			}
		}
		root, err := html.Parse(bytes.NewReader(src))
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		treeLinks(root, &want)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
		return nil
	})
	t.Logf("%d pages", pages)
}

func treeLinks(n *html.Node, links *[]string) {
	if n.Type == html.ElementNode {
		key, _ := linkAttribute(n.DataAtom)
		for _, a := range n.Attr {
			if a.Key == key && strings.TrimSpace(a.Val) != "" {
				*links = append(*links, strings.TrimSpace(a.Val))
				break
			}
		}
	}
	if n.Data == "template" {
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		treeLinks(c, links)
	}
}

// FuzzLinks checks that links stand in the source they are from.
func FuzzLinks(f *testing.F) {
	f.Add("[a](b) ![c][d] <e:f>\n\n[d]: g", uint8(0))
	f.Add("`a <b>`_ :ref:`c` .. _d:", uint8(1))
	f.Add("<<a,b>> link:c[d]", uint8(2))
	f.Add("<a href=b>c", uint8(3))
	f.Add(`\ref{a} \cite[b]{c,d}`, uint8(4))
	f.Add("[[a][b]] <<c>>", uint8(5))
	formats := []Format{Markdown, ReST, AsciiDoc, HTML, LaTeX, Org}
	f.Fuzz(func(t *testing.T, src string, format uint8) {
		links, err := Links(t.Context(), formats[int(format)%len(formats)], []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		lines := countLines(withoutMark([]byte(src)))
		for _, l := range links {
			if l.Target == "" || l.From.Validate() != nil || l.From.Lines.Last > lines {
				t.Errorf("%q has %d lines: %+v", src, lines, l)
			}
		}
	})
}

// BenchmarkHostileLinks reads text that would take the square of its length if
// anything were looked for again and again.
func BenchmarkHostileLinks(b *testing.B) {
	for _, piece := range []string{"[a](b", "[", "![", "[a](b \"", "[a](b (", "`", "<a b='", "<!--", "a://", "[[a][", "<<", "\\ref{", "\\verb|", "`x", ":ref:`", "[a][", "<a:", "&", "x:[", "[cite:@"} {
		for _, format := range []Format{Markdown, ReST, AsciiDoc, HTML, LaTeX, Org} {
			src := []byte(strings.Repeat(piece, (1<<20)/len(piece)))
			b.Run(fmt.Sprintf("%s/%s", format, piece), func(b *testing.B) {
				b.SetBytes(int64(len(src)))
				for b.Loop() {
					if _, err := Links(b.Context(), format, src); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
