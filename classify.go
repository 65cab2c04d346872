package citekit

import (
	"context"

	"github.com/citekit/citekit/internal/sniff"
)

// classify returns what a source is: what was asked for, or what it is found
// to be.
func (in *ingest) classify(ctx context.Context, src *Source) (Modality, sniff.Format, error) {
	if in.opts.Type != "" {
		return in.opts.Type, sniff.Format{}, nil
	}
	return in.lib.detect(ctx, src)
}

// looksRight reports whether a source is what its modality can read, as far as
// a short look tells. What is measured here counts where a resolver can keep it
// until the source is mapped; else it is not worth it.
func (in *ingest) looksRight(ctx context.Context, src *Source) bool {
	modality, _, err := in.classify(ctx, src)
	if err != nil {
		return false
	}
	look := Location{Modality: modality}
	switch {
	case modality == Text:
		look.Lines = Range{First: 1, Last: 1}
	case src.Version() != "":
		_, err = in.lib.measure(ctx, modality, src)
		return err == nil
	}
	return nil == in.lib.limited(ctx, modality, func(ctx context.Context) error {
		return in.extracts(ctx, src, look)
	})
}

// extracts extracts a part of a source and throws it away.
func (in *ingest) extracts(ctx context.Context, src *Source, loc Location) error {
	resolver, err := in.lib.resolver(loc.Modality)
	if err != nil {
		return err
	}
	x, err := resolver.Resolve(ctx, src, Request{Location: loc})
	if err == nil && x.Body != nil {
		err = x.Body.Close()
	}
	return err
}
