package citekit

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// checkFresh reports whether src is another version than the target was made
// from, which is an error unless allow is set. A version pinned by the address
// is never waived.
func (l *Library) checkFresh(ctx context.Context, t target, src *Source, allow bool) (stale bool, err error) {
	if pinned := t.address.Version; pinned != "" {
		hash, err := src.Hash(ctx)
		if err != nil {
			return false, err
		}
		if !strings.HasPrefix(hash, pinned) {
			return false, fmt.Errorf("the address pins version %s, the source is %s: %w", pinned, hash[:len(pinned)], ErrStale)
		}
	}
	if t.m == nil {
		return false, nil
	}
	why, err := l.freshness(ctx, t.m, t.stamp, src)
	if err != nil || why == nil {
		return false, err
	}
	if allow {
		return true, nil
	}
	return false, why
}

// freshness returns why src is not the version that m was made from, as an
// error matching ErrStale, or nil if it is. A map without a hash is held to
// the version its source had at the first use of that stamp of the map; with
// a zero stamp it is held to nothing.
func (l *Library) freshness(ctx context.Context, m *ResourceMap, stamp Stamp, src *Source) (why, err error) {
	if size, ok := m.SourceSize(); ok && m.SourceHash() != "" && size != src.Size() {
		return fmt.Errorf("the source has %d bytes, it had %d when it was mapped; map it again: %w", src.Size(), size, ErrStale), nil
	}
	if mapped := m.SourceHash(); mapped != "" {
		hash, err := src.Hash(ctx)
		if err != nil || hash == mapped {
			return nil, err
		}
		return fmt.Errorf("the source's SHA-256 begins %s, it was %.12s when it was mapped; map it again: %w", hash[:12], mapped, ErrStale), nil
	}
	version := src.Version()
	if version == "" || stamp == (Stamp{}) {
		return nil, nil
	}
	first, err := l.workspace.Pin(ctx, m.ResourceID, stamp.Identity, version)
	if errors.Is(err, ErrStale) {
		return err, nil
	}
	if err != nil {
		return nil, hidePath(err)
	}
	if first != version {
		return fmt.Errorf("the source has changed since this map was first used; map it again, or save the map anew: %w", ErrStale), nil
	}
	return nil, nil
}
