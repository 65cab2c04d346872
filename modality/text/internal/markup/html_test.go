package markup_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/text/internal/markup"
)

// TestHTMLParser compares the headings of every HTML file at hand with those
// that Python's parser of HTML finds.
func TestHTMLParser(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	python := sharedtest.Tool(t, "python3")
	compareHeadings(t, markup.HTML, exec.Command(python, "testdata/headings.py", "html"), ".html", ".htm", ".xhtml")
}

func TestHTML(t *testing.T) {
	checkMaps(t, markup.HTML, []mapCase{
		{
			name: "titles, preamble and summaries",
			src: `<!doctype html>
<html><head><title>The &amp; title</title>
<style>h1 { color: red }</style></head>
<body>
<p>Before.</p>
<h1
 class="x">One<br>two <em>three</em></h1>
<p>First <b>sentence</b>. Second.
<ul><li>item</ul>
<script>"<h1>no</h1>"</script>
<!-- <h1>no</h1> -->
<template><h2>no</h2></template>
<h3>Deep</h3><p>Its text.</p>
<h2><img src="x" alt="A picture"></h2>
<svg><title>no</title></svg>
<h2>Open<h2>Next</h3>
</body></html>
`,
			title: "The & title",
			want: `preamble 5-5 "" "Before."
section 6-17 "One two three" "First sentence. Second."
  section 13-13 "Deep" "Its text."
  section 14-15 "A picture" ""
  section 16-16 "Open" ""
  section 16-17 "Next" ""
`,
		},
		{
			name:  "XHTML",
			src:   "<?xml version=\"1.0\"?>\n<html><head><title>T</title><script src=\"x\"/></head><body><h1>A</h1><h2>B</h2></body></html>",
			title: "T",
			want:  "section 2-2 \"A\" \"\"\n  section 2-2 \"B\" \"\"\n",
		},
		{
			name: "entities of a document type do not grow",
			src:  "<!DOCTYPE x [<!ENTITY a \"b\">]>\n<h1>&a; &lt;</h1>",
			want: "preamble 1-1 \"\" \"\"\nsection 2-2 \"&a; <\" \"\"\n",
		},
		{name: "no headings", src: "<p>x</p>", want: ""},
	})
}

// oracle gives the names of files to another program, one on a line, and
// returns the headings that it finds in each.
func oracle(t *testing.T, cmd *exec.Cmd, files []string) [][]title {
	t.Helper()
	cmd.Stdin = strings.NewReader(strings.Join(files, "\n"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	var titles [][]title
	if err := json.Unmarshal(out, &titles); err != nil {
		t.Fatal(err)
	}
	if len(titles) != len(files) {
		t.Fatalf("%d answers for %d files", len(titles), len(files))
	}
	return titles
}
