package markup

import (
	"context"
	"strings"

	"github.com/citekit/citekit/internal/plain"
)

// readMarkdown reads CommonMark with the tables and strikethrough of GFM. Only
// headings of the document itself begin sections; headings in quotes and lists
// belong to those.
func readMarkdown(ctx context.Context, src []byte, doc *outline) error {
	matter := frontMatter(src)
	doc.bodyLine, doc.facts = matter.lines+1, matter.facts
	inline := newInliner()
	scanner := blocks{src: src, doc: doc, refs: inline.define}
	if err := scanner.scan(ctx, matter.lines+1); err != nil {
		return err
	}
	render(inline, src, &doc.before)
	for i := range doc.headings {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		render(inline, src, &doc.headings[i])
	}
	doc.title = matter.title
	if doc.title == "" {
		doc.title = leadingTitle(doc.headings)
	}
	return nil
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
