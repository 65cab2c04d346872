package code

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/sentence"
)

// nodes builds the tree of the symbols, in source order.
func nodes(src []byte, symbols []symbol) []*citekit.Node {
	symbols = arrange(len(src), symbols)
	depths := depths(symbols)
	levels := fittingLevels(depths)
	if levels == 0 {
		return runs(src, symbols, depths)
	}
	var roots []*citekit.Node
	var open []*citekit.Node // the path to the latest node
	lines := lineCounter{src: src}
	for i, s := range symbols {
		if depths[i] >= levels {
			continue
		}
		n := node(s, lines.lines(s.start, s.end))
		if depths[i] == 0 {
			roots = append(roots, n)
		} else {
			parent := open[depths[i]-1]
			parent.Children = append(parent.Children, n)
		}
		open = append(open[:depths[i]], n)
	}
	return roots
}

// arrange returns the symbols that have bytes in the source, by start, outer
// before inner. A symbol that extends past its enclosing symbol is cut at the end
// of that.
func arrange(size int, symbols []symbol) []symbol {
	symbols = slices.DeleteFunc(symbols, func(s symbol) bool {
		return s.start < 0 || s.end <= s.start || s.end > size
	})
	slices.SortStableFunc(symbols, func(a, b symbol) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var open []int // ends of the enclosing symbols
	for i, s := range symbols {
		for len(open) > 0 && open[len(open)-1] <= s.start {
			open = open[:len(open)-1]
		}
		if len(open) > 0 && s.end > open[len(open)-1] {
			symbols[i].end = open[len(open)-1]
		}
		open = append(open, symbols[i].end)
	}
	return symbols
}

// depths returns how many symbols enclose each one.
func depths(symbols []symbol) []int {
	depths := make([]int, len(symbols))
	var open []int // ends of the enclosing symbols
	for i, s := range symbols {
		for len(open) > 0 && open[len(open)-1] <= s.start {
			open = open[:len(open)-1]
		}
		depths[i] = len(open)
		open = append(open, s.end)
	}
	return depths
}

// fittingLevels returns how many levels of symbols a map can have within
// about.MaxMappedNodes nodes; 0 if not even the first level fits.
func fittingLevels(depths []int) int {
	var count [maxDepth]int
	for _, depth := range depths {
		if depth < maxDepth {
			count[depth]++
		}
	}
	total := 0
	for level, n := range count {
		if total += n; total > about.MaxMappedNodes {
			return level
		}
	}
	return maxDepth
}

// runs makes untitled nodes, each of as many neighbouring symbols as needed to
// stay within about.MaxMappedNodes.
func runs(src []byte, symbols []symbol, depths []int) []*citekit.Node {
	var outer []symbol
	for i, s := range symbols {
		if depths[i] == 0 {
			outer = append(outer, s)
		}
	}
	var nodes []*citekit.Node
	lines := lineCounter{src: src}
	for run := range slices.Chunk(outer, (len(outer)+about.MaxMappedNodes-1)/about.MaxMappedNodes) {
		nodes = append(nodes, node(symbol{kind: "section"}, lines.lines(run[0].start, run[len(run)-1].end)))
	}
	return nodes
}

func node(s symbol, lines citekit.Range) *citekit.Node {
	return &citekit.Node{
		ID:       nodeID(s.name),
		Title:    plain.Words(cmp.Or(s.title, s.name), maxTitle),
		Type:     s.kind,
		Location: citekit.Location{Modality: citekit.Text, Lines: lines},
		Summary:  sentence.Lead(s.doc, maxSummary),
	}
}

// nodeID makes one segment of an id from a name.
func nodeID(name string) string {
	return strings.Trim(strings.ReplaceAll(plain.Words(name, maxTitle), ".", "-"), "-")
}

// A lineCounter converts byte offsets of a source to lines. The offsets must be
// queried in ascending order of their start.
type lineCounter struct {
	src  []byte
	at   int // counted up to here
	line int // line feeds before at
}

// lines returns the lines that hold the bytes from start to end, half-open.
func (c *lineCounter) lines(start, end int) citekit.Range {
	c.line += bytes.Count(c.src[c.at:start], lineFeed)
	c.at = start
	first := c.line + 1
	return citekit.Range{First: first, Last: first + bytes.Count(c.src[start:end-1], lineFeed)}
}

var lineFeed = []byte("\n")
