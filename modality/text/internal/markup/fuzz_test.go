package markup_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/citekit/citekit/modality/text/internal/markup"
)

func FuzzMarkdown(f *testing.F) {
	fuzz(f, markup.Markdown, "# a\n\nb\n=\n> # c\n\n- d\n  # e\n\n```\n# f\n```\n", "---\ntitle: x\n---\n# [a]\n\n[a]: b 'c'\n", "|a|\n|-|\nb\n---\n<!-- \n# a\n-->\n1. x\n\n\t# code\n",
		"---\nauthor:\n- {name: a}\ntags: [b, 'c']\ndate: 2024-01-02\n---\n# d\n", "+++\ntags = [\"a\\\"\",\n 'b']\ndate = 2024-01-02\n+++\n")
}

func FuzzReST(f *testing.F) {
	fuzz(f, markup.ReST, "====\n a\n====\n\nb\n-\ntext::\n\n> x\n\n:mod:`c`\n~~~~\n", "== ==\na  b\n== ==\n\n.. x::\n   y\nz\n====\n")
}

func FuzzAsciiDoc(f *testing.F) {
	fuzz(f, markup.AsciiDoc, "= A\nb <c@d>\n:e: f\n\n== *g* <<h,i>>\n----\n== j\n----\n[discrete]\n== k\n\nL\n~\n", "|===\n|a\n|===\n:leveloffset: +1\n\n# x #\n")
}

func FuzzHTML(f *testing.F) {
	fuzz(f, markup.HTML, "<title>a</title><h1>b<br>c</h2><p>d<script>e</script><template><h1>f</template><h3/><svg><title>g", "<meta name=author content=a><meta content='b;c' property=article:tag><meta name=date content=2024/01/02><h1>d", "<?xml version='1.0'?><html><script/><h1>a&amp;b</h1><img alt='c'>")
}

func FuzzLaTeX(f *testing.F) {
	fuzz(f, markup.LaTeX, "\\title{a}\\begin{document}\\section*[b]{c\\'{e}{d}}%e\n\\begin{verbatim}\\section{f}\\end{verbatim}\\verb|x|\\end{document}", "\\part{\\\"{\\i}$x$}\n\n\\label{y}\\href{a}{b}")
}

func FuzzOrg(f *testing.F) {
	fuzz(f, markup.Org, "#+TITLE: a\n#+TODO: b | c\n* b [#A] d :e:\n:f:\n:end:\n#+begin_src\n* g\n#+end_src\n** [[h][i]] *j*\n", "*\n***** x\n- y\n")
}

// fuzz checks what holds for the map of any text.
func fuzz(f *testing.F, format markup.Format, seeds ...string) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		structure, err := markup.Map(context.Background(), format, src)
		if err != nil {
			t.Fatal(err)
		}
		checkTree(t, structure, src)
		if !utf8.ValidString(structure.Title) {
			t.Errorf("title %q", structure.Title)
		}
		if said, err := json.Marshal(structure.Metadata); err != nil || !utf8.ValidString(fmt.Sprint(structure.Metadata)) || len(said) > 200<<10 {
			t.Errorf("metadata %q, %v", said, err)
		}
	})
}

// FuzzGoldmark compares the headings of Markdown with those that goldmark
// finds, by line and level. Tables are left out: goldmark takes the paragraph
// above one for a heading.
func FuzzGoldmark(f *testing.F) {
	for _, seed := range []string{"# a\n\nb\n=\n> # c\n\n- d\n  # e\n", "- a\n\n  b\n---\n", "> a\nb\n===\n", "[a]: b\n===\nc\n", "1) a\n\n\tb\n\tc\n-\n", "<div>\n# a\n\n# b\n", "~~~\n# a\n~~~\n# b\n", "*\n\n # a\n", "-\t# a\n\n\t# b\n# c\n"} {
		f.Add([]byte(seed))
	}
	parser := goldmark.DefaultParser()
	f.Fuzz(func(t *testing.T, src []byte) {
		if !comparable(src) {
			return
		}
		got := titlesOf(t, markup.Markdown, src)
		var want []title
		for n := parser.Parse(text.NewReader(src)).FirstChild(); n != nil; n = n.NextSibling() {
			if h, ok := n.(*ast.Heading); ok {
				line := bytes.Count(src[:h.Pos()], []byte("\n")) + 1
				want = append(want, title{h.Level, line, ""})
			}
		}
		want = nest(want)
		for i := range got {
			got[i].Text = ""
		}
		if !equalTitles(got, want) {
			t.Errorf("%q\n got %v\nwant %v", src, got, want)
		}
	})
}

// comparable reports whether src is Markdown alone, which goldmark reads as the
// specification says.
func comparable(src []byte) bool {
	if !utf8.Valid(src) || len(src) > 1000 || bytes.ContainsAny(src, "|\u0085\u00a0\u2028\u2029\ufeff") {
		return false
	}
	if bytes.ContainsFunc(src, func(r rune) bool { return r != '\n' && r != '\t' && (r < ' ' || r == 0x7f) }) {
		return false // goldmark allows control characters in destinations
	}
	for _, odd := range []string{":-", "-:"} {
		if bytes.Contains(src, []byte(odd)) {
			return false
		}
	}
	return !bytes.HasPrefix(src, []byte("---")) && !bytes.HasPrefix(src, []byte("+++"))
}

func equalTitles(a, b []title) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
