package citekit

import "context"

// OpenResource opens the source of a resource for who reads it otherwise than
// by [Library.Resolve] and [Library.ReadText], and returns it with the map,
// which is shared: do not modify it. A source that is not the version which was
// mapped is an error matching [ErrStale]; what changes after that is told by
// [Source.CheckUnchanged]. Other errors are those of [Library.Map] and
// [Library.OpenSource], as [*ResolveError]. The caller closes the source.
func (l *Library) OpenResource(ctx context.Context, resourceID string) (*ResourceMap, *Source, error) {
	m, src, err := l.openResource(ctx, resourceID)
	if err != nil {
		return nil, nil, &ResolveError{Op: "open", Address: Address{Resource: resourceID}, Err: err}
	}
	return m.ResourceMap, src, nil
}

func (l *Library) openResource(ctx context.Context, id string) (*indexedMap, *Source, error) {
	m, err := l.load(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	t := target{address: Address{Resource: id}, m: m, path: m.SourcePath, declared: m.Type}
	src, _, err := l.openFresh(ctx, t, false)
	return m, src, err
}
