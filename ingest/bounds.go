package ingest

import (
	"context"
	"errors"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
)

// A bounds checks locations against a source, which it measures once in each
// modality.
type bounds struct {
	lib     *citekit.Library
	src     *citekit.Source
	m       *citekit.ResourceMap
	extents map[citekit.Modality]citekit.Extent
	failed  map[citekit.Modality]bool

	inner *bounds // of the member opened last; without a source if it cannot be opened
	name  string  // of that member
}

func newBounds(lib *citekit.Library, src *citekit.Source, m *citekit.ResourceMap) *bounds {
	return &bounds{lib: lib, src: src, m: m, extents: make(map[citekit.Modality]citekit.Extent), failed: make(map[citekit.Modality]bool)}
}

// member returns the bounds of the member that a location is in. The member is
// opened once for consecutive nodes in it. An error of opening it is returned
// only once.
func (b *bounds) member(ctx context.Context, loc citekit.Location) (*bounds, error) {
	if b.inner != nil && b.name == loc.Member {
		return b.inner, nil
	}
	b.close()
	whole := citekit.Address{Resource: b.m.ResourceID, Location: citekit.Location{Modality: loc.Modality}.In(loc.Member)}
	b.inner, b.name = newBounds(b.lib, nil, b.m), loc.Member
	src, _, err := b.lib.OpenMember(ctx, b.src, b.m.Address(nil).Location.Modality, whole)
	if err == nil {
		b.inner.src = src
	}
	return b.inner, err
}

// close closes the member that is open.
func (b *bounds) close() {
	if b.inner != nil && b.inner.src != nil {
		b.inner.src.Close()
	}
	b.inner = nil
}

// check returns an error if a location lies outside the source. If the source
// cannot be measured, it returns that error once for each modality. An invalid
// location is a fault of its map, and not an error here.
func (b *bounds) check(ctx context.Context, loc citekit.Location) error {
	modality := loc.Modality
	if modality == citekit.Virtual || loc.Validate() != nil || b.failed[modality] || b.src == nil {
		return nil
	}
	if loc.Member != "" {
		inner, err := b.member(ctx, loc)
		if err != nil {
			return err
		}
		return inner.check(ctx, loc.In(""))
	}
	extent, measured := b.extents[modality]
	if !measured {
		var err error
		if extent, err = b.lib.MeasureSource(ctx, modality, b.src); err != nil {
			if loc.IsWhole() && b.lib.Resolvers()[modality] != nil && errors.Is(err, errors.ErrUnsupported) {
				return nil // the whole source needs no measuring
			}
			b.failed[modality] = true
			return err
		}
		b.extents[modality] = extent
	}
	if extent.Modality == "" { // the resolver does not measure
		return nil
	}
	return extent.Check(loc)
}

// checkAll checks every location of a map, and returns the extent of the source
// in the modality of the map, or a zero Extent if it is unknown. The error
// names the node.
func (b *bounds) checkAll(ctx context.Context, m *citekit.ResourceMap) (citekit.Extent, error) {
	for n := range m.All() {
		if n.Location.Member != "" { // the member was read for mapping
			continue
		}
		if err := b.check(ctx, n.Location); err != nil {
			return citekit.Extent{}, fmt.Errorf("node '%s': %w", message.Clip(n.ID), err)
		}
	}
	extent, measured := b.extents[m.Type]
	if !measured && m.Type != citekit.Virtual {
		if measured, err := b.lib.MeasureSource(ctx, m.Type, b.src); err == nil {
			extent = measured
		}
	}
	return extent, nil
}
