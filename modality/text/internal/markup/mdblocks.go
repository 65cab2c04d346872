package markup

import (
	"bytes"
	"context"
)

// maxContainers is how deeply quotes and list items nest. Anything nested
// deeper is text, so the work for a line is bounded.
const maxContainers = 100

// blocks finds the block structure of Markdown, by the method of appendix A of
// the CommonMark specification. It does only what is needed to find the
// headings of the document itself.
type blocks struct {
	src []byte
	doc *outline

	containers []container
	leaf       leaf
	fence      fence // of the open fenced block
	htmlEnd    []byte

	para paragraph
	refs func(label, destination string) // called with every link reference definition

	inline func(line int, text []byte) // if not nil, called with the text of each block, which it must not keep
	markup func(line int, text []byte) // if not nil, called with each line of HTML

	number int // number of the line
	cursor
}

// A container is a block quote or, with an indent, a list item.
type container struct {
	quote  bool
	indent int  // columns by which the content of an item is indented
	empty  bool // whether an item has no content yet
}

// A leaf is the kind of the block that lines are added to.
type leaf int

const (
	none leaf = iota
	paragraphLeaf
	tableLeaf
	fencedLeaf
	indentedLeaf
	htmlLeaf // ends with htmlEnd, or with a blank line if htmlEnd is empty
)

type fence struct {
	char   byte
	length int
}

// scan reads the lines of src, starting at line first, counted from 1.
func (b *blocks) scan(ctx context.Context, first int) error {
	offset := 0
	for number, line := range linesOf(b.src) {
		if number%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if number >= first {
			b.number = number
			b.cursor = cursor{line: line, base: offset}
			b.readLine()
		}
		offset += len(line) + 1
	}
	b.closeLeaf()
	return ctx.Err()
}

// readLine reads a line.
func (b *blocks) readLine() {
	matched := b.matchContainers()
	all := matched == len(b.containers)
	if all && b.continueLeaf() {
		return
	}
	lazy := b.leaf == paragraphLeaf // the line may continue the paragraph even without markers
	inParagraph := lazy && all
	depth, opened := matched, false
	for {
		switch b.open(&depth, inParagraph, lazy) {
		case opensContainer:
			inParagraph, lazy, opened = false, false, true
			continue
		case opensLeaf:
			return
		}
		break
	}
	b.addText(depth, all, lazy && !opened)
}

// matchContainers returns how many of the open containers contain the line, and
// moves past their markers.
func (b *blocks) matchContainers() int {
	for i := range b.containers {
		c := &b.containers[i]
		b.skipSpace()
		switch {
		case c.quote && b.indent() <= 3 && b.peek() == '>':
			b.passQuoteMark()
		case c.quote:
			return i
		case b.blank() && !c.empty: // an empty item ends with a blank line
			b.passSpace()
		case !b.blank() && b.indent() >= c.indent:
			b.advance(c.indent)
		default:
			return i
		}
	}
	return len(b.containers)
}

// continueLeaf reports whether the line belongs to the open leaf, and is not
// paragraph text.
func (b *blocks) continueLeaf() bool {
	b.skipSpace()
	switch b.leaf {
	case fencedLeaf:
		if b.indent() <= 3 && b.fence.closedBy(b.rest()) {
			b.leaf = none
		}
		return true
	case indentedLeaf:
		if b.blank() || b.indent() >= 4 {
			return true
		}
		b.leaf = none
	case htmlLeaf:
		if len(b.htmlEnd) == 0 && b.blank() {
			b.leaf = none
			return true
		}
		b.tellHTML()
		b.endHTML()
		return true
	case tableLeaf:
		if b.blank() {
			b.leaf = none
		}
	}
	return false
}

// An opening tells what a line opens.
type opening int

const (
	opensNothing opening = iota
	opensContainer
	opensLeaf // the whole line is consumed
)

// open opens the block that begins at the cursor, if any, in the container at
// depth.
func (b *blocks) open(depth *int, inParagraph, lazy bool) opening {
	b.skipSpace()
	if b.blank() {
		return opensNothing
	}
	if b.indent() >= 4 {
		if lazy {
			return opensNothing
		}
		b.closeTo(*depth)
		b.leaf = indentedLeaf
		return opensLeaf
	}
	rest := b.rest()
	switch c := rest[0]; {
	case c == '>' && *depth < maxContainers:
		b.closeTo(*depth)
		b.passQuoteMark()
		b.push(depth, container{quote: true})
		return opensContainer
	case c == '#' && b.openATX(*depth, rest):
		return opensLeaf
	case (c == '`' || c == '~') && b.openFence(*depth, rest):
		return opensLeaf
	case c == '<' && b.openHTML(*depth, rest, lazy):
		return opensLeaf
	case inParagraph && (c == '=' || c == '-') && b.closeSetext(*depth, rest):
		return opensLeaf
	case (c == '*' || c == '-' || c == '_') && isThematicBreak(rest):
		b.closeTo(*depth)
		return opensLeaf
	case *depth < maxContainers && b.openItem(depth, rest, inParagraph):
		return opensContainer
	case inParagraph && b.openTable(*depth, rest):
		return opensLeaf
	}
	return opensNothing
}

// addText adds the rest of a line to the open paragraph, or begins one.
func (b *blocks) addText(depth int, all, lazy bool) {
	b.skipSpace()
	switch {
	case b.blank():
		b.closeTo(depth)
		if b.leaf == paragraphLeaf {
			b.closeLeaf()
		}
	case lazy:
		b.extendParagraph()
	case all && b.leaf == tableLeaf && depth == len(b.containers):
		b.tellRow(b.number, b.rest())
	default:
		b.closeTo(depth)
		b.startParagraph()
	}
}

// closeTo closes the leaf and the containers below depth, because a block
// begins in the container at depth.
func (b *blocks) closeTo(depth int) {
	if depth == len(b.containers) && b.blank() {
		return
	}
	b.closeLeaf()
	b.containers = b.containers[:depth]
	if depth > 0 && !b.blank() {
		b.containers[depth-1].empty = false
	}
}

// closeLeaf closes the open leaf. Only now is a paragraph known to be one.
func (b *blocks) closeLeaf() {
	if b.leaf == paragraphLeaf {
		b.takeReferences()
		b.tellParagraph()
		if len(b.containers) == 0 && b.para.start < b.para.end {
			b.addParagraph(span{b.para.start, b.para.end})
		}
	}
	b.leaf = none
}

func (b *blocks) push(depth *int, c container) {
	b.containers = append(b.containers, c)
	*depth++
}

func (b *blocks) addHeading(level, line int, title span) {
	b.doc.add(heading{level: level, line: line, source: source{title: title}})
}

// openATX opens a heading that begins with "#" (CommonMark 4.2).
func (b *blocks) openATX(depth int, rest []byte) bool {
	level := runLength(rest)
	if level > 6 || level < len(rest) && rest[level] != ' ' && rest[level] != '\t' {
		return false
	}
	at := b.at()
	b.closeTo(depth)
	b.tell(b.number, rest[level:])
	if depth == 0 {
		text := bytes.TrimRight(rest[level:], " \t")
		if end := bytes.TrimRight(text, "#"); len(end) == 0 || end[len(end)-1] == ' ' || end[len(end)-1] == '\t' {
			text = end
		}
		b.addHeading(level, b.number, span{at + level, at + level + len(text)})
	}
	return true
}

// closeSetext turns the open paragraph into a heading if rest underlines it
// (CommonMark 4.3).
func (b *blocks) closeSetext(depth int, rest []byte) bool {
	if !isRun(bytes.TrimRight(rest, " \t"), 1) || !b.takeReferences() {
		return false
	}
	b.leaf = none
	b.tellParagraph()
	if depth == 0 {
		level := 1
		if rest[0] == '-' {
			level = 2
		}
		b.addHeading(level, b.para.line, span{b.para.start, b.para.end})
	}
	return true
}

func (b *blocks) openFence(depth int, rest []byte) bool {
	n := runLength(rest)
	if n < 3 || rest[0] == '`' && bytes.IndexByte(rest[n:], '`') >= 0 {
		return false
	}
	b.closeTo(depth)
	b.fence = fence{rest[0], n}
	b.leaf = fencedLeaf
	return true
}

func (f fence) closedBy(rest []byte) bool {
	rest = bytes.TrimRight(rest, " \t")
	return len(rest) >= f.length && rest[0] == f.char && isRun(rest, f.length)
}

func (b *blocks) openHTML(depth int, rest []byte, lazy bool) bool {
	end, ok := htmlBlock(rest, !lazy)
	if !ok {
		return false
	}
	b.closeTo(depth)
	b.leaf, b.htmlEnd = htmlLeaf, end
	b.tellHTML()
	b.endHTML()
	return true
}

// endHTML closes a block of HTML if the line ends it.
func (b *blocks) endHTML() {
	if len(b.htmlEnd) > 0 && endsHTML(b.rest(), b.htmlEnd) {
		b.leaf = none
	}
}

// openItem opens a list item (CommonMark 5.2).
func (b *blocks) openItem(depth *int, rest []byte, inParagraph bool) bool {
	width, one := itemMarker(rest)
	if width == 0 || inParagraph && (!one || isBlank(rest[width:])) {
		return false
	}
	b.closeTo(*depth)
	indent := b.indent() + width
	b.passSpace()
	b.advance(width)
	b.skipSpace()
	space := b.indent()
	switch {
	case b.blank():
		b.passSpace()
		space = 1
	case space > 4:
		b.advance(1)
		space = 1
	default:
		b.passSpace()
	}
	b.push(depth, container{indent: indent + space, empty: true})
	return true
}

// openTable turns the last line of the open paragraph into the head of a table,
// if rest is its delimiter row (GFM 4.10).
func (b *blocks) openTable(depth int, rest []byte) bool {
	cells := delimiterCells(rest)
	if cells == 0 || cells != countCells(b.src[b.para.last.start:b.para.last.end]) || depth != len(b.containers) {
		return false
	}
	if !b.takeReferences() {
		return false
	}
	b.para.end = b.para.last.start
	b.tellHead()
	b.closeLeaf()
	b.leaf = tableLeaf
	return true
}

// runLength returns the length of the run of s[0] at the start of s.
func runLength(s []byte) int {
	n := 0
	for n < len(s) && s[n] == s[0] {
		n++
	}
	return n
}
