package citekit

import (
	"context"
	"maps"
	"slices"

	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/sniff"
	"github.com/citekit/citekit/internal/timing"
)

// A Detector is a [Resolver] that recognizes its sources; see [Library.Detect].
type Detector interface {
	// Detect reports whether src is of the modality that the resolver is for.
	// Detect is called for every source, so it must read only a few bytes.
	Detect(ctx context.Context, src *Source) (bool, error)
}

// Detect returns the modality of a source. It first asks the resolvers that are
// a [Detector], in the order of the names of their modalities. If none claims
// the source, the content decides: the signature of a known format, and the
// tracks of a container of sound or picture. If the content has no known
// signature, the extension of the name decides. Any other source is [Text]; the
// resolver finds out whether it can be read.
func (l *Library) Detect(ctx context.Context, src *Source) (Modality, error) {
	modality, _, err := l.detect(ctx, src)
	return modality, err
}

// detect is Detect that also tells the format, if a signature tells it.
func (l *Library) detect(ctx context.Context, src *Source) (Modality, sniff.Format, error) {
	for _, modality := range slices.Sorted(maps.Keys(l.resolvers)) {
		detector, ok := l.resolvers[modality].(Detector)
		if !ok {
			continue
		}
		var own bool
		err := l.withSlot(ctx, modality, func(ctx context.Context) (err error) {
			own, err = detector.Detect(timing.Without(ctx), src)
			return err
		})
		if err != nil || own {
			return modality, sniff.Format{}, localfile.WithoutPath(err)
		}
	}
	kind, format, err := sniff.Classify(src, src.Size(), src.Name())
	return Modality(kind), format, localfile.WithoutPath(err)
}

// Detect is like [Library.Detect], for a resolver that reads members of its
// sources with other resolvers. It does not wait for a slot, so it may be
// called within [Library.WithSlot].
func (r Resolvers) Detect(ctx context.Context, src *Source) (Modality, error) {
	for _, modality := range slices.Sorted(maps.Keys(r)) {
		if detector, ok := r[modality].(Detector); ok {
			if own, err := detector.Detect(ctx, src); err != nil || own {
				return modality, err
			}
		}
	}
	kind, _, err := sniff.Classify(src, src.Size(), src.Name())
	return Modality(kind), err
}
