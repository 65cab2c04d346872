// Package markup finds the sections of documents in markup languages: Markdown,
// reStructuredText, AsciiDoc, HTML, LaTeX and Org.
//
// Every reader passes over its source once, line by line or token by token, and
// keeps no tree of it, so time is linear in the source and memory depends only
// on the number of headings.
package markup

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/citekit/citekit"
)

// A Format is a markup language.
type Format string

// The formats.
const (
	Markdown Format = "markdown" // CommonMark, with the tables of GFM
	ReST     Format = "rest"     // reStructuredText, as docutils reads it
	AsciiDoc Format = "asciidoc"
	HTML     Format = "html"
	LaTeX    Format = "latex"
	Org      Format = "org"
)

// FormatOf returns the format of a file by its extension or, if its name has no
// extension, by the first bytes of its text. It reports false for anything
// else.
func FormatOf(name string, head []byte) (Format, bool) {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdown", ".mkd", ".mdx", ".rmd", ".qmd":
		return Markdown, true
	case ".rst", ".rest":
		return ReST, true
	case ".adoc", ".asciidoc":
		return AsciiDoc, true
	case ".asc": // may also be a signature or key in ASCII armour
		if startsWithFold(head, "-----begin ") {
			return "", false
		}
		return AsciiDoc, true
	case ".html", ".htm", ".xhtml":
		return HTML, true
	case ".tex", ".latex", ".ltx":
		return LaTeX, true
	case ".org":
		return Org, true
	case "":
		return sniff(head)
	}
	return "", false
}

func sniff(head []byte) (Format, bool) {
	switch {
	case startsWithFold(head, "<!doctype html"), startsWithFold(head, "<html"):
		return HTML, true
	case startsWithFold(head, `\documentclass`):
		return LaTeX, true
	}
	return "", false
}

// startsWithFold reports whether text begins with prefix after white space and
// a byte order mark, ignoring case. prefix is in lower case.
func startsWithFold(text []byte, prefix string) bool {
	s := strings.TrimLeft(string(text[:min(len(text), 1024)]), "\ufeff \t\r\n")
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// Map returns the sections of src, which is UTF-8 with lines ended by "\n", as
// a tree of nodes of type "section". A section runs from the first line of its
// heading to the line before the next heading of the same or a higher level,
// and so contains its subsections. Text before the first heading is a node of
// type "passage" with the id "preamble". Titles are the displayed text of the
// headings, and summaries the first sentences below them.
//
// The nodes are nil if src has no headings. An error is ctx.Err(), or matches
// [citekit.ErrFormat] if the format is none of the above. Map does not keep
// src.
func Map(ctx context.Context, format Format, src []byte) (*citekit.Draft, error) {
	read, ok := readers()[format]
	if !ok {
		return nil, fmt.Errorf("no markup format %q: %w", string(format), citekit.ErrFormat)
	}
	src = withoutMark(src)
	doc := newOutline(src)
	if err := read(ctx, src, doc); err != nil {
		return nil, err
	}
	return doc.structure(), nil
}

// A reader adds the headings and text in src to doc.
type reader func(ctx context.Context, src []byte, doc *outline) error

func readers() map[Format]reader {
	return map[Format]reader{
		Markdown: readMarkdown,
		ReST:     readReST,
		AsciiDoc: readAsciiDoc,
		HTML:     readHTML,
		LaTeX:    readLaTeX,
		Org:      readOrg,
	}
}

// withoutMark returns src without its byte order mark, if it has one.
func withoutMark(src []byte) []byte {
	if len(src) >= 3 && src[0] == 0xef && src[1] == 0xbb && src[2] == 0xbf {
		return src[3:]
	}
	return src
}
