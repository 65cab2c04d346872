package relations

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/citekit/citekit"
)

// Limits of [Graph.Around].
const (
	MaxHops  = 2    // largest Reach.Hops
	MaxMost  = 1000 // largest Reach.Most
	maxLooks = 1000 // relations examined in one call
	maxMore  = 100  // places counted beyond the returned ones
)

// A Place is a place that relations lead to from another place, or come from.
type Place struct {
	// Address is the place that a relation leads to. If the relation comes
	// from the place, it is the address that proves the relation. If Proof is
	// set, it is a text that proves a relation of a map.
	Address citekit.Address
	Node    string // the smallest node that contains the address, or ""

	Hops     int      // number of relations followed to reach it, from 1
	By       Relation // the last relation followed to reach it
	Incoming bool     // By comes from here
	Proof    bool     // it is a text that proves By
}

// A Reach is how far [Graph.Around] goes.
type Reach struct {
	Hops int // 0 to [MaxHops]
	Most int // number of places, 0 to [MaxMost]

	// Enclosing also follows the relations that lead to something around the
	// address, such as the whole resource.
	Enclosing bool
}

// Surroundings are the places around an address.
type Surroundings struct {
	Places []Place // those with fewer hops first

	// More is the number of further places. If not everything was examined,
	// there may be more.
	More int

	// Outdated is how many places were left out because their sources changed
	// after they were mapped, are gone or may not be read.
	Outdated int

	// Complete is false if time ran out, or there were more relations than are
	// examined.
	Complete bool
}

// Around returns the places that relations lead to from an address, and the
// places that relations to it come from. With two hops it also returns the
// places around these. Each place is returned once. Places inside the address
// or around it are left out. If a source changed since it was mapped, its
// relations are not followed, and places in it are not returned.
//
// For each place, outgoing and incoming relations alternate, in the orders of
// [Graph.Outgoing] and [Graph.Incoming]. If the time of the context runs out,
// the answer has the places found by then.
//
// Errors match [citekit.ErrSyntax] if the reach is out of bounds; others are
// those of [citekit.Library.Open].
func (g *Graph) Around(ctx context.Context, at citekit.Address, reach Reach) (*Surroundings, error) {
	if reach.Hops < 0 || reach.Hops > MaxHops || reach.Most < 0 || reach.Most > MaxMost {
		return nil, fmt.Errorf("%d hops and %d places; give 0 to %d hops and 0 to %d places: %w", reach.Hops, reach.Most, MaxHops, MaxMost, citekit.ErrSyntax)
	}
	w := &walk{g: g, at: at, Reach: reach, seen: make(map[string]bool), current: make(map[string]error)}
	w.Complete = true
	if err := w.check(ctx, at); err != nil {
		return nil, err
	}
	from := []citekit.Address{at}
	for hop := 1; hop <= reach.Hops && w.Complete; hop++ {
		known := len(w.Places)
		for _, a := range from {
			w.visit(ctx, a, hop)
		}
		from = nil
		for _, p := range w.Places[known:] {
			from = append(from, p.Address)
		}
	}
	return &w.Surroundings, nil
}

// A walk is one call of [Graph.Around].
type walk struct {
	g     *Graph
	at    citekit.Address
	looks int
	seen  map[string]bool // addresses
	Reach
	Surroundings

	current map[string]error // error if a resource, at a version, cannot be followed
}

// visit adds the places of outgoing and incoming relations of an address,
// alternately.
func (w *walk) visit(ctx context.Context, a citekit.Address, hop int) {
	out, stopOut := iter.Pull2(w.g.leaving(ctx, a))
	defer stopOut()
	in, stopIn := iter.Pull2(w.g.arriving(ctx, a, w.Enclosing))
	defer stopIn()
	for there, here := true, true; there || here; {
		if there {
			there = w.step(ctx, out, hop, false)
		}
		if here {
			here = w.step(ctx, in, hop, true)
		}
	}
}

// step adds the places of the next relation, and reports whether there may be
// another one.
func (w *walk) step(ctx context.Context, next func() (Relation, error, bool), hop int, incoming bool) bool {
	if w.looks >= maxLooks || w.More >= maxMore {
		w.Complete = false
		return false
	}
	r, err, ok := next()
	if !ok {
		return false
	}
	if w.looks++; ctx.Err() != nil || errors.Is(err, errTooMany) {
		w.Complete = false
		return false
	}
	if err != nil || r.To.Resource == "" {
		return err == nil // an unreadable source has no relations
	}
	switch err := w.check(ctx, r.From); {
	case ctx.Err() != nil:
		w.Complete = false
		return false
	case err != nil:
		w.Outdated++
		return true
	}
	p := Place{Address: r.To, Node: r.ToNode, Hops: hop, By: r, Incoming: incoming}
	if incoming {
		p.Address, p.Node = r.From, r.FromNode
	}
	w.add(ctx, p)
	for _, proof := range r.Evidence {
		w.add(ctx, Place{Address: proof, Hops: hop, By: r, Incoming: incoming, Proof: true})
	}
	return true
}

// add adds a place that was not seen before.
func (w *walk) add(ctx context.Context, p Place) {
	key := w.key(ctx, p)
	if w.seen[key] || p.Address.Resource == w.at.Resource && overlap(p.Address.Location, w.at.Location) {
		return
	}
	w.seen[key] = true
	switch err := w.check(ctx, p.Address); {
	case ctx.Err() != nil:
		w.Complete = false
	case err != nil:
		w.Outdated++
	case len(w.Places) >= w.Most:
		w.More++
	default:
		w.Places = append(w.Places, p)
	}
}

// key returns the key of a place: its node, if a relation leads to the node or
// comes from anywhere in it; otherwise its address.
func (w *walk) key(ctx context.Context, p Place) string {
	if p.Node != "" && p.Address.Version == "" {
		if p.Incoming && !p.Proof || w.g.isNode(ctx, p.Address, p.Node) {
			return p.Address.Resource + "\x00" + p.Node
		}
	}
	return p.Address.String()
}

// isNode reports whether an address is that of a node.
func (g *Graph) isNode(ctx context.Context, a citekit.Address, id string) bool {
	m, err := g.lib.Map(ctx, a.Resource)
	if err != nil {
		return false
	}
	n := m.Node(id)
	return n != nil && n.Location.Equal(a.Location)
}

// overlap reports whether one location contains the other.
func overlap(a, b citekit.Location) bool {
	if a.IsWhole() || b.IsWhole() {
		return true
	}
	return a.Modality == b.Modality && (holds(a, b) || holds(b, a))
}

// check returns an error if the source of an address does not have the mapped
// version, or the version that the address pins. A map without a source cannot
// be outdated.
func (w *walk) check(ctx context.Context, a citekit.Address) error {
	key := a.Resource + "#" + a.Version
	if err, ok := w.current[key]; ok {
		return err
	}
	err := w.g.current(ctx, citekit.Address{Resource: a.Resource, Version: a.Version})
	if ctx.Err() == nil {
		w.current[key] = err
	}
	return err
}

// current returns an error if a resource has changed since it was mapped.
func (g *Graph) current(ctx context.Context, a citekit.Address) error {
	m, err := g.lib.Map(ctx, a.Resource)
	if err != nil || m.SourcePath == "" {
		return err
	}
	opened, err := g.lib.Open(ctx, a)
	if err != nil {
		return err
	}
	return opened.Source.Close()
}
