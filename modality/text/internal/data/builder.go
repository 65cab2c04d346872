package data

import (
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/sentence"
)

const (
	maxKeys     = 5_000 // siblings with own nodes; more become rows
	maxElements = 500
	maxRuns     = 2_000
	maxLevels   = 4  // levels of containers that are opened
	openLines   = 40 // lines from which a container is opened; four times as many for each level below
	maxTitle    = 300
	maxSummary  = 300
)

// A builder makes the tree of nodes from a scan, which opens and closes containers in
// source order. It keeps only the levels that a map shows.
type builder struct {
	root   item
	open   []*item // open items that are kept, outermost first
	depth  int     // depth of the scan, which may be deeper than the kept items
	levels int
	nodes  int // nodes in the tree

	// wrapped is the number of outermost levels that do not count as levels.
	wrapped int

	row       int // first line of the open row, in an item with rows
	rowOffset int64
}

// An item is an open container.
type item struct {
	node   *citekit.Node
	offset int64 // offset of its first byte
	count  int   // children seen
	rank   int   // rank of the source of its title; 0 if it has none
	named  bool  // whether its content may name it
	rows   *runs // replaces the children if there are too many
}

func newBuilder() *builder {
	return &builder{root: item{node: &citekit.Node{}}, levels: maxLevels}
}

// parent returns the innermost kept item.
func (b *builder) parent() *item {
	if len(b.open) == 0 {
		return &b.root
	}
	return b.open[len(b.open)-1]
}

// tracks reports whether an item opened now would be kept.
func (b *builder) tracks() bool {
	return len(b.open) == b.depth && b.depth < b.levels+b.wrapped && b.parent().rows == nil
}

// kept reports whether the innermost open item is kept.
func (b *builder) kept() bool { return len(b.open) == b.depth && b.depth > 0 }

// start opens an item that begins on line. name is its key, or "".
func (b *builder) start(kind, name string, line int, offset int64) {
	keep := b.tracks()
	if len(b.open) == b.depth && b.parent().rows != nil {
		b.row, b.rowOffset = line, offset
	}
	b.depth++
	if !keep {
		return
	}
	parent := b.parent()
	if parent.count == 1 && len(parent.node.Children) == 1 {
		b.prune(parent.node.Children[0], b.depth)
	}
	parent.count++
	n := &citekit.Node{Type: kind, Title: title(name), Location: linesAt(line, line)}
	if kind == "key" || kind == "table" {
		n.ID = bareName(n.Title)
	}
	b.open = append(b.open, &item{node: n, offset: offset, named: kind == "element"})
}

// end closes the innermost item, whose last line is line.
func (b *builder) end(line int, offset int64) {
	switch {
	case b.kept():
		b.close(line, offset)
	case len(b.open) == b.depth-1 && b.parent().rows != nil:
		b.parent().rows.add(&citekit.Node{Type: "rows", Location: linesAt(b.row, line)}, 1, offset-b.rowOffset)
	}
	b.depth--
}

func (b *builder) close(line int, offset int64) {
	it := b.open[len(b.open)-1]
	it.node.Location.Lines.Last = max(line, it.node.Location.Lines.First)
	it.finish(len(b.open) <= b.wrapped)
	b.open = b.open[:len(b.open)-1]
	parent := b.parent()
	if parent.count > 1 {
		b.prune(it.node, b.depth)
	}
	b.nodes += 1 + len(it.node.Children)
	parent.node.Children = append(parent.node.Children, it.node)
	if len(parent.node.Children) > limit(it.node.Type) {
		b.toRows(parent, offset)
	}
	for b.nodes > about.MaxMappedNodes && b.levels > 1 {
		b.lower()
	}
}

func limit(kind string) int {
	if kind == "element" {
		return maxElements
	}
	return maxKeys
}

// finish decides how the children of it are shown. The children of a top item are
// always shown.
func (it *item) finish(top bool) {
	switch {
	case it.rows != nil:
		it.node.Children = it.rows.nodes()
		if len(it.node.Children) == 1 && !top {
			it.node.Children = nil
		}
	case plainElements(it.node.Children) && top:
		it.node.Children = rowsOf(it.node.Children)
	case plainElements(it.node.Children):
		it.node.Children = nil
	}
}

// rowsOf groups nodes into rows.
func rowsOf(nodes []*citekit.Node) []*citekit.Node {
	rows := newRuns(maxRuns)
	for _, n := range nodes {
		rows.add(&citekit.Node{Type: "rows", Location: n.Location}, 1, 1)
	}
	return rows.nodes()
}

// plainElements reports whether nodes are unnamed lines of a list.
func plainElements(nodes []*citekit.Node) bool {
	return !slices.ContainsFunc(nodes, func(n *citekit.Node) bool {
		return n.Type != "element" || n.Title != "" || n.Location.Lines.Len() > 1
	})
}

// prune removes the children of a node that is too short to be opened, except tables.
func (b *builder) prune(n *citekit.Node, depth int) {
	if n.Location.Lines.Len() > openLines<<(2*max(depth-1-b.wrapped, 0)) && n.Location.Lines.Len() > 1 {
		return
	}
	kept := n.Children[:0]
	for _, child := range n.Children {
		if child.Type == "table" {
			kept = append(kept, child)
		}
	}
	b.nodes -= len(n.Children) - len(kept)
	n.Children = kept[:len(kept):len(kept)]
}

// toRows turns the children of it into rows.
func (b *builder) toRows(it *item, offset int64) {
	it.rows = newRuns(maxRuns)
	each := (offset - it.offset) / int64(len(it.node.Children)) // an estimate is good enough
	for _, n := range it.node.Children {
		it.rows.add(&citekit.Node{Type: "rows", Location: n.Location}, 1, each)
	}
	b.nodes -= countNodes(it.node.Children)
	it.node.Children = nil
}

func countNodes(nodes []*citekit.Node) int {
	n := len(nodes)
	for _, child := range nodes {
		n += countNodes(child.Children)
	}
	return n
}

// lower drops the innermost level of the tree.
func (b *builder) lower() {
	b.levels--
	deepest := b.levels + b.wrapped
	if len(b.open) > deepest {
		b.open = b.open[:deepest]
	}
	cutBelow(b.root.node.Children, deepest)
	b.nodes = countNodes(b.root.node.Children)
	for i, it := range b.open {
		cutBelow(it.node.Children, deepest-i-1)
		b.nodes += countNodes(it.node.Children)
	}
}

// cutBelow keeps the given number of levels of nodes.
func cutBelow(nodes []*citekit.Node, levels int) {
	for _, n := range nodes {
		if levels <= 1 {
			n.Children = nil
			continue
		}
		cutBelow(n.Children, levels-1)
	}
}

// value reports the text of the scalar that is the innermost item. It may be
// truncated.
func (b *builder) value(text string) {
	if !b.kept() {
		return
	}
	n := b.parent().node
	if n.Type == "key" && n.Summary == "" && strings.ContainsAny(text, " \n") {
		n.Summary = sentence.Lead(text, maxSummary)
	}
	if len(b.open) < 2 {
		return
	}
	b.open[len(b.open)-2].setName(text, nameRank(n.Title))
}

// name reports a name of the innermost item.
func (b *builder) name(text string, rank int) {
	if b.kept() {
		b.parent().setName(text, rank)
	}
}

// setName makes a name from the content of an element its title, unless it has a
// better one.
func (it *item) setName(text string, rank int) {
	if rank <= it.rank || !it.named {
		return
	}
	if t := title(text); t != "" {
		it.rank, it.node.Title = rank, t
	}
}

// nameByTitle names the innermost item after its kind, such as a tag, and its title
// if the title differs.
func (b *builder) nameByTitle(kind string) {
	if !b.kept() {
		return
	}
	it := b.parent()
	if it.rank == 0 {
		it.node.ID = bareName(kind)
		return
	}
	it.node.ID = idOf(kind, it.node.Title)
}

// nameRank returns how well the value of a key names the object; 0 means not at all.
func nameRank(key string) int {
	switch strings.ToLower(key) {
	case "title":
		return 5
	case "name", "artifactid":
		return 4
	case "label":
		return 3
	case "key":
		return 2
	case "id", "@id":
		return 1
	}
	return 0
}

// tree returns the nodes after all items are closed.
func (b *builder) tree() []*citekit.Node {
	if b.root.rows != nil {
		return b.root.rows.nodes()
	}
	if nodes := b.root.node.Children; b.wrapped > 0 || !plainElements(nodes) {
		return nodes
	}
	return rowsOf(b.root.node.Children)
}

// bareName returns a name for an id. It has no dots, which would separate parent and
// child.
func bareName(name string) string {
	return strings.Trim(strings.ReplaceAll(name, ".", "-"), "-")
}
