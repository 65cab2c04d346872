package citekit

import (
	"cmp"
	"context"
)

// An Opened is the open source of an address, for callers that read it by other
// means than [Library.Resolve] and [Library.ReadText].
type Opened struct {
	Map    *ResourceMap // shared: do not modify it
	Source *Source      // of the version that was mapped, or a member of it; the caller closes it

	// Address is the address asked for. If it had no modality, it has that of
	// the resource; if that has none either, it still has none.
	Address Address

	// Location is the location in Source: that of the Address, or the part
	// of it within the member. [Opened.Located] is its reverse.
	Location Location

	part part
	hash func() string
}

// Located returns a location in the Source as one in the resource.
func (o *Opened) Located(loc Location) Location { return o.part.located(loc) }

// SourceHash returns the SHA-256 of the source of the resource in lower case
// hex, also where a member of it is open, or "" if that is not known yet.
func (o *Opened) SourceHash() string { return o.hash() }

// Open opens the source of an address: of any part of a resource, or of all of
// it. A source that is not the version which was mapped, or which the address
// pins, is an error matching [ErrStale]; later changes are reported by
// [Source.CheckUnchanged]. Other errors are those of [Library.Map],
// [Address.Validate] and [Library.OpenSource], as [*ResolveError]. What reads
// the source is [Library.Resolver] of the modality of the address, in a slot
// that [Library.WithSlot] gives.
func (l *Library) Open(ctx context.Context, a Address) (*Opened, error) {
	o, err := l.open(ctx, a)
	if err != nil {
		return nil, &ResolveError{Op: "open", Address: a, Err: err}
	}
	return o, nil
}

func (l *Library) open(ctx context.Context, a Address) (*Opened, error) {
	m, err := l.mapFor(ctx, a, false)
	if err != nil {
		return nil, err
	}
	t := target{address: a, m: m, path: m.SourcePath, declared: m.Type}
	loc := &t.address.Location
	if loc.Member == "" {
		loc.Modality = cmp.Or(loc.Modality, m.modality())
	}
	if loc.Modality != "" || !loc.IsWhole() && loc.Member == "" {
		if err := t.address.Validate(); err != nil {
			return nil, err
		}
	}
	src, _, err := l.openFresh(ctx, t, false)
	if err != nil {
		return nil, err
	}
	p, err := l.openPart(ctx, t, src)
	if err != nil {
		src.Close()
		return nil, err
	}
	if p.member != "" {
		p.src.under = append(p.src.under, src)
	}
	if loc.Modality == "" && p.member != "" {
		loc.Modality = p.loc.Modality
		if err := t.address.Validate(); err != nil {
			p.src.Close()
			return nil, err
		}
	}
	return &Opened{Map: m.ResourceMap, Source: p.src, Address: t.address, Location: p.loc, part: p, hash: src.KnownHash}, nil
}
