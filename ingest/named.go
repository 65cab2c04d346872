package ingest

import (
	"context"
	"maps"
	"path"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ledger"
)

// maxScanned is how many maps are read to find a source that cannot be found
// otherwise.
const maxScanned = 1000

// ResourcesOf returns the ids of the resources whose source is at a path, in
// the form that maps have: relative to the base directory with forward slashes,
// or absolute. If more than 1000 maps are stored, it finds only those that
// [Run] made and those with ids made from the name of the source.
func ResourcesOf(ctx context.Context, lib *citekit.Library, source string) ([]string, error) {
	return resourcesBy(ctx, lib, source, func(other string) bool { return other == source })
}

// ResourcesNamed is like ResourcesOf, for the base name of a source in any
// folder.
func ResourcesNamed(ctx context.Context, lib *citekit.Library, name string) ([]string, error) {
	return resourcesBy(ctx, lib, name, func(source string) bool { return path.Base(source) == name })
}

// resourcesBy returns the resources whose source matches; name is one such
// source, or its base name.
func resourcesBy(ctx context.Context, lib *citekit.Library, name string, matches func(source string) bool) ([]string, error) {
	candidates := notedIDs(ctx, lib, matches)
	candidates = append(candidates, ResourceIDFor(name), olderIDFor(name))
	found, err := withSource(ctx, lib, candidates, matches)
	if err != nil || len(found) > 0 {
		return found, err
	}
	ids, err := lib.Resources(ctx)
	if err != nil || len(ids) > maxScanned {
		return nil, err
	}
	return withSource(ctx, lib, ids, matches)
}

// notedIDs returns the ids that the notes of ingest have for matching sources.
func notedIDs(ctx context.Context, lib *citekit.Library, matches func(source string) bool) []string {
	var ids []string
	for stored, err := range lib.Workspace().Notes(ctx, ledger.Kind) {
		if err != nil {
			return nil
		}
		if !matches(stored.Name) {
			continue
		}
		if n, ok := ledger.Parse(stored.Data); ok && n.ID != "" {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// withSource returns the ids whose maps have a matching source.
func withSource(ctx context.Context, lib *citekit.Library, ids []string, matches func(source string) bool) ([]string, error) {
	found := make(map[string]bool)
	for _, id := range ids {
		if found[id] || citekit.CheckResourceID(id) != nil {
			continue
		}
		if _, err := lib.Workspace().StatMap(ctx, id); err != nil {
			continue
		}
		m, err := lib.Map(ctx, id)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && matches(m.SourcePath) {
			found[id] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}
