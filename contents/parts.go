package contents

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/textlayer"
)

// A part is something to read.
type part struct {
	item   *Item
	loc    citekit.Location
	offset int64  // bytes of its text that were given before
	hash   string // how that of the source begins, where bytes were given before

	index   int    // among all parts of the request
	request []byte // the fingerprint of that
	last    bool   // of all parts of the request

	ranges []textlayer.Bytes // of the layer
	text   text
	needs  int // what wants returns, once it is known
}

// parts returns what a request asks for and what is around it, each once.
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
	return r.withAround(all, maps, seen, req.Expand), ctx.Err()
}

// withAround returns parts, which are of some maps, each with those around it
// that are not seen yet.
func (r *Reader) withAround(asked []*part, maps []*citekit.ResourceMap, seen map[string]bool, e Expansion) []*part {
	var all []*part
	added := 0
	for i, p := range asked {
		all = append(all, p)
		if p.item.NodeID == "" {
			continue
		}
		for _, n := range around(maps[i], p.item.NodeID, e) {
			q := partOf(maps[i], n)
			q.item.ID = q.item.Address.String()
			if seen[q.item.ID] {
				continue
			}
			if added++; added > maxAround {
				p.item.Note = "not all around it is read; ask for its children by their ids"
				break
			}
			seen[q.item.ID] = true
			all = append(all, q)
		}
	}
	return all
}

// find returns the part that an id means, with its map.
func (r *Reader) find(ctx context.Context, id string) (*part, *citekit.ResourceMap) {
	p, m, err := r.findPart(ctx, id)
	if err != nil {
		p = &part{item: &Item{Err: err}}
	}
	p.item.ID = id
	return p, m
}

func (r *Reader) findPart(ctx context.Context, id string) (*part, *citekit.ResourceMap, error) {
	if strings.Contains(id, "://") {
		return r.addressPart(ctx, id)
	}
	if resource, fragment, ok := strings.Cut(id, "#"); ok && r.hasMap(ctx, resource) {
		return r.fragmentPart(ctx, resource, fragment)
	}
	for resource, node := range readings(id) {
		if !r.hasMap(ctx, resource) {
			continue
		}
		p, m, err := r.nodePart(ctx, resource, node)
		if node == "" || !errors.Is(err, fs.ErrNotExist) {
			return p, m, err
		}
	}
	return nil, nil, r.missing(ctx, id)
}

// hasMap reports whether there is a map of a resource.
func (r *Reader) hasMap(ctx context.Context, resource string) bool {
	if citekit.CheckResourceID(resource) != nil {
		return false
	}
	_, err := r.lib.Workspace().StatMap(ctx, resource)
	return err == nil
}

// nodePart returns a node of a resource as a part, or with "" all of it.
func (r *Reader) nodePart(ctx context.Context, resource, node string) (*part, *citekit.ResourceMap, error) {
	m, err := r.lib.Map(ctx, resource)
	if err != nil || node == "" {
		return partOf(m, nil), m, err
	}
	n, err := r.lib.Node(ctx, resource, node)
	return partOf(m, n), m, err
}

// missing returns the error for an id of whose readings none names something:
// that of a node which a resource does not have, or of the resource whose id is
// nearest, or of the shortest.
func (r *Reader) missing(ctx context.Context, id string) error {
	var best error
	for resource, node := range readings(id) {
		if best != nil && !r.hasMap(ctx, resource) && strings.Contains(resource, ".") {
			continue // what is meant is looked for with the longest and the shortest id
		}
		_, _, err := r.nodePart(ctx, resource, node)
		if err == nil {
			err = &citekit.NotFoundError{Kind: "resource", ID: id} // it was not there just now
		}
		if best == nil || rank(err) >= rank(best) {
			best = err
		}
	}
	return best
}

// rank orders errors by how much they say of what was probably meant.
func rank(err error) int {
	var missing *citekit.NotFoundError
	switch {
	case !errors.As(err, &missing):
		return 0
	case missing.Kind == "node":
		return 3
	case len(missing.Suggestions) > 0:
		return 2
	}
	return 1
}

// mostReadings bounds how many of its dots an id is split at.
const mostReadings = 64

// readings yields the readings of an id as a resource and a node, the longest
// resource id first: that of the whole comes before all.
func readings(id string) func(yield func(resource, node string) bool) {
	return func(yield func(resource, node string) bool) {
		if !yield(id, "") {
			return
		}
		end := len(id)
		for range mostReadings {
			if end = strings.LastIndexByte(id[:end], '.'); end <= 0 || !yield(id[:end], id[end+1:]) {
				return
			}
		}
	}
}

func (r *Reader) addressPart(ctx context.Context, id string) (*part, *citekit.ResourceMap, error) {
	a, err := citekit.ParseAddress(id)
	if err != nil {
		return nil, nil, err
	}
	return r.partAt(ctx, a)
}

// fragmentPart returns the part of an address without its scheme.
func (r *Reader) fragmentPart(ctx context.Context, resource, fragment string) (*part, *citekit.ResourceMap, error) {
	loc, version, err := citekit.ParseFragment(fragment)
	if err != nil {
		return nil, nil, err
	}
	m, err := r.lib.Map(ctx, resource)
	if err != nil {
		return nil, nil, err
	}
	if loc.Modality == "" {
		loc.Modality = m.Address(nil).Location.Modality
	}
	return r.partAt(ctx, citekit.Address{Resource: resource, Location: loc, Version: version})
}

func (r *Reader) partAt(ctx context.Context, a citekit.Address) (*part, *citekit.ResourceMap, error) {
	m, err := r.lib.Map(ctx, a.Resource)
	if err != nil {
		return nil, nil, err
	}
	p := &part{item: &Item{ResourceID: a.Resource, Address: a}, loc: a.Location}
	for n := range m.All() {
		if n.Location.Equal(a.Location) {
			p.item.NodeID = n.ID
			break
		}
	}
	return p, m, nil
}

// partOf returns a node as a part, or with nil all of the resource. There may be
// no map.
func partOf(m *citekit.ResourceMap, n *citekit.Node) *part {
	if m == nil {
		return nil
	}
	a := m.Address(n)
	p := &part{item: &Item{ResourceID: m.ResourceID, Address: a}, loc: a.Location}
	if n != nil {
		p.item.NodeID = n.ID
	}
	return p
}

// around returns the nodes around a node that an expansion asks for: its parent,
// the one before it, the one after it, and its children.
func around(m *citekit.ResourceMap, id string, e Expansion) []*citekit.Node {
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

// locate returns the parent of the first node with an id, and the nodes that
// have the same parent with the index of the node among them, or -1.
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
