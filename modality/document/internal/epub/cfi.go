package epub

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/citekit/citekit"
)

// FromCFI converts an EPUB canonical fragment identifier (EPUB CFI 1.1), such
// as "epubcfi(/6/4[chap01]!/4/10/1:3)", to a location in a book. A path that
// ends at the itemref becomes the part. A point in the part becomes its block, or
// the next block if it is between blocks. A range becomes the blocks that it
// touches, even partly. An id in brackets takes precedence over the number
// before it. Text assertions, side bias, and positions in time and space are
// parsed and ignored. A range from one part to another becomes those parts and
// all between them, whole.
//
// Errors match [citekit.ErrSyntax] if cfi is not a CFI, [citekit.ErrRange] if it
// leads to nothing in src or ends before it begins, and [errors.ErrUnsupported]
// if it leads to no part of the spine. Other errors are those of
// [Resolver.Resolve].
func (r *Resolver) FromCFI(ctx context.Context, src *citekit.Source, cfi string) (citekit.Location, error) {
	parsed, err := parseCFI(cfi)
	if err != nil {
		return citekit.Location{}, err
	}
	b, err := r.open(ctx, src)
	if err != nil {
		return citekit.Location{}, err
	}
	loc, err := b.fromCFI(ctx, parsed)
	return loc, known(ctx, err)
}

func (b *book) fromCFI(ctx context.Context, cfi cfi) (citekit.Location, error) {
	number, err := b.partOf(cfi.start)
	if err != nil {
		return citekit.Location{}, err
	}
	switch last, err := b.partOf(cfi.end); {
	case err != nil:
		return citekit.Location{}, err
	case last < number:
		return citekit.Location{}, fmt.Errorf("an EPUB CFI from part %d to part %d ends before it begins: %w", number, last, citekit.ErrRange)
	case last > number:
		return locationOf(citekit.Range{First: number, Last: last}), nil
	}
	if endsAtPart(cfi.start) && endsAtPart(cfi.end) {
		return location(number, citekit.Range{}), nil
	}
	p, _, err := b.part(ctx, number)
	if err != nil {
		return citekit.Location{}, err
	}
	if len(p.blocks) == 0 {
		return location(number, citekit.Range{}), nil
	}
	var blocks citekit.Range
	if blocks.First, err = p.blockAt(cfi.start, false); err != nil {
		return citekit.Location{}, err
	}
	if blocks.Last, err = p.blockAt(cfi.end, cfi.isRange); err != nil {
		return citekit.Location{}, err
	}
	return location(number, citekit.Range{First: blocks.First, Last: max(blocks.First, blocks.Last)}), nil
}

// partOf returns the part that the first local path of a CFI leads to.
func (b *book) partOf(path []localPath) (int, error) {
	root := b.opf.root()
	at, _, err := b.opf.follow(root, path[0])
	if err != nil {
		return 0, err
	}
	for i, ref := range b.spine {
		if ref.node == at {
			return i + 1, nil
		}
	}
	return 0, fmt.Errorf("the CFI leads to no part of the spine: %w", errors.ErrUnsupported)
}

// endsAtPart reports whether a path ends at a part and not inside it.
func endsAtPart(path []localPath) bool {
	return len(path) == 1 || len(path) == 2 && len(path[1].steps) == 0
}

// top returns the root element of the part. If there are several, it returns the one
// that contains the body.
func (p *part) top() int32 {
	i := p.body
	for p.nodes[i].parent != 0 {
		i = p.nodes[i].parent
	}
	return i
}

// blockAt returns the block that a CFI leads to. For the end of a range, that is the
// last block that begins before it.
func (p *part) blockAt(path []localPath, isEnd bool) (int, error) {
	if endsAtPart(path) {
		if isEnd {
			return len(p.blocks), nil
		}
		return 1, nil
	}
	if len(path) > 2 {
		return 0, fmt.Errorf("the CFI leads into a document within the part: %w", errors.ErrUnsupported)
	}
	_, offset, err := p.follow(p.top(), path[1])
	if err != nil {
		return 0, err
	}
	n := p.at(offset)
	if isEnd && n > 1 && offset <= p.blocks[n-1].start && !path[1].atElement() {
		n--
	}
	return n, nil
}

// follow walks a local path from the root element. It returns the element it reaches,
// and the offset in the document of that element or of the point in a text.
func (t *tree) follow(root int32, path localPath) (at, offset int32, err error) {
	at = root
	offset = t.nodes[at].start
	for i, step := range path.steps {
		if step.number%2 == 1 {
			if i != len(path.steps)-1 {
				return 0, 0, syntaxError("a step of an EPUB CFI below a text")
			}
			return at, t.textPoint(at, step.number, path.offset), nil
		}
		next, past := t.elementStep(at, step.number)
		if step.id != "" && (next == 0 || t.attr(next, "id") != step.id) {
			if byID := t.withID(step.id); byID != 0 {
				next = byID
			}
		}
		switch {
		case next != 0:
			at, offset = next, t.nodes[next].start
		case past && i == len(path.steps)-1: // the virtual positions before the first child and after the last
			if step.number == 0 {
				return at, t.nodes[at].open, nil
			}
			return at, t.nodes[at].close, nil
		default:
			return 0, 0, fmt.Errorf("step /%d of the EPUB CFI leads to nothing: %w", step.number, citekit.ErrRange)
		}
	}
	return at, offset, nil
}

// elementStep returns the child element of an even step; past is true for the
// positions before the first child and after the last.
func (t *tree) elementStep(i int32, number int) (child int32, past bool) {
	n := 0
	for c, node := range t.children(i) {
		if node.name == "" {
			continue
		}
		if n += 2; n == number {
			return c, false
		}
	}
	return 0, number == 0 || number == n+2
}

func (t *tree) withID(id string) int32 {
	for i := range t.nodes {
		if t.nodes[i].name != "" && strings.Contains(t.tag(int32(i)), id) && t.attr(int32(i), "id") == id {
			return int32(i)
		}
	}
	return 0
}

// textPoint returns the offset of a character in the text between two child elements.
// Characters count in UTF-16 units from 0.
func (t *tree) textPoint(i int32, number, character int) int32 {
	n, end := 1, t.nodes[i].open
	for _, node := range t.children(i) {
		switch {
		case node.name != "" && n >= number:
			return end
		case node.name != "":
			n += 2
			end = node.end
		case n == number:
			units := len(utf16.Encode([]rune(t.characters(node))))
			if character < units {
				return t.characterAt(node, character)
			}
			character -= units
			end = node.end
		}
	}
	return end
}

// characterAt returns the approximate offset of a character in a text. If the text
// contains character references, that is the start of the text.
func (t *tree) characterAt(n *node, character int) int32 {
	text := t.data[n.start:n.end]
	if strings.Contains(text, "&") || strings.HasPrefix(text, "<![CDATA[") {
		return n.start
	}
	for at, r := range text {
		if character <= 0 {
			return n.start + int32(at)
		}
		character -= max(utf16.RuneLen(r), 1)
	}
	return n.end
}

// CFI returns a location in a book as an EPUB CFI. A part becomes the path of
// its itemref, one block the path of its element, and several blocks or parts a
// range that ends after the last. Errors match [errors.ErrUnsupported] for the
// whole book; other errors are those of [Resolver.Resolve].
func (r *Resolver) CFI(ctx context.Context, src *citekit.Source, loc citekit.Location) (string, error) {
	b, err := r.openAt(ctx, src, loc)
	if err != nil {
		return "", err
	}
	parts := loc.Parts()
	switch {
	case loc.IsWhole():
		return "", fmt.Errorf("a whole book has no EPUB CFI; name a part: %w", errors.ErrUnsupported)
	case parts.Len() > 1:
		cfi, err := b.partsCFI(ctx, parts)
		return cfi, known(ctx, err)
	}
	number := parts.First
	path := b.opf.pathTo(b.opf.root(), b.spine[number-1].node)
	if loc.Blocks.IsZero() {
		return "epubcfi(" + path + "!)", nil
	}
	p, _, err := b.part(ctx, number)
	if err == nil {
		err = p.checkBlocks(number, loc.Blocks)
	}
	if err != nil {
		return "", known(ctx, err)
	}
	first, last := p.blocks[loc.Blocks.First-1], p.blocks[loc.Blocks.Last-1]
	start := p.pathTo(p.top(), first.first)
	if loc.Blocks.Len() == 1 && first.first == first.last && p.nodes[first.first].name != "" {
		return "epubcfi(" + path + "!" + start + ")", nil
	}
	return "epubcfi(" + path + "!," + start + "," + p.pathAfter(p.top(), last.last) + ")", nil
}

// partsCFI returns the range of several parts, from the first itemref to the position
// after the last element of the last part.
func (b *book) partsCFI(ctx context.Context, parts citekit.Range) (string, error) {
	path := func(number int) string { return b.opf.pathTo(b.spineNode, b.spine[number-1].node) + "!" }
	end := ""
	p, _, err := b.part(ctx, parts.Last)
	switch {
	case err == nil && p.body != 0:
		end = "/" + strconv.Itoa(p.pastLast(p.top()))
	case err != nil && !isBadPart(err):
		return "", err
	}
	return "epubcfi(" + b.opf.pathTo(b.opf.root(), b.spineNode) + "," + path(parts.First) + "," + path(parts.Last) + end + ")", nil
}

// pastLast returns the step to the position after the last child of an element.
func (t *tree) pastLast(i int32) int {
	n := 2
	for _, node := range t.children(i) {
		if node.name != "" {
			n += 2
		}
	}
	return n
}

// pathTo returns the steps from the root element to a node.
func (t *tree) pathTo(root, to int32) string {
	if to == root || to == 0 {
		return ""
	}
	parent := t.nodes[to].parent
	n := t.stepOf(parent, to)
	step := "/" + strconv.Itoa(n)
	if n%2 == 1 {
		step += ":" + strconv.Itoa(t.unitsBefore(parent, to))
	} else if id := t.attr(to, "id"); id != "" {
		step += "[" + escapeCFI(id) + "]"
	}
	return t.pathTo(root, parent) + step
}

// pathAfter returns the steps from the root element to the point after a node.
func (t *tree) pathAfter(root, to int32) string {
	parent, n := t.nodes[to].parent, 0
	if to == root {
		return ""
	}
	units := 0
	if n = t.stepOf(parent, to); n%2 == 1 {
		units = t.unitsBefore(parent, to) + len(utf16.Encode([]rune(t.characters(&t.nodes[to]))))
	} else {
		n++
	}
	return t.pathTo(root, parent) + "/" + strconv.Itoa(n) + ":" + strconv.Itoa(units)
}

// stepOf returns the step number of a child: even for elements, odd for texts.
func (t *tree) stepOf(parent, child int32) int {
	n := 1
	for c, node := range t.children(parent) {
		if c == child {
			break
		}
		if node.name != "" {
			n += 2
		}
	}
	if t.nodes[child].name != "" {
		n++
	}
	return n
}

// unitsBefore returns the number of UTF-16 units between the last element before a
// text and that text.
func (t *tree) unitsBefore(parent, child int32) int {
	units := 0
	for c, node := range t.children(parent) {
		switch {
		case c == child:
			return units
		case node.name != "":
			units = 0
		default:
			units += len(utf16.Encode([]rune(t.characters(node))))
		}
	}
	return units
}

func syntaxError(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, citekit.ErrSyntax)...)
}

func escapeCFI(s string) string {
	var out strings.Builder
	for _, r := range s {
		if strings.ContainsRune("^[](),;=", r) {
			out.WriteByte('^')
		}
		out.WriteRune(r)
	}
	return out.String()
}
