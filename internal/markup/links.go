package markup

import (
	"bytes"
	"context"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/linkset"
	"github.com/citekit/citekit/relations"
)

// Links returns the links in src, which is UTF-8 with lines ended by "\n", each
// with the lines it stands on, in the order of these. Where a name that links
// may have for a place stands in src, there is a link of the kind "anchor".
//
// An error is ctx.Err(), or matches [citekit.ErrFormat] if the format is none
// of those of this package. Links does not keep src.
func Links(ctx context.Context, format Format, src []byte) ([]relations.Link, error) {
	var set linkset.Set
	src = withoutMark(src)
	find, ok := linkFinders()[format]
	if !ok {
		return nil, fmt.Errorf("no markup format %q: %w", string(format), citekit.ErrFormat)
	}
	if err := find(ctx, src, &set); err != nil {
		return nil, err
	}
	return set.Links(), nil
}

// PlainLinks returns the URIs that stand in src, a text without markup, as
// [Links] does.
func PlainLinks(ctx context.Context, src []byte) ([]relations.Link, error) {
	var set linkset.Set
	for number, line := range linesOf(src) {
		if number%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		addURIs(&set, number, line)
	}
	return set.Links(), ctx.Err()
}

// A linkFinder adds the links in src to set.
type linkFinder func(ctx context.Context, src []byte, set *linkset.Set) error

func linkFinders() map[Format]linkFinder {
	return map[Format]linkFinder{
		Markdown: findMarkdownLinks,
		ReST:     findReSTLinks,
		AsciiDoc: findAsciiDocLinks,
		HTML:     findHTMLLinks,
		LaTeX:    findLaTeXLinks,
		Org:      findOrgLinks,
	}
}

// addURIs adds the URIs that stand in a line of prose.
func addURIs(set *linkset.Set, number int, line []byte) {
	for at := 0; ; {
		start, end := nextURI(line, at)
		if end == 0 {
			return
		}
		set.Add(number, number, linkset.Hyperlink, "", string(line[start:end]))
		at = end
	}
}

// nextURI returns where the next URI with an authority, such as
// "https://example.com/a", begins and ends in prose; end is 0 if there is none
// after at.
func nextURI(text []byte, at int) (start, end int) {
	for from := at; ; {
		i := bytes.Index(text[at:], []byte("://"))
		if i < 0 {
			return 0, 0
		}
		if start, end = uriAt(text, from, at+i); end > 0 {
			return start, end
		}
		at += i + 3
	}
}

// maxScheme is how long the scheme of a URI in prose may be.
const maxScheme = 32

// uriAt returns where the URI in prose begins and ends that has its colon at
// the place given, before "//", and begins at from or later; end is 0 if there
// is none. Punctuation that ends a sentence is no part of it, nor is a
// parenthesis that was opened before it.
func uriAt(text []byte, from, colon int) (start, end int) {
	for start = colon; start > max(from, colon-maxScheme) && isSchemeByte(text[start-1]); {
		start--
	}
	for start < colon && !isLetter(text[start]) {
		start++
	}
	bounded := start == 0 || !isAlnum(text[start-1]) && text[start-1] != '_'
	if !bounded || colon-start < 2 {
		return 0, 0
	}
	if end = uriEnd(text, colon+3); end == colon+3 {
		return 0, 0
	}
	return start, end
}

func isSchemeByte(c byte) bool { return isAlnum(c) || c == '+' || c == '-' || c == '.' }

// uriEnd returns the end of the part of a URI that begins at i.
func uriEnd(text []byte, i int) int {
	start := i
	open, closed := 0, 0
	for ; i < len(text) && isURIByte(text[i]); i++ {
		switch text[i] {
		case '(':
			open++
		case ')':
			closed++
		}
	}
	for i > start {
		switch c := text[i-1]; {
		case c == ')' && closed > open:
			closed--
		case c == ';' && entityStart(text[start:i]) >= 0:
			i = start + entityStart(text[start:i])
			continue
		case bytes.IndexByte([]byte("?!.,:*_~'\";"), c) < 0:
			return i
		}
		i--
	}
	return i
}

// entityStart returns where the reference to a character begins that uri ends
// with, or -1.
func entityStart(uri []byte) int {
	i := len(uri) - 2
	for i >= 0 && isAlnum(uri[i]) {
		i--
	}
	if i >= 0 && i < len(uri)-2 && uri[i] == '&' {
		return i
	}
	return -1
}

// isURIByte reports whether prose goes on with a URI at c.
func isURIByte(c byte) bool {
	return c > ' ' && c != 0x7f && bytes.IndexByte([]byte("<>\"`{}|\\^[]"), c) < 0
}
