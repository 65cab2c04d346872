// Package relations finds the references among the resources of a library: the
// links in their sources, and the relations that an adapter or a model added to
// a map. Nothing is inferred: each relation has the address that proves it.
//
// A link leads to a mapped resource if its target is the path of a source, the
// path or name of a module whose files are mapped at that path, or an address
// of a resource. Any other link leads outside, and its target is given as
// written. No file is opened unless it is the source of a map.
package relations

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
)

// An Origin is the party that states a relation.
type Origin string

// The values of an Origin.
const (
	FromSource  Origin = "source"  // a link in the source; From proves it
	FromAdapter Origin = "adapter" // another tool, as read by its adapter
	FromModel   Origin = "model"   // a model that made the map
)

// A Relation leads from one place to another.
type Relation struct {
	From     citekit.Address // the place that states the relation
	FromNode string          // the smallest node that contains From, or ""

	// To is zero if the relation does not lead to a resource.
	To     citekit.Address
	ToNode string // the smallest node that contains To, or ""

	Kind   string // as in [Link], or "relationship"
	Text   string // the visible text of a link, or a statement about the relation
	Target string // as the source writes it; "" for relations of a map
	Origin Origin // who stated it

	// Evidence are the places that prove a relation of a map, such as the text
	// units in which it was found.
	Evidence []citekit.Address
}

// Limits of a [Graph].
const (
	maxResources = 1 << 20 // known maps
	maxKeys      = 4 << 20 // keys of the links of all resources; 16 bytes each
)

// A Graph finds the relations of the resources of a library. Make one with
// [New]. It is safe for concurrent use.
//
// It holds, for each map, its id, stamp and path, and 16 bytes for each link
// that may lead to a mapped source: about 60 MB for 100,000 maps with 2,000,000
// such links. The workspace stores the links themselves, as evidence of the
// version of their source.
type Graph struct {
	lib  *citekit.Library
	turn chan struct{} // held by the one caller that catches up
	atlas
}

// New returns a graph over a library. It reads nothing until it is used.
func New(lib *citekit.Library) *Graph {
	return &Graph{lib: lib, turn: make(chan struct{}, 1)}
}

// Outgoing returns the relations that lead from a place. If the address selects
// the whole resource, these are all its relations. Otherwise they are the links
// in the selected part, and the relations of the map that lead from the part or
// are proved by a text in it. They are in source order, followed by those of
// the map.
//
// Errors are those of [citekit.Library.Map] and of [ReadLinks]. If the resolver
// of a modality does not read links, the resource has only the relations of its
// map.
func (g *Graph) Outgoing(ctx context.Context, at citekit.Address) ([]Relation, error) {
	var all []Relation
	for r, err := range g.leaving(ctx, at) {
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// leaving yields the relations that lead from a place. It stops after an error.
func (g *Graph) leaving(ctx context.Context, at citekit.Address) iter.Seq2[Relation, error] {
	return func(yield func(Relation, error) bool) {
		if err := g.catchUp(ctx, false); err != nil {
			yield(Relation{}, err)
			return
		}
		for r, err := range g.relationsOf(ctx, at, nil) {
			if !yield(r, err) {
				return
			}
		}
	}
}

// Incoming returns the relations that lead to a place: to any part of a
// resource if the address selects all of it, otherwise into the selected part.
// They are sorted by the id of the resource that they come from. The first call
// reads the links of all resources; it may be cancelled, and a later call
// continues.
//
// A resource that cannot be read has no relations. If the limits of a Graph are
// exceeded, which takes some millions of links, the error matches
// [citekit.ErrTooLarge], and the known relations are returned with it.
func (g *Graph) Incoming(ctx context.Context, at citekit.Address) ([]Relation, error) {
	var found []Relation
	for r, err := range g.arriving(ctx, at, false) {
		if errors.Is(err, errTooMany) {
			return found, err
		}
		if err != nil {
			return nil, err
		}
		found = append(found, r)
	}
	return found, nil
}

// arriving yields the relations that lead to a place and, if enclosing is set,
// those that lead to something around it. It stops after an error; errTooMany
// comes after all relations.
func (g *Graph) arriving(ctx context.Context, at citekit.Address, enclosing bool) iter.Seq2[Relation, error] {
	return func(yield func(Relation, error) bool) {
		_, err := g.lib.Map(ctx, at.Resource)
		if err == nil {
			err = g.catchUp(ctx, true)
		}
		if err != nil {
			yield(Relation{}, err)
			return
		}
		ids, whole := g.referrers(at.Resource)
		may := g.mayLeadTo(at.Resource)
		for _, id := range ids {
			passes := may
			if id == at.Resource {
				passes = nil // its links may use its own names for places
			}
			for r, err := range g.relationsOf(ctx, citekit.Address{Resource: id}, passes) {
				if ctx.Err() != nil {
					yield(Relation{}, ctx.Err())
					return
				}
				if err != nil {
					break
				}
				leads := r.To.Resource == at.Resource && (lies(r.To, at) || enclosing && overlap(r.To.Location, at.Location))
				if leads && !yield(r, nil) {
					return
				}
			}
		}
		if !whole {
			yield(Relation{}, errTooMany)
		}
	}
}

// lies reports whether a place is inside an address of its resource.
func lies(place, at citekit.Address) bool {
	if at.Location.IsWhole() {
		return true
	}
	loc := place.Location
	return loc.Modality != "" && (at.Location.Modality == "" || at.Location.Modality == loc.Modality) && holds(at.Location, loc)
}

// holds reports whether outer contains inner.
func holds(outer, inner citekit.Location) bool {
	if outer.VirtualAddress != inner.VirtualAddress {
		return false
	}
	outer.Modality = inner.Modality
	return outer.Contains(inner)
}

// relationsOf yields the relations that lead from an address. If may is not
// nil, it leaves out links for which may returns false. It stops after an
// error.
func (g *Graph) relationsOf(ctx context.Context, at citekit.Address, may func(l Link, source string) bool) iter.Seq2[Relation, error] {
	return func(yield func(Relation, error) bool) {
		m, links, err := g.mapAndLinks(ctx, at.Resource)
		if err != nil {
			yield(Relation{}, err)
			return
		}
		p := placer{g: g, ctx: ctx, m: m, path: cleanPath(m.SourcePath), own: newAtlasMap(m, links)}
		for _, link := range links {
			from := citekit.Address{Resource: at.Resource, Location: link.From}
			if link.Kind == anchor || !lies(from, at) || may != nil && !may(link, p.path) {
				continue
			}
			r := p.relation(link)
			if !yield(r, ctx.Err()) || ctx.Err() != nil {
				return
			}
		}
		for _, r := range mapRelations(m) {
			if statedIn(r, at) && !yield(r, nil) {
				return
			}
		}
	}
}

// statedIn reports whether a relation of a map leads from an address, or is
// proved by a text there.
func statedIn(r Relation, at citekit.Address) bool {
	return lies(r.From, at) || slices.ContainsFunc(r.Evidence, func(proof citekit.Address) bool { return overlap(proof.Location, at.Location) })
}

// mapAndLinks returns a map with the links of its source, if it has any.
func (g *Graph) mapAndLinks(ctx context.Context, id string) (*citekit.ResourceMap, []Link, error) {
	m, err := g.lib.Map(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	links, err := g.links(ctx, m)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, nil, err
	}
	return m, links, nil
}

// acquire waits until no other caller catches up.
func (g *Graph) acquire(ctx context.Context) (release func(), err error) {
	if err := concurrent.Acquire(ctx, g.turn); err != nil {
		return nil, err
	}
	return func() { <-g.turn }, nil
}
