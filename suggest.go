package citekit

import (
	"context"
	"path"
	"slices"

	"github.com/citekit/citekit/internal/ledger"
)

// notedAs returns the ids that package ingest has noted for sources of a base
// name, in order.
func (l *Library) notedAs(ctx context.Context, base string) []string {
	var ids []string
	for n, err := range l.workspace.Notes(ctx, ledger.Kind) {
		if err != nil {
			return nil
		}
		if path.Base(n.Name) != base {
			continue
		}
		if noted, ok := ledger.Parse(n.Data); ok && noted.ID != "" {
			ids = append(ids, noted.ID)
		}
	}
	slices.Sort(ids)
	return ids
}
