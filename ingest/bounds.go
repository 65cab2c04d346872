package ingest

import (
	"context"
	"errors"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
)

// A bounds holds locations to a source, which it measures once in each
// modality.
type bounds struct {
	lib     *citekit.Library
	src     *citekit.Source
	extents map[citekit.Modality]citekit.Extent
	failed  map[citekit.Modality]bool
}

func newBounds(lib *citekit.Library, src *citekit.Source) *bounds {
	return &bounds{lib, src, make(map[citekit.Modality]citekit.Extent), make(map[citekit.Modality]bool)}
}

// check returns an error if a location lies outside the source, or if the
// source cannot be measured, which it says once for each modality. A location
// that means nothing is a fault of its map, and no error here.
func (b *bounds) check(ctx context.Context, loc citekit.Location) error {
	modality := loc.Modality
	if modality == citekit.Virtual || loc.Validate() != nil || b.failed[modality] {
		return nil
	}
	extent, measured := b.extents[modality]
	if !measured {
		var err error
		if extent, err = b.lib.MeasureSource(ctx, modality, b.src); err != nil {
			if loc.IsWhole() && b.lib.Resolvers()[modality] != nil && errors.Is(err, errors.ErrUnsupported) {
				return nil // the whole needs no measure
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
// in the modality of the map, or a zero Extent if that is not known. The error
// names the node.
func (b *bounds) checkAll(ctx context.Context, m *citekit.ResourceMap) (citekit.Extent, error) {
	for n := range m.All() {
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
