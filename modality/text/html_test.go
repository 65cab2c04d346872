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
