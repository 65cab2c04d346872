package workspace

import (
	"context"
	"fmt"
	"iter"

	"github.com/citekit/citekit"
)

var _ citekit.Deleter = (*Memory)(nil)

// DeleteMaps implements [citekit.Deleter].
func (m *Memory) DeleteMaps(ctx context.Context, maps []citekit.MapVersion) (deleted int, err error) {
	for _, one := range maps {
		if err := m.deleteMap(ctx, one.ID, one.Stamp); err != nil {
			return deleted, err
		}
		deleted++
	}
	return deleted, nil
}

func (m *Memory) deleteMap(ctx context.Context, id string, stamp citekit.Stamp) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	held, ok := m.maps[id]
	switch {
	case !ok:
		return missing("map")
	case held.stamp != stamp:
		return fmt.Errorf("delete the map: the map was replaced just now: %w", citekit.ErrConflict)
	}
	delete(m.maps, id)
	delete(m.kinds[citekit.PinNotes], id)
	return nil
}

// Kept implements [citekit.Deleter].
func (m *Memory) Kept(ctx context.Context) iter.Seq2[citekit.Kept, error] {
	return func(yield func(citekit.Kept, error) bool) {
		for _, k := range m.kept() {
			if err := ctx.Err(); err != nil {
				yield(citekit.Kept{}, err)
				return
			}
			if !yield(k, nil) {
				return
			}
		}
	}
}

func (m *Memory) kept() (all []citekit.Kept) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, e := range m.evidence {
		all = append(all, citekit.Kept{
			Kind: citekit.KeptEvidence, Name: key, ResourceID: e.stored.Resource, SourceHash: e.stored.SourceHash,
			Path: e.stored.Path, Size: e.stored.Size,
		})
	}
	for name := range m.kinds[citekit.PinNotes] {
		all = append(all, citekit.Kept{Kind: citekit.KeptPin, Name: name, ResourceID: name})
	}
	return all
}

// DeleteKept implements [citekit.Deleter].
func (m *Memory) DeleteKept(ctx context.Context, k citekit.Kept) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch k.Kind {
	case citekit.KeptEvidence:
		if e := m.evidence[k.Name].stored; e.Resource == k.ResourceID && e.SourceHash == k.SourceHash {
			delete(m.evidence, k.Name)
		}
	case citekit.KeptPin:
		delete(m.kinds[citekit.PinNotes], k.Name)
	}
	return ctx.Err()
}
