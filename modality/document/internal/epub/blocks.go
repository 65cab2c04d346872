package epub

import (
	"slices"
	"sort"
	"strings"
)

// A part is a content document with the places of its blocks.
type part struct {
	*tree
	body   int32
	blocks []block
}

// A block is an element, or a run of inline texts and elements between blocks: the
// siblings from first to last, without the spaces around them.
type block struct {
	first, last int32 // nodes
	start, end  int32 // bytes
}

// newPart finds the blocks of a content document.
func newPart(t *tree) *part {
	p := &part{tree: t, body: t.first(0, "body")}
	if p.body == 0 {
		p.body = t.root()
	}
	if p.body == 0 {
		return p
	}
	f := blockFinder{part: p, holds: make([]contents, len(t.nodes))}
	for i := len(t.nodes) - 1; i > 0; i-- {
		f.note(int32(i))
	}
	if name := t.nodes[p.body].name; name == "svg" || name == "math" {
		f.add(p.body, p.body)
		return p
	}
	f.find(p.body)
	return p
}

// root returns the first element of the document, or 0.
func (t *tree) root() int32 {
	for i, n := range t.children(0) {
		if n.name != "" {
			return i
		}
	}
	return 0
}

// A contents says what an element contains.
type contents struct {
	blocks bool // elements that are blocks
	shown  bool // text, or another visible thing
}

type blockFinder struct {
	*part
	holds []contents
}

// note adds what a node contributes to its parent. The children of the node must have
// been noted.
func (f *blockFinder) note(i int32) {
	n, parent := &f.nodes[i], &f.holds[f.nodes[i].parent]
	if n.name == "" {
		parent.shown = parent.shown || strings.TrimSpace(f.data[n.start:n.end]) != ""
		return
	}
	if isUnseen(n.name) {
		return
	}
	parent.shown = parent.shown || f.holds[i].shown || isPicture(n.name)
	parent.blocks = parent.blocks || isBlock(n.name) || f.holds[i].blocks && !isOpaque(n.name)
}

// find adds the blocks inside an element that is not a block itself.
func (f *blockFinder) find(i int32) {
	var first, last int32
	flush := func() {
		if first != 0 {
			f.add(first, last)
		}
		first, last = 0, 0
	}
	for c, n := range f.children(i) {
		switch {
		case n.name == "" && strings.TrimSpace(f.data[n.start:n.end]) == "", isUnseen(n.name):
		case isWhole(n.name):
			flush()
			f.add(c, c)
		case f.holds[c].blocks && n.name != "" && !isOpaque(n.name):
			flush()
			f.find(c)
		case isBlock(n.name):
			flush()
			if f.holds[c].shown {
				f.add(c, c)
			}
		case n.name == "" || f.holds[c].shown || isPicture(n.name):
			if first == 0 {
				first = c
			}
			last = c
		}
	}
	flush()
}

func (f *blockFinder) add(first, last int32) {
	f.blocks = append(f.blocks, block{first, last, f.nodes[first].start, f.nodes[last].end})
}

// at returns the number of the block, from 1, that contains a byte of the document,
// else of the next block, else of the last; 0 if there are no blocks.
func (p *part) at(offset int32) int {
	i := sort.Search(len(p.blocks), func(i int) bool { return p.blocks[i].end > offset })
	return min(i+1, len(p.blocks))
}

// atMark is like at for the start of an element, such as <a id="c2"/>. If it is
// within a block, but nothing seen follows it there, it marks the next block.
func (p *part) atMark(offset int32) int {
	const maxNodes = 1000 // that are looked at
	number := p.at(offset)
	if number == 0 || number == len(p.blocks) || offset <= p.blocks[number-1].start {
		return number
	}
	end := p.blocks[number-1].end
	from := sort.Search(len(p.nodes), func(i int) bool { return p.nodes[i].start >= offset })
	for i, n := range p.nodes[from:] {
		switch {
		case n.start >= end:
			return number + 1
		case i == maxNodes, isPicture(n.name), n.name == "" && strings.TrimSpace(p.data[n.start:n.end]) != "":
			return number
		}
	}
	return number + 1
}

// anchors returns the offsets of the elements with these ids.
func (t *tree) anchors(ids map[string]bool) map[string]int32 {
	found := make(map[string]int32, len(ids))
	for i := range t.nodes {
		if t.nodes[i].name == "" || !strings.Contains(t.tag(int32(i)), "=") {
			continue
		}
		for a := range attributes(t.tag(int32(i))) {
			if a.name != "id" && a.name != "xml:id" && (a.name != "name" || t.nodes[i].name != "a") {
				continue
			}
			id := a.text()
			if _, known := found[id]; !known && (ids == nil || ids[id]) {
				found[id] = t.nodes[i].start
			}
		}
	}
	return found
}

// isBlock reports whether an element begins on a new line.
func isBlock(name string) bool {
	switch name {
	case "address", "article", "aside", "blockquote", "body", "center", "dd", "div", "dt", "fieldset", "footer", "form",
		"header", "hgroup", "li", "main", "nav", "section", "search",
		"book", "frontmatter", "bodymatter", "rearmatter", "level", "level1", "level2", "level3", "level4", "level5", "level6": // of DTBook
		return true
	}
	return isWhole(name)
}

// isWhole reports whether an element is one block, whatever it contains.
func isWhole(name string) bool {
	switch name {
	case "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "menu", "dir", "table", "figure", "pre", "hr", "details", "dialog",
		"list", "poem": // of DTBook
		return true
	}
	return false
}

// isOpaque reports whether an inline element may contain block elements that are not
// blocks of the part.
func isOpaque(name string) bool {
	return slices.Contains(opaque, name) || isPicture(name)
}

var opaque = []string{"ruby", "button", "select", "textarea", "map", "noscript"}

// isPicture reports whether an element shows something other than text.
func isPicture(name string) bool {
	switch name {
	case "img", "image", "svg", "math", "object", "embed", "video", "audio", "iframe", "canvas", "input", "switch":
		return true
	}
	return false
}

// isUnseen reports whether an element is not shown.
func isUnseen(name string) bool {
	switch name {
	case "script", "style", "template", "head", "title", "link", "meta", "base", "metadata", "desc", "trigger":
		return true
	}
	return false
}
