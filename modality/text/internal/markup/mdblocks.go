package markup

import (
	"bytes"
	"context"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// goldmark takes more than linear time or much memory on some sources. What goes
// beyond these limits is read as plain text.
const (
	// maxContainers is how deeply quotes and list items nest.
	maxContainers = 100

	// maxParagraph is the number of lines of a paragraph. A longer one is read as
	// several.
	maxParagraph = 1000

	// maxRun bounds the lines without a line between them at which no block is
	// open. Each line counts once for each block that is open in it.
	maxRun = 1 << 20

	// maxReferences is how many link definitions are kept.
	maxReferences = 50_000
)

// A blockVisitor is called with the blocks of a document that hold text: headings,
// paragraphs, text blocks, tables and HTML. The text of a node is in its lines.
type blockVisitor func(n ast.Node)

// readBlocks reads the blocks of CommonMark with the tables of GFM. It keeps no
// tree: each block is removed after its visit. The blocks of one container are
// visited in their order. Link definitions are added to refs.
func readBlocks(ctx context.Context, src []byte, refs *references, visit blockVisitor) error {
	s := &blockScanner{visit: visit}
	var parsers []util.PrioritizedValue
	for _, p := range parser.DefaultBlockParsers() {
		parsers = append(parsers, util.Prioritized(boundedParser{p.Value.(parser.BlockParser), s}, p.Priority))
	}
	blocks := parser.NewParser(
		parser.WithBlockParsers(parsers...),
		parser.WithParagraphTransformers(
			util.Prioritized(parser.LinkReferenceParagraphTransformer, 100),
			util.Prioritized(tableFinder{}, 200),
		),
	)
	root := blocks.Parse(&endingReader{Reader: text.NewReader(src), ctx: ctx}, refs.context())
	s.sweep(root, nil)
	return ctx.Err()
}

// An endingReader is a reader that ends when ctx is done.
type endingReader struct {
	text.Reader
	ctx   context.Context
	lines int
}

// PeekLine implements [text.Reader].
func (r *endingReader) PeekLine() ([]byte, text.Segment) {
	if r.lines++; r.lines%4096 == 0 && r.ctx.Err() != nil {
		r.SetPosition(0, text.NewSegment(len(r.Source()), len(r.Source())))
	}
	return r.Reader.PeekLine()
}

// A blockScanner visits and removes the blocks that goldmark has read.
type blockScanner struct {
	visit blockVisitor
	title ast.Node // the paragraph that an underline has turned into a heading
	run   int      // see maxRun
	last  int      // number of the line that ended a run
}

// sweep visits the blocks in parent before the block end, and removes them. A nil
// end stands for the end of parent.
func (s *blockScanner) sweep(parent, end ast.Node) {
	for n := parent.FirstChild(); n != end; n = parent.FirstChild() {
		s.sweep(n, nil)
		switch n.(type) {
		case *ast.Heading, *ast.Paragraph, *ast.TextBlock, *ast.HTMLBlock, *table:
			if n != s.title {
				s.visit(n)
			}
		}
		parent.RemoveChild(parent, n)
	}
}

// A boundedParser is a parser of one kind of block that keeps to the limits.
type boundedParser struct {
	parser.BlockParser
	*blockScanner
}

// Open implements [parser.BlockParser]. The last block of parent may be open; those
// before it are complete.
func (p boundedParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := reader.Position()
	switch {
	case p.run > maxRun && line == p.last:
		return nil, parser.NoChildren
	case pc.LastOpenedBlock().Node == nil:
		p.run = 0
	}
	p.sweep(parent, parent.LastChild())
	if p.nests() && depth(parent) >= maxContainers {
		return nil, parser.NoChildren
	}
	n, state := p.BlockParser.Open(parent, reader, pc)
	if state&parser.RequireParagraph != 0 {
		p.title = parent.LastChild()
	}
	return n, state
}

// nests reports whether p is the parser of quotes or of lists.
func (p boundedParser) nests() bool {
	return p.BlockParser == parser.NewBlockquoteParser() || p.BlockParser == parser.NewListParser()
}

// depth returns how many quotes and list items enclose what is in n.
func depth(n ast.Node) (depth int) {
	for ; n != nil; n = n.Parent() {
		switch n.(type) {
		case *ast.Blockquote, *ast.ListItem:
			depth++
		}
	}
	return depth
}

// Continue implements [parser.BlockParser].
func (p boundedParser) Continue(n ast.Node, reader text.Reader, pc parser.Context) parser.State {
	p.run++
	if p.run > maxRun {
		p.last, _ = reader.Position()
		return parser.Close
	}
	switch n.(type) {
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		n.Lines().SetSliced(0, 0) // nobody reads code
	case *ast.Paragraph:
		if n.Lines().Len() >= maxParagraph {
			before := ast.NewParagraph()
			before.SetLines(n.Lines())
			n.SetLines(text.NewSegments())
			n.Parent().InsertBefore(n.Parent(), n, before)
			parser.LinkReferenceParagraphTransformer.Transform(before, reader, pc)
			p.sweep(n.Parent(), n)
		}
	}
	return p.BlockParser.Continue(n, reader, pc)
}

// references are the link definitions of a document. Labels of footnotes are not
// among them.
type references struct {
	known parser.Context
	count int
}

func newReferences() *references { return &references{known: parser.NewContext()} }

// context returns a new context of goldmark with the references. Each text needs its
// own: a context remembers how far it has searched in vain for the end of HTML.
func (r *references) context() parser.ParseOption {
	return parser.WithContext(parseContext{parser.NewContext(), r})
}

// A parseContext is the context for one text.
type parseContext struct {
	parser.Context
	refs *references
}

// AddReference implements [parser.Context].
func (c parseContext) AddReference(ref parser.Reference) {
	if c.refs.count < maxReferences {
		c.refs.count++
		c.refs.known.AddReference(ref)
	}
}

// Reference implements [parser.Context].
func (c parseContext) Reference(label string) (parser.Reference, bool) {
	if strings.HasPrefix(label, "^") {
		return nil, false
	}
	return c.refs.known.Reference(label)
}

// A lineCounter returns the numbers of lines. The time for each call depends on
// the distance from the place of the call before.
type lineCounter struct {
	src      []byte
	at, line int // line is the number of the line at at
}

// of returns the number of the line with the byte at offset.
func (c *lineCounter) of(offset int) int {
	if offset >= c.at {
		c.line += bytes.Count(c.src[c.at:offset], []byte("\n"))
	} else {
		c.line -= bytes.Count(c.src[offset:c.at], []byte("\n"))
	}
	c.at = offset
	return c.line
}
