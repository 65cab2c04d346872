package citekit

import (
	"cmp"
	"context"
)

// An Opened is the source of an address, opened for who reads it otherwise
// than by [Library.Resolve] and [Library.ReadText].
type Opened struct {
	Map    *ResourceMap // shared: do not modify it
	Source *Source      // of the version that was mapped; the caller closes it

	// Address is what was asked for, with the modality of the resource where
	// it had none. It has none yet if the resource tells none.
	Address Address
}

// Open opens the source of an address: of any part of a resource, or of all of
// it. A source that is not the version which was mapped, or which the address
// pins, is an error matching [ErrStale]; what changes after that is told by
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
	a.Location.Modality = cmp.Or(a.Location.Modality, m.modality())
	if a.Location.Modality != "" || !a.Location.IsWhole() {
		if err := a.Validate(); err != nil {
			return nil, err
		}
	}
	t := target{address: a, m: m, path: m.SourcePath, declared: m.Type}
	src, _, err := l.openFresh(ctx, t, false)
	if err != nil {
		return nil, err
	}
	return &Opened{Map: m.ResourceMap, Source: src, Address: a}, nil
}
