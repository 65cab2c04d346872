package mapadapter

import (
	"context"
	"strconv"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/plain"
)

// PageIndex reads the trees of PageIndex: nodes with "start_index" and
// "end_index", the first and the last page, or, for a Markdown file, with
// "line_num", the line of the heading. A section of a Markdown file ends before
// the next heading that is not below it; the last one ends with the file, which
// the adapter must therefore be able to open.
//
// A node without valid pages gets those of its parent. Nodes over the limits of
// number or depth are left out, and "omitted" in the metadata gives their
// number.
type PageIndex struct{}

// Adapt implements [Adapter].
func (PageIndex) Adapt(ctx context.Context, in Input, opts *Options) ([]*citekit.ResourceMap, error) {
	var value any
	j, err := newJSONJob(ctx, in, opts, "pageindex", &value)
	if err != nil {
		return nil, err
	}
	tree := record{"structure": value}
	if r, ok := value.(map[string]any); ok {
		tree = r
	}
	roots := tree.records("structure")
	if len(roots) == 0 {
		roots = tree.records("nodes")
	}
	if len(roots) == 0 || !isPageIndexNode(roots[0]) {
		return nil, formatError("the input is no tree of PageIndex: it has no structure of nodes with a title and start_index or line_num")
	}
	source, err := j.find(tree.text("doc_name", "source_path"))
	if err != nil {
		return nil, err
	}
	d := &draft{title: tree.text("title", "doc_title"), source: source}
	if d.title == "" {
		d.title = tree.text("doc_name")
	}
	d.metadata = make(map[string]any)
	if about := tree.text("doc_description"); about != "" {
		d.metadata["description"] = about
	}
	p := pageIndexReader{source: source}
	d.nodes = p.nodes(roots, citekit.Location{}, 0)
	if p.leftOut > 0 {
		d.metadata["omitted"] = []string{strconv.Itoa(p.leftOut) + " nodes"}
	}
	p.endSections(d.nodes)
	if len(p.lines) == 0 && source == nil { // pages of an unnamed source
		dropLocations(d.nodes)
	}
	return j.finishOnly(d)
}

func isPageIndexNode(r record) bool {
	_, page := r.whole("start_index")
	_, line := r.whole("line_num")
	return r.has("title") && (page || line || r.has("node_id"))
}

func dropLocations(nodes []*citekit.Node) {
	for _, n := range nodes {
		n.Location = citekit.Location{}
		dropLocations(n.Children)
	}
}

// A pageIndexReader makes nodes from those of PageIndex.
type pageIndexReader struct {
	source  *found
	count   int
	leftOut int
	lines   map[*citekit.Node]int // of headings
}

func (p *pageIndexReader) nodes(records []record, parent citekit.Location, depth int) []*citekit.Node {
	var nodes []*citekit.Node
	for i, r := range records {
		if p.count == about.MaxMappedNodes || depth >= maxDepth {
			p.leftOut += countRecords(records[i:])
			break
		}
		p.count++
		n := newNode(r.text("node_id"))
		n.Title = title(r.text("title"))
		n.Type = "section"
		n.Summary = plain.Words(r.text("summary", "prefix_summary"), maxSummary)
		n.Location = pageRun(r, parent)
		if line, ok := r.whole("line_num"); ok && line > 0 {
			if p.lines == nil {
				p.lines = make(map[*citekit.Node]int)
			}
			p.lines[n] = line
			n.Location = citekit.Location{}
		}
		n.Children = p.nodes(r.records("nodes"), n.Location, depth+1)
		nodes = append(nodes, n)
	}
	return nodes
}

// countRecords counts nodes with those below them.
func countRecords(records []record) int {
	n := len(records)
	for _, r := range records {
		n += countRecords(r.records("nodes"))
	}
	return n
}

func pageRun(r record, parent citekit.Location) citekit.Location {
	first, ok := r.whole("start_index")
	last, okLast := r.whole("end_index")
	if !okLast {
		last = first
	}
	if !ok || first < 1 || last < first {
		return parent
	}
	return citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: first, Last: last}}}
}

// endSections finds the lines of the sections of a text.
func (p *pageIndexReader) endSections(nodes []*citekit.Node) {
	if p.source == nil || p.source.text == nil || len(p.lines) == 0 {
		return
	}
	p.endBefore(nodes, p.source.text.count()+1)
}

// endBefore gives each section the lines up to the next section, and the last
// one the lines before the line end.
func (p *pageIndexReader) endBefore(nodes []*citekit.Node, end int) {
	for i := len(nodes) - 1; i >= 0; i-- {
		n := nodes[i]
		first, ok := p.lines[n]
		p.endBefore(n.Children, end)
		if !ok || first >= end {
			continue // out of order: its end is unknown
		}
		n.Location = citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: first, Last: end - 1}}
		end = first
	}
}
