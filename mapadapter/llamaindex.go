package mapadapter

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
)

// LlamaIndex reads stores of nodes of LlamaIndex: docstore.json, the folder
// with it, and lists of nodes in JSON, including those that retrievers return.
// The nodes of each source make a map. If sources have only ids, and at least
// half of them have a single node, they are taken as parts of one unknown
// source and make one map. Nodes are nested by their relations to parents and
// children. Nodes without such relations follow one another.
//
// A node has the pages that its metadata name. Page labels are taken as page
// numbers only if all labels of the source are numbers from 1 on. If the
// adapter can open the source as text, a node has the lines between its
// character offsets if its text occurs there word for word, or else the lines
// where its text occurs. A node without pages and lines has a virtual address.
type LlamaIndex struct{}

// Adapt implements [Adapter].
func (LlamaIndex) Adapt(ctx context.Context, in Input, opts *Options) ([]*citekit.ResourceMap, error) {
	j, err := newJob(ctx, in, opts, "llamaindex")
	if err != nil {
		return nil, err
	}
	name := in.Name
	if in.isDir() {
		name = path.Join(name, "docstore.json")
	}
	data, err := in.read(ctx, name)
	if err != nil {
		return nil, err
	}
	all, err := readLlamaNodes(data)
	if err != nil {
		return nil, err
	}
	groups := groupBySource(all)
	if err := j.checkCount(len(groups)); err != nil {
		return nil, err
	}
	var maps []*citekit.ResourceMap
	for _, g := range groups {
		source, err := j.find(g.said)
		if err != nil {
			return nil, err
		}
		d, err := g.draft(ctx, source)
		if err != nil {
			source.close()
			return nil, err
		}
		m, err := j.finish(d)
		if err != nil {
			return nil, err
		}
		maps = append(maps, m)
	}
	return maps, nil
}

// A llamaGroup holds the nodes of one source.
type llamaGroup struct {
	said  string // path of the source, or ""
	key   string
	named bool // more than an id identifies the source
	nodes []*llamaNode
}

// groupBySource groups the nodes by source, in the order of the input. A
// document is a node only if the input has no parts of it.
func groupBySource(all []*llamaNode) []*llamaGroup {
	sources := sourcesOf(all)
	parts := slices.ContainsFunc(all, func(n *llamaNode) bool { return !n.document })
	groups := make(map[string]*llamaGroup)
	var order []*llamaGroup
	for _, n := range all {
		if n.document && parts {
			continue
		}
		said, key, named := n.sourceIn(sources)
		g := groups[key]
		if g == nil {
			g = &llamaGroup{said: said, key: key, named: named}
			groups[key] = g
			order = append(order, g)
		}
		g.nodes = append(g.nodes, n)
	}
	return joinNameless(order)
}

// A llamaSource holds the path and the URL given for a source.
type llamaSource struct{ file, url string }

// sourcesOf returns the data that documents and their parts give for each
// source, by id.
func sourcesOf(all []*llamaNode) map[string]llamaSource {
	sources := make(map[string]llamaSource)
	for _, n := range all {
		id := n.origin
		if n.document || id == "" {
			id = n.id
		}
		if known := sources[id]; known.file == "" {
			sources[id] = llamaSource{n.file(), cmp.Or(known.url, n.url())}
		}
	}
	return sources
}

// sourceIn returns the path of the source of a node, or "", and a key that all
// nodes of that source have. A source is named if more than an id identifies
// it.
func (n *llamaNode) sourceIn(sources map[string]llamaSource) (said, key string, named bool) {
	source := sources[n.origin]
	said = cmp.Or(n.file(), source.file)
	url := cmp.Or(n.url(), source.url)
	switch {
	case said != "":
		return said, said, true
	case url != "":
		return "", "url:" + url, true
	case n.origin != "":
		return "", "id:" + n.origin, false
	}
	return "", "", false
}

// joinNameless joins the groups that differ only by an id into one, unless most
// of them have several nodes: a program that loads a text in pieces, without
// their origin, gets a source with its own id for each piece.
func joinNameless(groups []*llamaGroup) []*llamaGroup {
	nameless, single := 0, 0
	for _, g := range groups {
		if !g.named {
			nameless++
			if len(g.nodes) == 1 {
				single++
			}
		}
	}
	if 2*single < nameless {
		return groups
	}
	var joined []*llamaGroup
	var rest *llamaGroup
	for _, g := range groups {
		switch {
		case g.named:
			joined = append(joined, g)
		case rest == nil:
			rest = g
			joined = append(joined, g)
		default:
			rest.nodes = append(rest.nodes, g.nodes...)
		}
	}
	return joined
}

// draft makes a map from the nodes of a source.
func (g *llamaGroup) draft(ctx context.Context, source *found) (*draft, error) {
	d := &draft{source: source, metadata: map[string]any{}}
	if g.said != "" {
		d.title = path.Base(strings.ReplaceAll(g.said, `\`, "/"))
	}
	p := llamaPlacer{trustLabels: g.labelsAreNumbers()}
	if source != nil {
		p.named, p.text = true, source.text
	}
	made := make(map[*llamaNode]*citekit.Node)
	nodes := g.nodes
	if len(nodes) > about.MaxMappedNodes {
		d.metadata["omitted"] = []string{strconv.Itoa(len(nodes)-about.MaxMappedNodes) + " nodes"}
		nodes = nodes[:about.MaxMappedNodes]
	}
	for _, n := range nodes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		made[n] = n.node(&p)
	}
	d.nodes = nestLlama(nodes, made)
	if source != nil && source.kind == "" && d.title != "" && placed(d.nodes) == "" && strings.EqualFold(path.Ext(d.title), ".pdf") {
		d.modality = citekit.Document
	}
	return d, nil
}

// labelsAreNumbers reports whether all labels are page numbers. A label such as
// "iv" is not one; a label "0" means that all others are one too low.
func (g *llamaGroup) labelsAreNumbers() bool {
	return !slices.ContainsFunc(g.nodes, func(n *llamaNode) bool {
		if n.meta.text("page_label") == "" {
			return false
		}
		page, ok := n.meta.whole("page_label")
		return !ok || page < 1
	})
}

// nestLlama puts nodes below their parents. A parent that is below the node
// itself is ignored.
func nestLlama(nodes []*llamaNode, made map[*llamaNode]*citekit.Node) []*citekit.Node {
	byID := make(map[string]*llamaNode, len(nodes))
	for _, n := range nodes {
		if byID[n.id] == nil {
			byID[n.id] = n
		}
	}
	parent := make(map[*llamaNode]*llamaNode)
	for _, n := range nodes {
		for _, id := range n.related(relationParent) {
			if p := byID[id]; p != nil && parent[n] == nil {
				parent[n] = p
			}
		}
		for _, id := range n.related(relationChild) {
			if c := byID[id]; c != nil && parent[c] == nil {
				parent[c] = n
			}
		}
	}
	var roots []*citekit.Node
	for _, n := range nodes {
		if p := parent[n]; p != nil && ends(parent, n) {
			made[p].Children = append(made[p].Children, made[n])
			continue
		}
		delete(parent, n) // this cuts a cycle for all of its nodes
		roots = append(roots, made[n])
	}
	return roots
}

// ends reports whether the chain of parents above a node ends. In a cycle it
// does not.
func ends(parent map[*llamaNode]*llamaNode, n *llamaNode) bool {
	for range maxDepth {
		if n = parent[n]; n == nil {
			return true
		}
	}
	return false
}

// A llamaPlacer finds the locations of nodes.
type llamaPlacer struct {
	named       bool // the source has a name
	trustLabels bool
	text        *sourceText
	after       int
}

func (p *llamaPlacer) place(n *llamaNode) citekit.Location {
	switch {
	case !p.named:
		return citekit.Location{}
	case p.text != nil:
		return p.lines(n)
	}
	page, ok := n.page(p.trustLabels)
	if !ok {
		return citekit.Location{}
	}
	return citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: page, Last: page}}}
}

// lines returns the lines of a node if the source has its text.
func (p *llamaPlacer) lines(n *llamaNode) citekit.Location {
	if n.ranged && n.start >= 0 && n.end > n.start {
		from, ok1 := p.text.offset(n.start)
		to, ok2 := p.text.offset(n.end)
		if ok1 && ok2 && string(p.text.text[from:to]) == n.text && n.text != "" {
			p.after = from
			return p.text.lines(from, to)
		}
	}
	if at, size, ok := p.text.search(n.text, p.after); ok {
		p.after = at
		return p.text.lines(at, at+size)
	}
	return citekit.Location{}
}
