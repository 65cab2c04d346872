package cloud

import (
	"context"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud/internal/sources"
)

// A held has what was written in a context of [Workspace.HoldSources], so that who maps
// sources and makes them searchable asks for nothing twice.
type held struct {
	w  *Workspace
	mu sync.Mutex

	maps map[string]heldMap
}

// A heldMap is a map as it was written.
type heldMap struct {
	data  []byte
	stamp citekit.Stamp
	first bool // there was none before
}

type heldKey struct{}

// HoldSources fetches small sources, and returns a context in which [Workspace.Find] and
// [Workspace.OpenSource] give the versions that were fetched, and maps are read as they
// were written in it by [Workspace.WriteMapsIf].
func (w *Workspace) HoldSources(ctx context.Context, paths []string) context.Context {
	if in, ok := w.sources.(*sources.Bucket); ok {
		ctx = context.WithValue(in.Hold(ctx, paths), heldKey{}, &held{w: w, maps: make(map[string]heldMap)})
	}
	return ctx
}

// MappedFirst reports whether the map with an id was written in a context of HoldSources
// and is the first of its source, so that nothing was kept of its text before.
func (w *Workspace) MappedFirst(ctx context.Context, id string) bool {
	m, ok := w.heldMap(ctx, id)
	return ok && m.first
}

// heldMap returns a map as it was written in a context.
func (w *Workspace) heldMap(ctx context.Context, id string) (m heldMap, ok bool) {
	h, _ := ctx.Value(heldKey{}).(*held)
	if h == nil || h.w != w {
		return m, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	m, ok = h.maps[id]
	return m, ok
}

// hold keeps a map that was written in a context.
func (w *Workspace) hold(ctx context.Context, id string, m heldMap) {
	if h, _ := ctx.Value(heldKey{}).(*held); h != nil && h.w == w {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.maps[id] = m
	}
}
