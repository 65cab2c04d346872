package citekit

import (
	"context"
	"maps"
	"slices"

	"github.com/citekit/citekit/internal/fserror"
	"github.com/citekit/citekit/internal/sniff"
)

// A Detector is a [Resolver] that recognizes its sources; see [Library.Detect].
type Detector interface {
	// Detect reports whether src is of the modality that the resolver is
	// for. It is asked of every source, so it looks at a few bytes only.
	Detect(ctx context.Context, src *Source) (bool, error)
}

// Detect tells the modality of a source. The [Detector]s among the resolvers are
// asked first, in the order of the names of their modalities. Else the content
// decides: the signature of a known format, and in containers of sound or
// picture the tracks. Where the content says nothing, the extension of the name
// does. Anything else is [Text]; the resolver finds out whether it can be read.
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
		err := l.WithSlot(ctx, modality, func(ctx context.Context) (err error) {
			own, err = detector.Detect(ctx, src)
			return err
		})
		if err != nil || own {
			return modality, sniff.Format{}, fserror.WithoutPath(err)
		}
	}
	kind, format, err := sniff.Classify(src, src.Size(), src.Name())
	return Modality(kind), format, fserror.WithoutPath(err)
}

// Detect tells the modality of a source, as [Library.Detect] does, for a
// resolver that has others for what its sources hold. It takes no slots.
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
