package markup

import (
	"bytes"
	"context"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/citekit/citekit/internal/plain"
)

// readMarkdown reads CommonMark with the tables and strikethrough of GFM. Only
// headings of the document itself begin sections; headings in quotes and lists
// belong to those.
func readMarkdown(ctx context.Context, src []byte, doc *outline) error {
	body, first, matter := cutFrontMatter(src)
	doc.bodyLine, doc.facts = first, matter.facts
	inline := newInliner()
	lines := lineCounter{src: body, line: first}
	err := readBlocks(ctx, body, inline.refs, func(n ast.Node) {
		if n.Parent().Kind() != ast.KindDocument {
			return
		}
		switch n := n.(type) {
		case *ast.Heading:
			doc.add(heading{level: n.Level, line: lines.of(n.Pos()), source: source{title: extent(n)}})
		case *ast.Paragraph:
			doc.addParagraph(extent(n))
		}
	})
	if err != nil {
		return err
	}
	render(inline, body, &doc.before)
	for i := range doc.headings {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		render(inline, body, &doc.headings[i])
	}
	doc.title = matter.title
	if doc.title == "" {
		doc.title = leadingTitle(doc.headings)
	}
	return nil
}

// cutFrontMatter returns what follows front matter, and the number of its first
// line.
func cutFrontMatter(src []byte) (body []byte, first int, m matter) {
	m = frontMatter(src)
	for range m.lines {
		_, src, _ = bytes.Cut(src, []byte("\n"))
	}
	return src, m.lines + 1, m
}

// extent returns the bytes from the first line of a block to its last.
func extent(n ast.Node) span {
	lines := n.Lines()
	if lines.Len() == 0 {
		return span{n.Pos(), n.Pos()}
	}
	return span{lines.At(0).Start, lines.At(lines.Len() - 1).Stop}
}

// addParagraph records the position of a paragraph of the current section.
func (o *outline) addParagraph(s span) {
	h := o.current()
	if h == nil || h.source.proses == len(h.source.prose) {
		return
	}
	s.end = min(s.end, s.start+maxMarkdown)
	h.source.prose[h.source.proses] = s
	h.source.proses++
}

// leadingTitle returns the title of the first heading if it alone has level 1.
func leadingTitle(headings []heading) string {
	for i, h := range headings {
		if (h.level == 1) != (i == 0) {
			return ""
		}
	}
	if len(headings) == 0 {
		return ""
	}
	return headings[0].title
}

// render fills in the title and the prose of a heading.
func render(inline *inliner, src []byte, h *heading) {
	at := func(s span) string { return string(src[s.start:s.end]) }
	h.title = inline.text(at(h.source.title), true)
	var prose []string
	size := 0
	for _, s := range h.source.prose[:h.source.proses] {
		if size >= maxSummary {
			break
		}
		if isModuleSyntax(at(s)) {
			continue
		}
		if text := plain.Line(inline.text(at(s), false)); text != "" {
			prose = append(prose, text)
			size += len(text)
		}
	}
	h.prose = strings.Join(prose, " ")
}

// isModuleSyntax reports whether a paragraph is MDX JavaScript.
func isModuleSyntax(paragraph string) bool {
	if strings.HasPrefix(paragraph, "{/*") {
		return true
	}
	rest, ok := strings.CutPrefix(paragraph, "import ")
	if ok {
		return strings.Contains(rest, " from ") || strings.HasPrefix(rest, "'") || strings.HasPrefix(rest, `"`)
	}
	rest, ok = strings.CutPrefix(paragraph, "export ")
	return ok && (strings.HasPrefix(rest, "const ") || strings.HasPrefix(rest, "default ") ||
		strings.HasPrefix(rest, "function ") || strings.HasPrefix(rest, "let "))
}
