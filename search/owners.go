package search

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/citekit/citekit"
)

// A place is a node with its position in its map.
type place struct {
	node  *citekit.Node
	path  []string // titles of the enclosing nodes, from the root
	order int      // among all nodes of the map, parents before children

	parent *place // nil at the top
}

// places returns all nodes of a map.
func places(m *citekit.ResourceMap) []*place {
	var all []*place
	var titles []string
	var around []*place
	for n, depth := range m.All() {
		p := &place{node: n, path: titles[:depth:depth], order: len(all)}
		if depth > 0 {
			p.parent = around[depth-1]
		}
		titles, around = append(titles[:depth:depth], n.Title), append(around[:depth], p)
		all = append(all, p)
	}
	return all
}

// A claim is a part of a text that a node is about.
type claim struct {
	from, to int64
	place    *place
}

// outranks reports whether text that both claims cover belongs to c. The claim
// that starts later wins; if both start together, the one that ends first; if
// both are equal, the one further down in the map.
func (c claim) outranks(other claim) bool {
	return cmp.Or(cmp.Compare(other.from, c.from), cmp.Compare(c.to, other.to), cmp.Compare(other.place.order, c.place.order)) < 0
}

// A stretch is a part of a text that belongs to one node.
type stretch struct {
	from, to int64
	place    *place // nil where no node is about it
	lead     int64  // bytes at its start that precede the node
}

// stretches divides a text among the claims on it, from start to end.
func stretches(claims []claim, size int64) []stretch {
	claims = slices.DeleteFunc(slices.Clone(claims), func(c claim) bool { return c.from >= c.to })
	slices.SortFunc(claims, func(a, b claim) int { return cmp.Compare(a.from, b.from) })
	var parts []stretch
	var active claimHeap
	for at := int64(0); at < size; {
		for len(claims) > 0 && claims[0].from <= at {
			heap.Push(&active, claims[0])
			claims = claims[1:]
		}
		for len(active) > 0 && active[0].to <= at {
			heap.Pop(&active)
		}
		end := size
		if len(claims) > 0 {
			end = min(end, claims[0].from)
		}
		var owner *place
		if len(active) > 0 {
			owner, end = active[0].place, min(end, active[0].to)
		}
		parts = appendStretch(parts, stretch{from: at, to: end, place: owner})
		at = end
	}
	return parts
}

// appendStretch adds a stretch, or extends the previous one if it has the same
// owner.
func appendStretch(parts []stretch, s stretch) []stretch {
	if k := len(parts) - 1; k >= 0 && parts[k].place == s.place {
		parts[k].to = s.to
		return parts
	}
	return append(parts, s)
}

// claimHeap is a heap of claims; the first one outranks all others.
type claimHeap []claim

func (r claimHeap) Len() int           { return len(r) }
func (r claimHeap) Less(i, j int) bool { return r[i].outranks(r[j]) }
func (r claimHeap) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *claimHeap) Push(c any)        { *r = append(*r, c.(claim)) }

func (r *claimHeap) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}
