package markup_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text/internal/markup"
)

// A mapCase is a source and the nodes it has, one on a line: type, or id,
// lines, title and summary, indented by depth.
type mapCase struct {
	name, src, title, want string
}

func checkMaps(t *testing.T, format markup.Format, cases []mapCase) {
	t.Helper()
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			structure, err := markup.Map(context.Background(), format, []byte(test.src))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, render(structure.Nodes, "")); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
			if structure.Title != test.title || structure.Method != "headings" {
				t.Errorf("title %q, method %q; want title %q", structure.Title, structure.Method, test.title)
			}
			if test.want == "" && structure.Nodes != nil {
				t.Error("nodes are not nil")
			}
		})
	}
}

func render(nodes []*citekit.Node, indent string) string {
	var b strings.Builder
	for _, n := range nodes {
		kind := n.Type
		if n.ID != "" {
			kind = n.ID
		}
		lines := n.Location.Lines
		fmt.Fprintf(&b, "%s%s %d-%d %q %q\n", indent, kind, lines.First, lines.Last, n.Title, n.Summary)
		b.WriteString(render(n.Children, indent+"  "))
	}
	return b.String()
}

func TestMapErrors(t *testing.T) {
	if _, err := markup.Map(context.Background(), "troff", []byte("x")); !errors.Is(err, citekit.ErrFormat) {
		t.Errorf("unknown format: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, format := range formats() {
		if _, err := markup.Map(ctx, format, []byte("# x\n")); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", format, err)
		}
	}
}

func formats() []markup.Format {
	return []markup.Format{markup.Markdown, markup.ReST, markup.AsciiDoc, markup.HTML, markup.LaTeX, markup.Org}
}

func TestFormatOf(t *testing.T) {
	for _, test := range []struct {
		name, head string
		want       markup.Format
	}{
		{"a.md", "", markup.Markdown},
		{"A.MARKDOWN", "", markup.Markdown},
		{"a.mdx", "", markup.Markdown},
		{"a.Rmd", "", markup.Markdown},
		{"a.qmd", "", markup.Markdown},
		{"a.rst", "", markup.ReST},
		{"a.adoc", "", markup.AsciiDoc},
		{"a.asc", "= Title", markup.AsciiDoc},
		{"a.asc", "-----BEGIN PGP SIGNATURE-----", ""},
		{"a.xhtml", "", markup.HTML},
		{"a.tex", "", markup.LaTeX},
		{"a.org", "", markup.Org},
		{"a.txt", "<!DOCTYPE html>", ""},
		{"page", "\ufeff\n<!DOCTYPE HTML><p>", markup.HTML},
		{"paper", "\\documentclass{article}", markup.LaTeX},
		{"README", "Title\n=====\n", ""},
		{"", "", ""},
	} {
		got, ok := markup.FormatOf(test.name, []byte(test.head))
		if got != test.want || ok != (test.want != "") {
			t.Errorf("FormatOf(%q, %q) = %q, %t", test.name, test.head, got, ok)
		}
	}
}
