package contents

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/relations"
)

// Limits on added related places.
const (
	maxRelated    = 20  // places for one part
	maxAllRelated = 200 // places for all parts
	maxProofs     = 3   // addresses that prove one relation
	maxStatement  = 200 // bytes of the statement about one relation
)

// A Relation is the reason why a place was added.
type Relation struct {
	Kind string // as in [relations.Relation]

	// From is the place that states the relation, and To the place it leads to.
	// One of them is in a requested part, or, with two hops, in a part that is
	// related to one.
	From, To citekit.Address
	Hops     int // number of relations followed to reach the place, from 1

	// These are set for a relation that the map of a resource states:
	Text   string            // the statement
	Origin relations.Origin  // "" if the source itself states it
	Proofs []citekit.Address // texts that prove it
}

// related returns the places that relations lead to from a part, or come from,
// and notes on the part what is left out.
func (r *Reader) related(ctx context.Context, p *part, hops, most int) []*part {
	if hops == 0 || p.item.Err != nil {
		return nil
	}
	around, err := r.relations.Around(ctx, p.item.Address, relations.Reach{Hops: hops, Most: min(most, maxRelated)})
	p.late = ctx.Err() != nil
	if err != nil {
		return nil // reading the part reports the reason
	}
	p.noteRelated(around, ctx.Err() != nil)
	var all []*part
	for _, place := range around.Places {
		if q := r.partAt(ctx, place); q != nil {
			all = append(all, q)
		}
	}
	return all
}

// half returns a context that ends when half of the time is used; the other
// half is for reading the requested parts.
func half(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, limited := ctx.Deadline()
	if !limited {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-time.Until(deadline)/2))
}

// liesIn reports whether a part is inside one of the others.
func (p *part) liesIn(others []*part) bool {
	return slices.ContainsFunc(others, func(other *part) bool {
		return other.item.Err == nil && other.item.ResourceID == p.item.ResourceID &&
			other.loc.Modality == p.loc.Modality && other.loc.VirtualAddress == p.loc.VirtualAddress && other.loc.Contains(p.loc)
	})
}

// partAt returns a related place as a part. For the place of an incoming link,
// it returns the whole node around the link, so that it can be understood.
func (r *Reader) partAt(ctx context.Context, place relations.Place) *part {
	m, err := r.lib.Map(ctx, place.Address.Resource)
	if err != nil {
		return nil // it was just deleted
	}
	p := partOf(m, nil)
	p.item.Address, p.loc = place.Address, place.Address.Location
	if n := m.Node(place.Node); n != nil && (place.Incoming && !place.Proof || n.Location.Equal(p.loc)) {
		p = partOf(m, n)
		p.item.Address.Version = place.Address.Version
	}
	p.item.ID = p.item.Address.String()
	by := place.By
	p.item.Relation = &Relation{Kind: by.Kind, From: by.From, To: by.To, Hops: place.Hops}
	if by.Origin != relations.FromSource {
		p.item.Relation.Origin = by.Origin
		p.item.Relation.Text = plain.Shorten(plain.Line(by.Text), maxStatement)
		p.item.Relation.Proofs = by.Evidence[:min(len(by.Evidence), maxProofs)]
	}
	return p
}

// noteRelated notes on a part which related places are left out.
func (p *part) noteRelated(around *relations.Surroundings, timeWasOver bool) {
	if around.More > 0 {
		least := ""
		if !around.Complete {
			least = "at least "
		}
		p.note(fmt.Sprintf("%s%s left out; ask for fewer hops, or for smaller parts", least, message.Count(around.More, "more related place")))
	} else if !around.Complete && timeWasOver {
		p.note("not all related places are known yet; ask again")
	} else if !around.Complete {
		p.note("it has too many relations to follow them all; ask for smaller parts")
	}
	if around.Outdated > 0 {
		p.note(fmt.Sprintf("%s left out because their sources changed, are gone or cannot be read", message.Count(around.Outdated, "related place")))
	}
}

// note adds a sentence to the note of a part.
func (p *part) note(text string) {
	if p.item.Note != "" {
		text = p.item.Note + "; " + text
	}
	p.item.Note = text
}
