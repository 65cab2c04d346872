package epub

import (
	"errors"
	"fmt"
	"html"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/charset"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

// maxMarkup is how many bytes a markup document may have. Tests lower it.
var maxMarkup = 32 << 20

// Further limits of a markup document.
const (
	maxElements = 1 << 21 // elements and texts between them
	maxDepth    = 1000
)

var errMarkup = errors.New("markup beyond a limit")

// A tree is a markup document with the offsets of all elements. It is parsed as XML.
// If end tags do not match start tags, as in the HTML of some books, it is parsed
// again roughly as browsers do.
type tree struct {
	data  string // UTF-8, or an encoding that extends ASCII
	nodes []node // the first is the document, parents before children
	soup  bool   // whether it is not well-formed

	sheet *htmlblocks.Sheet // that says how text looks, or nil
	looks []htmlblocks.Look // of nodes, or nil if all of the text is plain
}

// A node is a text, or an element if it has a name. Places are offsets in the data;
// relatives are indexes in the nodes of the tree, 0 for none.
type node struct {
	name              string // the local name in lower case
	start, open       int32  // start and end of the start tag
	close, end        int32  // start and end of the end tag; both are the end of the element if it has none
	parent, last      int32
	firstChild, after int32 // the first child, the next sibling
}

// parse parses markup. If it is not well-formed XML and isHTML is true, elements such
// as br need no end tag.
func parse(data string, isHTML bool) (*tree, error) {
	t, err := build(data, false, false)
	if errors.Is(err, errSoup) {
		t, err = build(data, true, isHTML)
	}
	return t, err
}

var errSoup = errors.New("not well-formed")

// A builder makes a tree.
type builder struct {
	tree
	open   int32 // the open element
	depth  int
	isHTML bool
}

func build(data string, soup, isHTML bool) (*tree, error) {
	if len(data) > maxMarkup {
		return nil, fmt.Errorf("a text of %d bytes; at most %d: %w", len(data), maxMarkup, errMarkup)
	}
	b := &builder{tree: tree{data: data, soup: soup, nodes: make([]node, 1, 16+len(data)/64)}, isHTML: isHTML}
	for pos := 0; pos < len(data); {
		next, err := b.step(pos)
		if err != nil {
			return nil, err
		}
		if len(b.nodes) > maxElements {
			return nil, fmt.Errorf("more than %d elements: %w", maxElements, errMarkup)
		}
		pos = next
	}
	if b.open != 0 && !soup {
		return nil, errSoup
	}
	for b.open != 0 {
		b.closeOpen(int32(len(data)), int32(len(data)))
	}
	b.nodes[0].open, b.nodes[0].close, b.nodes[0].end = 0, int32(len(data)), int32(len(data))
	return &b.tree, nil
}

// step parses the item at pos and returns where it ends.
func (b *builder) step(pos int) (int, error) {
	rest := b.data[pos:]
	switch {
	case rest[0] != '<':
		return b.text(pos, endOf(rest, "<", false))
	case strings.HasPrefix(rest, "<!--"):
		return pos + endOf(rest[4:], "-->", true) + 4, nil
	case strings.HasPrefix(rest, "<![CDATA["):
		return b.text(pos, endOf(rest, "]]>", true))
	case strings.HasPrefix(rest, "<?"):
		return pos + endOf(rest, "?>", true), nil
	case strings.HasPrefix(rest, "<!"):
		return pos + endOfDoctype(rest), nil
	case strings.HasPrefix(rest, "</"):
		n := endOf(rest, ">", true)
		return pos + n, b.endTag(localName(rest[2:n]), int32(pos), int32(pos+n))
	case len(rest) < 2 || !isNameStart(rest[1]):
		return b.text(pos, 1)
	}
	return b.startTag(pos)
}

// endOf returns where the next mark in s begins, or where it ends if after is set;
// len(s) if there is none.
func endOf(s, mark string, after bool) int {
	i := strings.Index(s, mark)
	switch {
	case i < 0:
		return len(s)
	case after:
		return i + len(mark)
	}
	return i
}

// endOfDoctype skips a document type. Entities defined there stay unknown, so none
// can expand.
func endOfDoctype(s string) int {
	quote, depth := byte(0), 0
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == '>' && depth <= 0:
			return i + 1
		}
	}
	return endOf(s, ">", true)
}

func isNameStart(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == ':' || c >= 0x80
}

// localName returns the name at the start of a tag, without its prefix and in lower
// case.
func localName(tag string) string {
	name := tag[:nameLen(tag)]
	if i := strings.IndexByte(name, ':'); i >= 0 {
		name = name[i+1:]
	}
	if name == "" {
		return "?" // so that it does not count as text
	}
	return strings.ToLower(name)
}

func nameLen(s string) int {
	for i := range len(s) {
		switch s[i] {
		case ' ', '\t', '\r', '\n', '\f', '/', '>', '=':
			return i
		}
	}
	return len(s)
}

func (b *builder) text(pos, n int) (int, error) {
	if b.open != 0 {
		end := int32(pos + n)
		b.add(node{start: int32(pos), open: int32(pos), close: end, end: end})
	}
	return pos + n, nil
}

// add adds a node to the open element and returns its index.
func (b *builder) add(n node) int32 {
	i := int32(len(b.nodes))
	n.parent = b.open
	parent := &b.nodes[b.open]
	if parent.last == 0 {
		parent.firstChild = i
	} else {
		b.nodes[parent.last].after = i
	}
	parent.last = i
	b.nodes = append(b.nodes, n)
	return i
}

func (b *builder) startTag(pos int) (int, error) {
	n := tagLen(b.data[pos:])
	tag := b.data[pos : pos+n]
	name := localName(tag[1:])
	start, end := int32(pos), int32(pos+n)
	if b.soup && b.isHTML {
		b.closeImplied(name, start)
	}
	i := b.add(node{name: name, start: start, open: end})
	if strings.HasSuffix(tag, "/>") || b.soup && b.isHTML && isVoid(name) {
		b.nodes[i].close, b.nodes[i].end = end, end
		return pos + n, nil
	}
	if b.depth++; b.depth > maxDepth {
		return 0, fmt.Errorf("elements nested more than %d deep: %w", maxDepth, errMarkup)
	}
	b.open = i
	if b.isHTML && (name == "script" || name == "style") {
		return pos + n + b.raw(b.data[pos+n:], name), nil
	}
	return pos + n, nil
}

// raw returns the length of the content of a script or style at the start of rest. It
// is not parsed as markup.
func (b *builder) raw(rest, name string) int {
	for from := 0; ; {
		i := strings.Index(rest[from:], "</")
		if i < 0 {
			return 0
		}
		from += i
		if localName(rest[from+2:]) == name {
			return from
		}
		from += 2
	}
}

// tagLen returns the length of the tag at the start of s. Quoted values may contain
// any character.
func tagLen(s string) int {
	quote := byte(0)
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1
		}
	}
	return endOf(s, ">", true)
}

func (b *builder) endTag(name string, start, end int32) error {
	if b.open != 0 && b.nodes[b.open].name == name {
		b.closeOpen(start, end)
		return nil
	}
	if !b.soup {
		return errSoup
	}
	for i := b.open; i != 0; i = b.nodes[i].parent {
		if b.nodes[i].name == name {
			for b.open != i {
				b.closeOpen(start, start)
			}
			b.closeOpen(start, end)
			return nil
		}
	}
	return nil
}

func (b *builder) closeOpen(start, end int32) {
	n := &b.nodes[b.open]
	n.close, n.end = start, end
	b.open = n.parent
	b.depth--
}

// closeImplied closes the elements that a start tag of HTML implicitly ends.
func (b *builder) closeImplied(name string, at int32) {
	for b.open != 0 {
		open := b.nodes[b.open].name
		switch {
		case open == "p" && isBlock(name):
		case open == name && (name == "li" || name == "tr" || name == "option"):
		case (open == "dt" || open == "dd") && (name == "dt" || name == "dd"):
		case (open == "td" || open == "th") && (name == "td" || name == "th" || name == "tr"):
		case open == "head" && name == "body":
		default:
			return
		}
		b.closeOpen(at, at)
	}
}

func isVoid(name string) bool {
	switch name {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr":
		return true
	}
	return false
}

// children yields the children of a node.
func (t *tree) children(i int32) iter.Seq2[int32, *node] {
	return func(yield func(int32, *node) bool) {
		for c := t.nodes[i].firstChild; c != 0; c = t.nodes[c].after {
			if !yield(c, &t.nodes[c]) {
				return
			}
		}
	}
}

// within yields the elements of the given name below a node, in order.
func (t *tree) within(i int32, name string) iter.Seq2[int32, *node] {
	return func(yield func(int32, *node) bool) {
		end := t.nodes[i].end
		for c := i + 1; int(c) < len(t.nodes) && t.nodes[c].start < end; c++ {
			if t.nodes[c].name == name && !yield(c, &t.nodes[c]) {
				return
			}
		}
	}
}

// first returns the first element of the given name below a node, or 0.
func (t *tree) first(i int32, name string) int32 {
	for c := range t.within(i, name) {
		return c
	}
	return 0
}

// tag returns the start tag of an element.
func (t *tree) tag(i int32) string { return t.data[t.nodes[i].start:t.nodes[i].open] }

// attr returns the value of an attribute, with any prefix. An exact name takes
// precedence.
func (t *tree) attr(i int32, name string) string {
	var found string
	for a := range attributes(t.tag(i)) {
		switch {
		case a.name == name:
			return a.text()
		case found == "" && strings.HasSuffix(a.name, ":"+name):
			found = a.text()
		}
	}
	return found
}

// An attribute is an attribute of a start tag, with its raw value.
type attribute struct {
	name, value string
	start, end  int // offsets of the whole attribute in the tag
}

func (a attribute) text() string { return strings.TrimSpace(unescape(a.value)) }

func unescape(s string) string {
	if strings.IndexByte(s, '&') >= 0 {
		s = html.UnescapeString(s)
	}
	if utf8.ValidString(s) {
		return s
	}
	return charset.UTF8([]byte(s))
}

// attributes yields the attributes of a start tag.
func attributes(tag string) iter.Seq[attribute] {
	return func(yield func(attribute) bool) {
		pos := min(1+nameLen(tag[min(1, len(tag)):]), len(tag))
		for pos < len(tag) {
			if c := tag[pos]; c <= ' ' || c == '/' || c == '>' || c == '=' {
				pos++
				continue
			}
			a := attribute{start: pos}
			pos += nameLen(tag[pos:])
			a.name = tag[a.start:pos]
			pos, a.value = attributeValue(tag, pos)
			a.end = pos
			if !yield(a) {
				return
			}
		}
	}
}

func attributeValue(tag string, pos int) (int, string) {
	rest := strings.TrimLeft(tag[pos:], " \t\r\n\f")
	if !strings.HasPrefix(rest, "=") {
		return pos, ""
	}
	rest = strings.TrimLeft(rest[1:], " \t\r\n\f")
	pos = len(tag) - len(rest)
	if rest == "" {
		return pos, ""
	}
	if quote := rest[0]; quote == '"' || quote == '\'' {
		if n := strings.IndexByte(rest[1:], quote); n >= 0 {
			return pos + n + 2, rest[1 : n+1]
		}
	}
	n := strings.IndexAny(rest, " \t\r\n\f>")
	if n < 0 {
		n = len(rest)
	}
	return pos + n, rest[:n]
}
