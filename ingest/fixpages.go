package ingest

import (
	"encoding/json"

	"github.com/citekit/citekit"
)

// Maps that other programs made give the first and the last page of a node as "pages":
// [12, 15], which here means two pages. What was meant is known if the node has its
// address, if a child lies on a page between them, or if the nodes before and after it
// lie directly around them.

// pages writes such lists of nodes as runs, and removes addresses from locations that say
// no more than the pages.
func (f *fixer) pages(at string, nodes []*citekit.Node, parent *citekit.Node, n int) {
	node := nodes[n]
	said, hasAddress := f.saidPages(node)
	if pages := node.Location.Pages; f.isDocument(node) && looksLikeRange(pages) {
		run := citekit.Range{First: pages[0].First, Last: pages[1].First}
		why := ""
		switch {
		case hasAddress && len(said) == 1 && said[0] == run:
			why = "as its address says"
		case hasAddress && len(said) > 0:
			// The address says that they are two, or something else.
		case childBetween(node, run):
			why = "as a child is between them"
		case f.fillsGap(nodes, parent, n, run):
			why = "as the nodes before and after it lie around them"
		}
		if why != "" {
			node.Location.Pages = []citekit.Range{run}
			f.did(at+".location.pages", "[%d, %d] written as the pages from %[1]d to %[2]d, %[3]s", run.First, run.Last, why)
		}
	}
	loc := node.Location
	address, err := citekit.ParseAddress(loc.VirtualAddress)
	if loc.VirtualAddress = ""; err == nil && f.isDocument(node) && address.Resource == f.m.ResourceID && address.Location.Equal(loc) {
		node.Location = loc
		f.did(at+".location.virtual_address", "removed, as it says the same as the location")
	}
}

func (f *fixer) isDocument(n *citekit.Node) bool {
	return n.Location.Modality == citekit.Document || n.Location.Modality == "" && f.m.Type == citekit.Document
}

// saidPages returns the pages in an address of the resource that a node has, as the virtual
// address of its location or as a field that this package does not know, and reports
// whether there is one. Of several that differ there is none.
func (f *fixer) saidPages(n *citekit.Node) (pages []citekit.Range, ok bool) {
	bare := *n
	bare.Children = nil
	data, err := bare.MarshalJSON()
	var fields map[string]any
	if err != nil || json.Unmarshal(data, &fields) != nil {
		return nil, false
	}
	fields["virtual_address"] = n.Location.VirtualAddress
	for _, value := range fields {
		text, _ := value.(string)
		address, err := citekit.ParseAddress(text)
		if err != nil || address.Resource != f.m.ResourceID || address.Location.Modality != citekit.Document {
			continue
		}
		if ok && !sameRuns(pages, address.Location.Pages) {
			return nil, false
		}
		pages, ok = address.Location.Pages, true
	}
	return pages, ok
}

func sameRuns(a, b []citekit.Range) bool {
	return citekit.Location{Pages: a}.Equal(citekit.Location{Pages: b})
}

// childBetween reports whether a child of a node lies within a run, and on a page that is
// neither the first nor the last of it.
func childBetween(n *citekit.Node, run citekit.Range) bool {
	for _, child := range n.Children {
		first, last, ok := endPages(child)
		if ok && run.First <= first && last <= run.Last && (first > run.First && first < run.Last || last > run.First && last < run.Last) {
			return true
		}
	}
	return false
}

// fillsGap reports whether a run lies between the nodes around nodes[n], or the ends of
// what they are in, so that no page is left over and none is in two nodes but at an end.
func (f *fixer) fillsGap(nodes []*citekit.Node, parent *citekit.Node, n int, run citekit.Range) bool {
	before, after := 0, 0 // the last page before the run, and the first behind it
	if parent != nil {
		first, last, ok := endPages(parent)
		if !ok || run.First < first || run.Last > last {
			return false
		}
		before, after = first-1, last+1
	} else if pages := f.m.Extent().Pages; pages > 0 {
		after = pages + 1
	}
	if n > 0 {
		first, last, ok := endPages(nodes[n-1])
		if before = last; !ok || first > run.First {
			return false
		}
	}
	if n+1 < len(nodes) {
		first, last, ok := endPages(nodes[n+1])
		if after = first; !ok || last < run.Last {
			return false
		}
	}
	joins := func(a, b int) bool { return a == b || a+1 == b }
	return joins(before, run.First) && joins(run.Last, after)
}

// endPages returns the first and the last page of a node, and reports whether it has pages.
func endPages(n *citekit.Node) (first, last int, ok bool) {
	pages := n.Location.Pages
	if len(pages) == 0 {
		return 0, 0, false
	}
	return pages[0].First, pages[len(pages)-1].Last, true
}
