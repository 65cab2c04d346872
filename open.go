package citekit

import (
	"cmp"
	"context"
)

// An Opened is the open source of an address, for callers that need more than
// [Library.Resolve] and [Library.ReadText].
type Opened struct {
	Map    *ResourceMap // shared: do not modify it
	Source *Source      // of the version that was mapped, or a member of it; the caller closes it

	// Address is the requested address. If its modality was empty, it is filled
	// in from the resource or the member, unless that is unknown too.
	Address Address

	// Location is the requested location in Source: that of Address, without
	// the member if it has one. [Opened.Located] converts a location in Source
	// back.
	Location Location

	part part
	hash func() string
}

// Located returns a location in the Source as a location in the resource.
func (o *Opened) Located(loc Location) Location { return o.part.located(loc) }

// SourceHash returns the SHA-256 of the source of the resource in lower-case
// hex, even if Source is a member of it. It is "" if the hash is not known yet.
func (o *Opened) SourceHash() string { return o.hash() }

// Open opens the source of an address, which may be of a part of a resource or
// of all of it. If the source is not the version that was mapped, or that the
// address pins, the error matches [ErrStale]. [Source.CheckUnchanged] reports
// later changes. Other errors are those of [Library.Map], [Address.Validate],
// [Library.OpenSource] and [Library.OpenMember]. All are wrapped in a
// [*ResolveError].
//
// To read the source, get the resolver of the modality of the address from
// [Library.Resolver], and call it within [Library.WithSlot].
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
