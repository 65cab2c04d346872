package text_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text"
)

// TestHTMLWithoutHeadings takes titles from the text of a page alone.
func TestHTMLWithoutHeadings(t *testing.T) {
	page := "<!DOCTYPE html>\n<html><head><title>Rain &amp; sun</title>\n<style>p { color: red }</style>\n" +
		"<script>\nvar a = '<p>no</p>';\n</script></head>\n<body class=\"x\">\n<!-- a comment -->\n" +
		"<div id=\"main\"><p style=\"b\">It rained &amp; poured on <b>Monday</b>.\nThen it stopped.</p>\n</div>\n" +
		strings.Repeat("<table><tr><td data-x='1'>Wind came from the north that day.</td></tr></table>\n\n", 60) + "</body></html>\n"
	s, err := new(text.Resolver).Map(t.Context(), source("page.html", page), citekit.MapRequest{Modality: citekit.Text})
	if err != nil {
		t.Fatal(err)
	}
	if s.Title != "Rain & sun" || len(s.Nodes) < 2 {
		t.Errorf("title %q, %d nodes", s.Title, len(s.Nodes))
	}
	if first := s.Nodes[0].Title; first != "It rained & poured on Monday." {
		t.Errorf("the first title is %q", first)
	}
	for _, n := range s.Nodes {
		if n.Title == "" || strings.ContainsAny(n.Title+n.Summary, "<>{}=") {
			t.Errorf("title %q, summary %q", n.Title, n.Summary)
		}
	}
}

// TestShownLines reads lines of a page that stand within a row, and code with tabs.
func TestShownLines(t *testing.T) {
	page := "<html><pre>\n\tif a {\n\t\tb()\n\t}\n</pre><table><tr><td>\n<td>c\n<td>d\n<td>\n</table>e\n</html>\n"
	for loc, want := range map[citekit.Range]string{
		{First: 1, Last: 8}: "\tif a {\n\t\tb()\n\t}\n\n\tc\td\n\n", {First: 2, Last: 2}: "\tif a {\n", {First: 3, Last: 4}: "\t\tb()\n\t}\n\n",
		{First: 6, Last: 6}: "\tc\n", {First: 7, Last: 7}: "d\n\n", {First: 9, Last: 10}: "e\n", {First: 10, Last: 10}: "", {}: "\tif a {\n\t\tb()\n\t}\n\n\tc\td\n\ne\n",
	} {
		got := ""
		for run, err := range new(text.Resolver).ReadText(t.Context(), source("a.html", page), citekit.Location{Modality: citekit.Text, Lines: loc}) {
			if err != nil {
				t.Fatal(err)
			}
			got += run.Text
		}
		if got != want {
			t.Errorf("lines %v: %q, want %q", loc, got, want)
		}
	}
}
