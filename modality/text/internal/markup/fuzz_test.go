package markup_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/test/linetest"
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
		linetest.CheckNodes(t, structure.Nodes, linetest.CountLines(src))
		if !utf8.ValidString(structure.Title) {
			t.Errorf("title %q", structure.Title)
		}
		if said, err := json.Marshal(structure.Metadata); err != nil || !utf8.ValidString(fmt.Sprint(structure.Metadata)) || len(said) > 200<<10 {
			t.Errorf("metadata %q, %v", said, err)
		}
	})
}
