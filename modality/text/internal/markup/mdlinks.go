package markup

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/citekit/citekit/modality/text/internal/linkset"
)

// maxLinkMarks is how many characters that may begin a link, a tag or code are read
// together: the work for each grows with the length of the text. A link that
// extends past them is text.
const maxLinkMarks = 256

// findMarkdownLinks reads CommonMark with the tables and URIs of GFM. It reads
// a source with definitions twice, because links may be used before these.
func findMarkdownLinks(ctx context.Context, src []byte, set *linkset.Set) error {
	src, first, _ := cutFrontMatter(src)
	l := newMarkdownLinker(src, first, set)
	if bytes.Contains(src, []byte("]:")) {
		if err := readBlocks(ctx, src, l.refs, func(ast.Node) {}); err != nil {
			return err
		}
	}
	err := readBlocks(ctx, src, newReferences(), l.block)
	l.endHTML()
	return err
}

// An mdLinker finds the links in the blocks of a document.
type mdLinker struct {
	src     []byte
	lines   lineCounter
	set     *linkset.Set
	inliner *inliner // for the texts of links
	refs    *references

	parser parser.Parser
	spans  []mdSpan // of the latest text

	html      []byte // text of adjacent HTML blocks
	htmlFirst int    // its first line
	htmlLast  int
}

func newMarkdownLinker(src []byte, first int, set *linkset.Set) *mdLinker {
	l := &mdLinker{src: src, lines: lineCounter{src: src, line: first}, set: set, inliner: newInliner()}
	l.refs = l.inliner.refs
	l.parser = newInlineParser([]util.PrioritizedValue{
		util.Prioritized(spanParser{parser.NewCodeSpanParser(), l}, 100),
		util.Prioritized(spanParser{parser.NewLinkParser(), l}, 200),
		util.Prioritized(spanParser{parser.NewAutoLinkParser(), l}, 300),
		util.Prioritized(spanParser{parser.NewRawHTMLParser(), l}, 400),
	})
	return l
}

// block finds the links in a block.
func (l *mdLinker) block(n ast.Node) {
	if l.set.Full() {
		return
	}
	if n, ok := n.(*ast.HTMLBlock); ok {
		l.addHTML(n)
	}
	for line, part := range l.parts(n) {
		l.part(line, part)
	}
}

// parts yields the texts in a block that is not HTML, with the numbers of their
// first lines.
func (l *mdLinker) parts(n ast.Node) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		lines := n.Lines()
		if _, ok := n.(*ast.HTMLBlock); ok || lines.Len() == 0 {
			return
		}
		first := l.lines.of(lines.At(0).Start)
		if _, ok := n.(*table); !ok {
			eachPart(first, bytes.TrimRight(valueOf(lines, l.src), " \t\n"), yield)
			return
		}
		for i := range lines.Len() {
			row := lines.At(i)
			for _, cell := range tableCells(row.Value(l.src)) {
				if !eachPart(first+i, cell, yield) {
					return
				}
			}
		}
	}
}

// eachPart yields parts of the text of a block, each with few enough marks, and
// reports whether to go on.
func eachPart(line int, markup []byte, yield func(int, []byte) bool) bool {
	for len(markup) > 0 {
		n := marksEnd(markup, "`<[", maxLinkMarks)
		if end := bytes.LastIndexByte(markup[:n], '\n'); n < len(markup) && end > 0 {
			n = end + 1
		}
		if !yield(line, markup[:n]) {
			return false
		}
		line += bytes.Count(markup[:n], []byte("\n"))
		markup = markup[n:]
	}
	return true
}

// valueOf returns the text of lines, without the space before each.
func valueOf(lines *text.Segments, src []byte) []byte {
	var value []byte
	for i := range lines.Len() {
		line := lines.At(i)
		value = append(value, bytes.TrimLeft(line.Value(src), " \t")...)
	}
	return value
}

// addHTML collects the lines of an HTML block.
func (l *mdLinker) addHTML(n *ast.HTMLBlock) {
	first := l.lines.of(n.Pos())
	if len(l.html) == 0 || first != l.htmlLast+1 {
		l.endHTML()
		l.htmlFirst = first
	}
	value := n.Lines().Value(l.src)
	if n.HasClosure() {
		value = append(value, n.ClosureLine.Value(l.src)...)
	}
	l.html = append(l.html, value...)
	l.htmlLast = first + countLines(value) - 1
}

func (l *mdLinker) endHTML() {
	if len(l.html) > 0 {
		addHTMLLinks(context.Background(), l.html, l.htmlFirst, l.set)
	}
	l.html = l.html[:0]
}

// marksEnd returns the length of the longest start of text with at most limit of
// the characters in marks.
func marksEnd[T []byte | string](text T, marks string, limit int) int {
	for i := range len(text) {
		if strings.IndexByte(marks, text[i]) < 0 {
			continue
		}
		if limit--; limit < 0 {
			return i
		}
	}
	return len(text)
}

// part finds the links in a text with few marks: those of markup in the order of
// their ends, then URIs in prose.
func (l *mdLinker) part(line int, markup []byte) {
	if !bytes.ContainsAny(markup, "[<:") {
		return
	}
	lines := lineCounter{src: markup, line: line}
	for _, s := range l.read(markup) {
		l.add(s, markup, lines.of(s.start), lines.of(s.end))
	}
	slices.SortFunc(l.spans, func(a, b mdSpan) int { return cmp.Compare(a.start, b.start) })
	at := 0
	for _, s := range append(l.spans, mdSpan{start: len(markup)}) {
		if s.start > at {
			l.addURIs(markup[at:s.start], &lines, at)
		}
		at = max(at, s.end)
	}
}

// add adds the links of one span, on the lines first to last.
func (l *mdLinker) add(s mdSpan, markup []byte, first, last int) {
	switch n := s.node.(type) {
	case *ast.Link:
		l.set.Add(first, last, linkset.Hyperlink, l.label(markup[s.start+1:s.label]), unescaped(n.Destination))
	case *ast.Image:
		l.set.Add(first, last, linkset.Image, l.label(markup[s.start+2:s.label]), unescaped(n.Destination))
	case *ast.AutoLink:
		target := string(n.Label(markup))
		if n.AutoLinkType == ast.AutoLinkEmail {
			target = "mailto:" + target
		}
		l.set.Add(first, first, linkset.Hyperlink, "", target)
	case *ast.RawHTML:
		addTagLinks(markup[s.start:s.end], first, last, l.set)
	}
}

// label returns the displayed text of a link.
func (l *mdLinker) label(markup []byte) string {
	return l.inliner.text(string(markup[:min(len(markup), maxMarkdown)]), true)
}

// unescaped returns a destination with backslash escapes and character references
// decoded.
func unescaped(destination []byte) string {
	if bytes.ContainsAny(destination, `\&`) {
		destination = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(destination)))
	}
	return string(destination)
}

// addURIs adds the URIs in prose, which begins at offset base of what lines counts.
func (l *mdLinker) addURIs(prose []byte, lines *lineCounter, base int) {
	for at := 0; ; {
		start, end := nextURI(prose, at)
		if end == 0 {
			return
		}
		line := lines.of(base + start)
		l.set.Add(line, line, linkset.Hyperlink, "", string(prose[start:end]))
		at = end
	}
}

// An mdSpan is a link, an image, a URI in angle brackets, a tag or code.
type mdSpan struct {
	node              ast.Node
	start, label, end int // offsets; label is that of the bracket that closes the text of a link
}

// read returns the spans of a text in the order of their ends. They are valid until
// the next call.
func (l *mdLinker) read(markup []byte) []mdSpan {
	l.spans = l.spans[:0]
	l.parser.Parse(text.NewReader(markup), l.refs.context())
	return l.spans
}

// A spanParser records the spans that a parser finds.
type spanParser struct {
	parser.InlineParser
	*mdLinker
}

// Parse implements [parser.InlineParser].
func (p spanParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	_, at := block.Position()
	n := p.InlineParser.Parse(parent, block, pc)
	s := mdSpan{node: n, start: at.Start, label: at.Start}
	switch n.(type) {
	case *ast.Link, *ast.Image: // read at its closing bracket
		s.start = n.Pos()
	case *ast.CodeSpan, *ast.AutoLink, *ast.RawHTML:
	default:
		return n
	}
	_, at = block.Position()
	s.end = at.Start
	p.spans = append(p.spans, s)
	return n
}

// CloseBlock implements [parser.CloseBlocker].
func (p spanParser) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if c, ok := p.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, block, pc)
	}
}
