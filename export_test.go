package citekit

import "context"

// Pinned returns the version of the source that is recorded for a map.
func (l *Library) Pinned(ctx context.Context, id, guard, version string) (string, error) {
	return l.pinned(ctx, id, guard, version)
}
