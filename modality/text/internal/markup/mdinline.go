package markup

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/citekit/citekit/internal/plain"
)

// maxMarkdown is how many bytes of a heading or paragraph are read for inline
// markup: some of the work grows with the square of the length.
const maxMarkdown = 2048

// maxMarks bounds the characters in those bytes that may begin markup.
const maxMarks = 128

// An inliner turns inline markup into the text it displays.
type inliner struct {
	parser parser.Parser
	refs   *references
}

func newInliner() *inliner {
	parsers := append(parser.DefaultInlineParsers(), util.Prioritized(tildeParser{}, 500))
	return &inliner{newInlineParser(parsers), newReferences()}
}

// newInlineParser returns a parser of the text of one block.
func newInlineParser(inline []util.PrioritizedValue) parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1)),
		parser.WithInlineParsers(inline...),
	)
}

// text returns the text that markup displays. images tells whether to include
// images.
func (in *inliner) text(markup string, images bool) string {
	markup = plain.Cut(markup, maxMarkdown)
	markup = strings.TrimSpace(markup[:marksEnd(markup, "`*_~<[", maxMarks)])
	if !strings.ContainsAny(markup, "\\`*_~<>&[]!\n") {
		return markup
	}
	src := []byte(collapseBlank(markup))
	root := in.parser.Parse(text.NewReader(src), in.refs.context())
	var b strings.Builder
	p := printer{src: src, images: images, out: &b}
	p.children(root)
	return b.String()
}

// collapseBlank removes blank lines, which a heading cannot have, and the space
// around lines.
func collapseBlank(s string) string {
	if !strings.Contains(s, "\n") {
		return s
	}
	lines := strings.Split(s, "\n")
	kept := lines[:0]
	for _, line := range lines {
		if line = strings.TrimLeft(line, " \t"); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// A printer writes the text of inline nodes.
type printer struct {
	src    []byte
	images bool
	out    *strings.Builder
}

func (p *printer) children(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		p.node(c)
	}
}

func (p *printer) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		p.text(n)
	case *ast.String:
		p.out.Write(n.Value)
	case *ast.CodeSpan:
		p.code(n)
	case *ast.AutoLink:
		p.out.Write(n.Label(p.src))
	case *ast.RawHTML:
	case *ast.Image:
		if p.images {
			p.children(n)
		}
	default:
		p.children(n)
	}
}

func (p *printer) text(n *ast.Text) {
	value := n.Value(p.src)
	if !n.IsRaw() {
		value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
	}
	p.out.Write(value)
	if n.SoftLineBreak() || n.HardLineBreak() {
		p.out.WriteByte(' ')
	}
}

func (p *printer) code(n *ast.CodeSpan) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			p.out.WriteString(strings.ReplaceAll(string(t.Value(p.src)), "\n", " "))
		}
	}
}
