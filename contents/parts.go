package contents

import (
	"context"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/textlayer"
)

// A part is one part to read.
type part struct {
	item   *Item
	loc    citekit.Location
	offset int64  // bytes of its text that were given before
	hash   string // start of the hash of the source, if bytes were given before

	index   int    // among all parts of the request
	request []byte // the fingerprint of the request
	last    bool   // of all parts of the request
	late    bool   // time ran out before all its related places were found

	ranges []textlayer.Bytes // of the layer
	text   text
	shown  int // bytes of the text that the item has
	needs  int // result of wants, once known
}

// parts returns the requested parts and those around them, each once.
func (r *Reader) parts(ctx context.Context, req Request) ([]*part, error) {
	var all []*part
	var maps []*citekit.ResourceMap
	seen := make(map[string]bool)
	asked := make(map[string]bool)
	for _, id := range req.IDs {
		if asked[id] {
			continue
		}
		p, m := r.find(ctx, id)
		asked[id], seen[p.item.Address.String()] = true, true
		all, maps = append(all, p), append(maps, m)
	}
	all = r.withAround(ctx, all, maps, seen, req.Expand)
	return all, ctx.Err()
}

// withAround returns parts of some maps, each followed by the parts around it
// that are not seen yet.
func (r *Reader) withAround(ctx context.Context, asked []*part, maps []*citekit.ResourceMap, seen map[string]bool, e Expansion) []*part {
	var all []*part
	added, related := 0, 0
	short, cancel := half(ctx)
	defer cancel()
	for i, p := range asked {
		all = append(all, p)
		for _, n := range around(maps[i], p.item.NodeID, e) {
			q := partOf(maps[i], n)
			q.item.ID = q.item.Address.String()
			if seen[q.item.ID] {
				continue
			}
			if added++; added > maxAround {
				p.note("not all nodes around it are read; ask for its children by their ids")
				break
			}
			seen[q.item.ID] = true
			all = append(all, q)
		}
		for _, q := range r.related(short, p, e.Relations, maxAllRelated-related) {
			if !seen[q.item.ID] && !q.liesIn(asked) {
				seen[q.item.ID] = true
				all = append(all, q)
				related++
			}
		}
	}
	return all
}

// find returns the part that an id refers to, with its map.
func (r *Reader) find(ctx context.Context, id string) (*part, *citekit.ResourceMap) {
	p, m, err := r.findPart(ctx, id)
	if err != nil {
		p = &part{item: &Item{Err: err}}
	}
	p.item.ID = id
	return p, m
}

func (r *Reader) findPart(ctx context.Context, id string) (*part, *citekit.ResourceMap, error) {
	found, err := lookup.Find(ctx, r.lib, id)
	if err != nil {
		return nil, nil, err
	}
	p := partOf(found.Map, found.Node)
	p.item.Address, p.loc = found.Address, found.Address.Location
	return p, found.Map, nil
}

// partOf returns a node as a part, or all of the resource if n is nil.
func partOf(m *citekit.ResourceMap, n *citekit.Node) *part {
	a := m.Address(n)
	p := &part{item: &Item{ResourceID: m.ResourceID, Address: a}, loc: a.Location}
	if n != nil {
		p.item.NodeID = n.ID
	}
	return p
}

// around returns the nodes around a node that an expansion requests: its
// parent, the previous node, the next node, and its children.
func around(m *citekit.ResourceMap, id string, e Expansion) []*citekit.Node {
	if id == "" {
		return nil
	}
	parent, siblings, at := locate(nil, m.Nodes, id)
	if at < 0 {
		return nil
	}
	var found []*citekit.Node
	if e.Parent && parent != nil {
		found = append(found, parent)
	}
	if e.Neighbours && at > 0 {
		found = append(found, siblings[at-1])
	}
	if e.Neighbours && at+1 < len(siblings) {
		found = append(found, siblings[at+1])
	}
	if e.Children {
		found = append(found, siblings[at].Children...)
	}
	return found
}

// locate returns the parent of the first node with an id, the node and its
// siblings, and the index of the node among them, or -1.
func locate(parent *citekit.Node, nodes []*citekit.Node, id string) (of *citekit.Node, siblings []*citekit.Node, at int) {
	if at := slices.IndexFunc(nodes, func(n *citekit.Node) bool { return n.ID == id }); at >= 0 {
		return parent, nodes, at
	}
	for _, n := range nodes {
		if of, siblings, at := locate(n, n.Children, id); at >= 0 {
			return of, siblings, at
		}
	}
	return nil, nil, -1
}
