package mcpadapter

import (
	"context"
	"path/filepath"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/mcpcall"
)

// withoutPath returns a map as the caller may see it: the path of a source outside
// the roots, and over HTTP of one outside the base directory, is reduced to its
// file name.
func (a *adapter) withoutPath(ctx context.Context, m *citekit.ResourceMap) *citekit.ResourceMap {
	path := shownPath(ctx, m.SourcePath)
	if local := filepath.FromSlash(path); !filepath.IsLocal(local) && ingest.OutsideRoots(ctx, a.lib, m) {
		path = filepath.Base(local)
	}
	if path == m.SourcePath {
		return m
	}
	shown := *m
	shown.SourcePath = path
	return &shown
}

// shownPath returns the path of a source as the caller may see it.
func shownPath(ctx context.Context, path string) string {
	if mcpcall.CallerFrom(ctx) == nil || !filepath.IsAbs(path) {
		return path
	}
	return filepath.Base(path)
}
