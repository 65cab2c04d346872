package data_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/text/internal/data"
)

func TestJSON(t *testing.T) {
	checkOutline(t, data.JSON, `{
  "name": "a.b", // comment
  "a.b": "First sentence. Second one.",
  "list": [
    1,
    [2]
  ], "same line": {"x":
    1
  },
}
`, `
2 key "name"
3 key "a.b" id a-b – First sentence. Second one.
4-7 key "list"
7-9 key "same line"
`)
	checkOutline(t, data.JSON, `{"wrapper": {
	"a": 1,
	"b": [
		{"name": "x", "id": 3},
		{"id": "only id"}
	]
}}`, `
1-7 key "wrapper"
        2 key "a"
        3-6 key "b"
`)
	checkOutline(t, data.JSON, `[
{"id": 1, "title": "One \u00fc\n line", "name": "less"},
{"deep": {"title": "not this"}},
{}
]`, `
2 element "One ü line"
3 element ""
4 element ""
`)
	s := checkOutline(t, data.JSON, `{"a": 1, "b": [1, 2]}`, "1 element \"\"\n")
	if s.Method != "whole" {
		t.Errorf("method %q", s.Method)
	}
	checkOutline(t, data.JSON, "3\n", "1 element \"\"\n")
	checkOutline(t, data.JSON, "[\n1,\n2,\n3\n]\n", "2-4 rows \"\"\n")
}

// TestJSONDeepens has a container that is long enough to be opened.
func TestJSONDeepens(t *testing.T) {
	var b strings.Builder
	b.WriteString("{\"small\": {\n\"x\": 1\n},\n\"large\": {\n")
	for i := range 50 {
		fmt.Fprintf(&b, "\"k%d\": {\n\"y\": 1},\n", i)
	}
	b.WriteString("\"last\": 0}}")
	s := mapped(t, data.JSON, b.String())
	if len(s.Nodes) != 2 || len(s.Nodes[0].Children) != 0 || len(s.Nodes[1].Children) != 51 || len(s.Nodes[1].Children[0].Children) != 0 {
		t.Errorf("got\n%s", outline(s.Nodes))
	}
}

func TestManyElements(t *testing.T) {
	sharedtest.NotShort(t)
	rows := 200_000
	if sharedtest.Long() {
		rows = 3_000_000
	}
	s := mapped(t, data.JSON, "[\n"+strings.Repeat("{\"name\":\n\"x\"},\n", 20_000)+"{}]")
	checkRows(t, s, 2, 40_002)
	var b strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&b, "\"k%d\": 1,\n", i)
	}
	s = mapped(t, data.JSON, "{\n"+b.String()+"\"l\": 1}")
	checkRows(t, s, 2, 30_002)
	s = mapped(t, data.YAML, strings.Repeat("- a\n", 100_000))
	checkRows(t, s, 1, 100_000)
	s = mapped(t, data.XML, "<r>\n"+strings.Repeat("<a/>\n", 100_000)+"</r>")
	checkRows(t, s, 2, 100_001)
	s = mapped(t, data.CSV, strings.Repeat("1,2\n", rows))
	checkRows(t, s, 1, rows)
}

// checkRows checks that s has rows without a gap, and not too many.
func checkRows(t *testing.T, s *citekit.Draft, first, last int) {
	t.Helper()
	if s.Method != "rows" || len(s.Nodes) < 2 || len(s.Nodes) > 2_000 {
		t.Fatalf("%d nodes by %s", len(s.Nodes), s.Method)
	}
	for _, n := range s.Nodes {
		if n.Type != "rows" || n.Location.Lines.First != first {
			t.Fatalf("%s at %v, want from %d", n.Type, n.Location.Lines, first)
		}
		first = n.Location.Lines.Last + 1
	}
	if first != last+1 {
		t.Errorf("the rows end with %d, want %d", first-1, last)
	}
}

// TestBounds has more nodes than a map may have on each of three levels.
func TestBounds(t *testing.T) {
	var b strings.Builder
	b.WriteString("{")
	for i := range 300 {
		fmt.Fprintf(&b, "\"k%d\": {\n", i)
		for k := range 100 {
			fmt.Fprintf(&b, "\"m%d\": [\n1,\n2],\n", k)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}")
	s := mapped(t, data.JSON, b.String())
	if len(s.Nodes) != 300 || len(s.Nodes[0].Children) != 0 || len(s.Nodes[299].Children) != 0 {
		t.Errorf("%d nodes with %d, %d children", len(s.Nodes), len(s.Nodes[0].Children), len(s.Nodes[299].Children))
	}
	deep := strings.Repeat("[\n", 1<<20) + strings.Repeat("]\n", 1<<20)
	if s := mapped(t, data.JSON, deep); len(s.Nodes) != 1 {
		t.Errorf("%d nodes", len(s.Nodes))
	}
	if _, err := data.Map(t.Context(), data.JSON, []byte("["+deep+"]")); err == nil {
		t.Error("no error for too deep JSON")
	}
	if _, err := data.Map(t.Context(), data.XML, []byte(strings.Repeat("<a>", 100_000))); err == nil {
		t.Error("no error for too deep XML")
	}
	if _, err := data.Map(t.Context(), data.YAML, []byte(strings.Repeat("- ", 100_000))); err == nil {
		t.Error("no error for too deep YAML")
	}
}

func TestXML(t *testing.T) {
	checkOutline(t, data.XML, `<?xml version="1.0"?>
<!DOCTYPE r [
  <!ENTITY a "<b>]]>">
  <!-- > ] " -->
  <!ELEMENT r (a, b)>
]>
<!-- <x> --><r>
  <book id="bk1"
        lang='en'>
    <title>The <![CDATA[<Book>]]> &amp; more</title>
  </book>
  text <!-- <c> -->
  <empty/><empty a="&a;"/>
  <name>
    A name
  </name>
</r>
`, `
8-11 element "The <Book> & more" id book-The-Book-more
13 element "empty"
13 element "empty"
14-16 element "name"
`)
	checkOutline(t, data.XML, "<a><b>\n<c name='n'/>\n<d/>\n</b></a>", `
1-4 element "b"
        2 element "n" id c-n
        3 element "d"
`)
}

func TestTOML(t *testing.T) {
	checkOutline(t, data.TOML, `# header

title = "x" # c
multi = """
[not a table]
"quoted"" """"
# The owner. Of it.
[owner]
name = 'n'
list = [ # ]
  "a]",
  ["b"],
]

[owner.sub] # c
x.y = { a = 1, "]" = 2 }
["quoted.part".b]

# after

[[bin]]
name = "first"
path = "p"
[bin.opt]
z = 1
[[bin]]
path = "q"
`, `
3 key "title"
4-6 key "multi" – [not a table] "quoted"" "
8-16 table "owner" – The owner. Of it.
        15-16 table "owner.sub" id sub
17 table "\"quoted.part\".b" id quoted-part-b
21-25 table "first" id bin-first
        24-25 table "bin.opt" id opt
26-27 table "bin"
`)
}

func TestINI(t *testing.T) {
	checkOutline(t, data.INI, "top = 1\n; c\n[a]\nx=1\n  [more]\n\n# about b\n[remote \"origin\"]\n\ty: 2\n; end\n", `
1 key "top"
3-5 table "a" – c
8-9 table "remote \"origin\"" – about b
`)
}

func TestNotebook(t *testing.T) {
	s := checkOutline(t, data.Notebook, `{
 "nbformat": 4,
 "cells": [
  {
   "cell_type": "code",
   "source": "\n%matplotlib inline\nx = 1"
  },
  {"cell_type": "markdown", "source": [
    "# One\n", "Some words. And more."]},
  {
   "cell_type": "code", "source": ["# setup\n", "y"]
  }, {
   "cell_type": "markdown", "source": ["`+"```\\n# no\\n```\\n"+`Two\n---\n"]
  },
  {"cell_type": "markdown", "source": "Text only. Yes."
  },
  {"cell_type": "raw", "source": 3}
 ],
 "metadata": {"kernelspec": {"language": "julia"}}
}`, `
4-7 cell "%matplotlib inline"
8-17 section "One" – Some words. And more.
        8-9 cell "One" – Some words. And more.
        10-12 cell "# setup"
        12-17 section "Two"
                12-14 cell "Two"
                15-16 cell "Text only." – Text only. Yes.
                17 cell ""
`)
	if s.Metadata["language"] != "julia" || s.Metadata["cells"] != 6 {
		t.Errorf("metadata %v", s.Metadata)
	}
	checkOutline(t, data.Notebook, "{\"worksheets\": [{\"cells\": [\n{\"cell_type\": \"heading\", \"level\": 2, \"source\": \"H\"},\n{\"cell_type\": \"code\", \"input\": \"i\"}]}]}", `
2-3 section "H"
        2 cell "H"
        3 cell "i"
`)
	s = checkOutline(t, data.Notebook, `{"cells": [
{"cell_type": "markdown", "source": "<a\n href='b'><img src='c'></a>"},
{"cell_type": "markdown", "source": "---"},
{"cell_type": "markdown", "source": "# Tea"}
]}`, `
2 cell ""
3 cell ""
4 cell "Tea"
`)
	if s.Title != "Tea" {
		t.Errorf("title %q after a button and a rule", s.Title)
	}
	if s := mapped(t, data.Notebook, "{\"cells\": [\n{\"cell_type\": \"markdown\", \"source\": \"# T\\nx\"}\n]}"); s.Title != "T" {
		t.Errorf("title %q", s.Title)
	}
	checkOutline(t, data.Notebook, `{"cells": [{"cell_type": "code", "source": "x"}, {"cell_type": "code", "source": "y"}]}`, "1 element \"\"\n")
}
