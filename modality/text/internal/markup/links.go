package markup

import (
	"bytes"
	"context"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text/internal/linkset"
	"github.com/citekit/citekit/relations"
)

// Links returns the links in src, each with the lines it stands on, in line
// order. src is UTF-8 with lines ended by "\n". A place that links may target
// by name is returned as a link of the kind "anchor".
//
// An error is ctx.Err(), or matches [citekit.ErrFormat] if the format is not
// one of this package's. Links does not keep src.
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

// PlainLinks returns the URIs in src, a text without markup, as [Links] does.
func PlainLinks(ctx context.Context, src []byte) ([]relations.Link, error) {
	var set linkset.Set
	err := eachLine(ctx, src, func(number int, line []byte) { addURIs(&set, number, line) })
	return set.Links(), err
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

// addURIs adds the URIs in a line of prose.
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

// nextURI returns the bounds of the next URI in prose at or after at. The URI
// has an authority, such as "https://example.com/a". end is 0 if there is none.
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

// maxTargetBytes is how many bytes of a text are searched for a URI.
const maxTargetBytes = 5 << 10

// uriAt returns the bounds of the URI in prose whose colon, before "//", is at
// colon, and which begins at from or later. end is 0 if there is none.
// Punctuation that ends a sentence is not part of the URI, nor is a closing
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

// entityStart returns the start of the character reference at the end of uri,
// or -1.
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

// isURIByte reports whether a URI in prose may continue with c.
func isURIByte(c byte) bool {
	return c > ' ' && c != 0x7f && bytes.IndexByte([]byte("<>\"`{}|\\^[]"), c) < 0
}
