package ingest

import (
	"context"
	"path"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lookup"
)

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
	return lookup.BySource(ctx, lib, matches, ResourceIDFor(name), olderIDFor(name))
}
