package citekit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/citekit/citekit/internal/sniff"
)

// A Detector is a [Resolver] that recognizes its sources. [Library.Ingest] and
// [Library.ResolveFile] ask the Detectors among the resolvers, in the order of
// the names of their modalities, before [DetectModality].
type Detector interface {
	// Detect reports whether src is of the modality that the resolver is
	// for. It is asked of every source, so it looks at a few bytes only.
	Detect(ctx context.Context, src *Source) (bool, error)
}

// DetectModality tells the modality of a source. Its content decides: the
// signature of a known format, and in containers of sound or picture the
// tracks. Where the content says nothing, the extension of the name does.
// All else is [Text]; whether it can be read as such, the resolver says.
func DetectModality(src *Source) (Modality, error) {
	modality, _, err := classify(src)
	return modality, err
}

func classify(src *Source) (Modality, sniff.Format, error) {
	kind, format, err := sniff.Classify(src, src.Size(), src.Name())
	return Modality(kind), format, hidePath(err)
}

// detect tells the modality of a source as this Library sees it.
func (l *Library) detect(ctx context.Context, src *Source) (Modality, sniff.Format, error) {
	for _, modality := range slices.Sorted(maps.Keys(l.resolvers)) {
		detector, ok := l.resolvers[modality].(Detector)
		if !ok {
			continue
		}
		var own bool
		err := l.limited(ctx, modality, func(ctx context.Context) (err error) {
			own, err = detector.Detect(ctx, src)
			return err
		})
		if err != nil || own {
			return modality, sniff.Format{}, hidePath(err)
		}
	}
	return classify(src)
}

// unread returns the error for a source of a format that people expect to be
// read and that is not, or nil.
func unread(format sniff.Format, name string) error {
	if office := sniff.Office(format, name); office != "" {
		return fmt.Errorf("%s files are not read; save it as PDF: %w", office, errors.ErrUnsupported)
	}
	return nil
}
