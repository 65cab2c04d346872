package word

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/sentence"
)

const (
	maxTitle   = 300 // bytes
	maxSummary = 300
	leadBytes  = 5 * maxSummary // bytes of text that are enough for a summary

	passageBytes = 4 << 10 // bytes of text in one passage
	maxPassages  = 1000
)

// An item holds the facts about a block that a map needs.
type item struct {
	level   int // heading level from 1; 0 for other blocks
	table   bool
	caption bool
	title   bool // whether it is the title of the document
	picture bool
}

// A mapper holds the state while a map is made.
type mapper struct {
	ctx    context.Context
	t      text
	items  []item
	texts  []*string // texts of blocks, cached; nil if not read yet
	nodes  int
	fewer  bool
	titled int // the block that is the title of the document, or -1
}

// A noter writes properties into the metadata of a map.
type noter interface {
	Note(metadata map[string]any)
}

// draft maps a document with the given blocks. Its properties are the title, which may
// be "", and the other ones.
func draft(ctx context.Context, t text, items []item, title string, other noter) (*citekit.Draft, error) {
	m := &mapper{ctx: ctx, t: t, items: items, texts: make([]*string, len(items)), titled: -1}
	d := &citekit.Draft{Method: "headings", Metadata: map[string]any{"blocks": len(items)}}
	for i, it := range items {
		if it.title && t.line(i) != "" {
			m.titled = i
			d.Title = plain.Words(t.line(i), maxTitle)
			break
		}
	}
	if d.Nodes = m.sections(); len(d.Nodes) == 0 {
		d.Method = "blocks"
		d.Nodes = m.passages()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.place(d)
	if title = plain.Words(title, maxTitle); title != "" {
		d.Title = title
	}
	other.Note(d.Metadata)
	if m.fewer {
		d.Metadata["structure"] = fmt.Sprintf("more than %d nodes; those of deeper levels, and further tables and figures, are left out", about.MaxMappedNodes)
	}
	return d, nil
}

// text returns the text of a block. It is empty once the context is done.
func (m *mapper) text(i int) string {
	if m.texts[i] == nil {
		text := ""
		if m.ctx.Err() == nil {
			text = m.t.blockText(i, citekit.Cells{})
		}
		m.texts[i] = &text
	}
	return *m.texts[i]
}

// lead returns the first sentences of the blocks [first, last).
func (m *mapper) lead(first, last int) string {
	var b strings.Builder
	for i := first; i < last && b.Len() < leadBytes; i++ {
		if i != m.titled {
			b.WriteString(m.text(i))
		}
	}
	return sentence.Lead(b.String(), maxSummary)
}

// deepest returns the deepest heading level that a map has room for.
func (m *mapper) deepest() int {
	var counts [10]int
	for _, it := range m.items {
		counts[min(it.level, 9)]++
	}
	n, level := 0, 0
	for level < 9 && n+counts[level+1] <= about.MaxMappedNodes {
		level++
		n += counts[level]
	}
	return level
}

// sections nests the headings: each becomes a child of the last heading of a higher
// level before it. The blocks before the first heading are a passage.
func (m *mapper) sections() []*citekit.Node {
	type open struct {
		level int
		node  *citekit.Node
	}
	var roots []*citekit.Node
	var stack []open
	closeTo := func(level, end int) {
		for len(stack) > 0 && stack[len(stack)-1].level >= level {
			stack[len(stack)-1].node.Location.Blocks.Last = end
			stack = stack[:len(stack)-1]
		}
	}
	deepest := m.deepest()
	for i, it := range m.items {
		if it.level == 0 || m.t.line(i) == "" {
			continue
		}
		if it.level > deepest {
			m.fewer = true
			continue
		}
		closeTo(it.level, i)
		node := &citekit.Node{
			Title: plain.Words(m.t.line(i), maxTitle), Type: "section", Location: blockAt(i, i+1), Summary: m.lead(i+1, m.nextHeading(i+1)),
		}
		if len(stack) == 0 {
			if len(roots) == 0 {
				roots = m.preamble(i)
			}
			roots = append(roots, node)
		} else {
			parent := stack[len(stack)-1].node
			parent.Children = append(parent.Children, node)
		}
		stack = append(stack, open{it.level, node})
		m.nodes++
	}
	closeTo(0, len(m.items))
	return roots
}

func (m *mapper) nextHeading(i int) int {
	for i < len(m.items) && m.items[i].level == 0 {
		i++
	}
	return i
}

// preamble returns nodes for the blocks before the first heading, at end.
func (m *mapper) preamble(end int) []*citekit.Node {
	first := 0
	for first < end && m.text(first) == "" {
		first++
	}
	if first == end {
		return nil
	}
	m.nodes++
	return []*citekit.Node{{ID: "preamble", Type: "passage", Location: blockAt(first, end), Summary: m.lead(first, end)}}
}

// passages divides a document without headings into consecutive runs of blocks.
func (m *mapper) passages() (nodes []*citekit.Node) {
	total := 0
	for i := range m.items {
		total += len(m.text(i))
	}
	each := max(passageBytes, total/maxPassages)
	most := max(50, len(m.items)/maxPassages)
	for first := 0; first < len(m.items); {
		end, size := first, 0
		for end < len(m.items) && size < each && end-first < most {
			size += len(m.text(end))
			end++
		}
		if size > 0 || len(m.items) == end && len(nodes) == 0 {
			nodes = append(nodes, &citekit.Node{Type: "passage", Location: blockAt(first, end), Summary: m.lead(first, end)})
			m.nodes++
		}
		first = end
	}
	return nodes
}

// place adds tables and figures to the sections that contain them.
func (m *mapper) place(d *citekit.Draft) {
	taken := make([]bool, len(m.items)) // captions already in use
	for i, it := range m.items {
		var node *citekit.Node
		switch {
		case it.table:
			node = m.table(i, taken)
		case it.picture:
			node = m.figure(i, taken)
		}
		if node == nil {
			continue
		}
		if m.nodes >= about.MaxMappedNodes {
			m.fewer = true
			return
		}
		m.nodes++
		d.Nodes = insert(d.Nodes, node)
	}
}

// insert puts a node into the innermost of the nodes that contains it, in document
// order.
func insert(nodes []*citekit.Node, node *citekit.Node) []*citekit.Node {
	for i := len(nodes) - 1; i >= 0; i-- {
		outer := nodes[i].Location.Blocks
		if inner := node.Location.Blocks; outer.First <= inner.First {
			if inner.Last <= outer.Last && nodes[i].Type != "table" && nodes[i].Type != "figure" {
				nodes[i].Children = insert(nodes[i].Children, node)
				return nodes
			}
			return append(nodes[:i+1:i+1], append([]*citekit.Node{node}, nodes[i+1:]...)...)
		}
	}
	return append([]*citekit.Node{node}, nodes...)
}

// Words that begin captions of tables and of figures, in some languages.
var (
	tableWords  = []string{"tab", "табл", "πίν", "表"}
	figureWords = []string{"fig", "abb", "рис", "εικ", "图", "圖", "図", "ill", "photo", "image", "bild"}
)

func beginsWith(line string, words []string) bool {
	line = strings.ToLower(line)
	return slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(line, word) })
}

// captionNear returns the caption directly before or after a block, or -1. It skips
// captions that are taken or begin with one of the words in without.
func (m *mapper) captionNear(i int, taken []bool, without []string, order ...int) int {
	for _, step := range order {
		at := i + step
		if at < 0 || at >= len(m.items) || !m.items[at].caption || taken[at] {
			continue
		}
		if line := m.t.line(at); line != "" && !beginsWith(line, without) {
			taken[at] = true
			return at
		}
	}
	return -1
}

// table returns the node of a table with a caption, or of one with several rows and
// columns; without a caption its first row is the title.
func (m *mapper) table(i int, taken []bool) *citekit.Node {
	at := m.captionNear(i, taken, figureWords, -1, 1)
	if at >= 0 {
		return &citekit.Node{Title: plain.Words(m.t.line(at), maxTitle), Type: "table", Location: blockAt(min(i, at), max(i, at)+1)}
	}
	if rows, cols, _ := m.t.tableSize(i); rows < 2 || cols < 2 {
		return nil
	}
	row, _, _ := strings.Cut(m.text(i), "\n")
	title := strings.Join(strings.FieldsFunc(row, func(r rune) bool { return r == '\t' }), ", ")
	return &citekit.Node{Title: plain.Words(title, maxTitle), Type: "table", Location: blockAt(i, i+1)}
}

// figure returns the node of a picture that has a caption.
func (m *mapper) figure(i int, taken []bool) *citekit.Node {
	if m.items[i].caption && m.t.line(i) != "" {
		taken[i] = true
		return &citekit.Node{Title: plain.Words(m.t.line(i), maxTitle), Type: "figure", Location: blockAt(i, i+1)}
	}
	at := m.captionNear(i, taken, tableWords, 1, -1)
	if at < 0 {
		return nil
	}
	return &citekit.Node{Title: plain.Words(m.t.line(at), maxTitle), Type: "figure", Location: blockAt(min(i, at), max(i, at)+1)}
}
