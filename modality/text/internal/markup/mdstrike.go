package markup

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// A tildeParser reads text struck through by one or two tildes, as in GitHub's
// Markdown (GFM, section 6.5). The text is kept. goldmark's own parser is in a
// package that compiles regular expressions at every start, which took a tenth
// of the time of a short command.
type tildeParser struct{}

const mostTildes = 2

// Trigger, Parse: [parser.InlineParser].

func (tildeParser) Trigger() []byte { return []byte{'~'} }

func (t tildeParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	if before == '~' {
		return nil // the rest of a longer run
	}
	line, at := block.PeekLine()
	run := parser.ScanDelimiter(line, before, 1, t)
	if run == nil || run.OriginalLength > mostTildes {
		return nil
	}
	block.Advance(run.OriginalLength)
	run.Segment = text.NewSegment(at.Start, at.Start+run.OriginalLength)
	pc.PushDelimiter(run)
	return run
}

// IsDelimiter, CanOpenCloser, OnMatch: [parser.DelimiterProcessor].

func (tildeParser) IsDelimiter(c byte) bool { return c == '~' }

func (tildeParser) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

// OnMatch returns a node that displays its content.
func (tildeParser) OnMatch(int) ast.Node { return ast.NewEmphasis(1) }
