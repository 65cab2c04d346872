package citekit

import (
	"context"

	"github.com/citekit/citekit/internal/ledger"
)

// Pinned returns the version of the source that is recorded for a map, by its identity.
func (l *Library) Pinned(ctx context.Context, id, guard, version string) (string, error) {
	pin, err := ledger.Record(ctx, l.workspace, id, guard, ledger.Pin{Identity: version}, ErrConflict, ErrDamaged)
	return pin.Identity, err
}
