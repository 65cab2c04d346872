package search

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/textlayer"
)

// Passages yields the passages into which a search divides the text of a resource, in
// order; none if it has no text. It stops after the first error, which is one of
// [citekit.Library.Map] or of [textlayer.Store.Open], or matches [citekit.ErrTooLarge]
// after the passages that the index has, if it has only the beginning.
func (s *Searcher) Passages(ctx context.Context, resourceID string) iter.Seq2[*Passage, error] {
	return func(yield func(*Passage, error) bool) {
		err := s.eachPassage(ctx, resourceID, func(p *Passage) bool { return yield(p, nil) })
		if errors.Is(err, errTooMuch) {
			err = fmt.Errorf("%w: %w", err, citekit.ErrTooLarge)
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

func (s *Searcher) eachPassage(ctx context.Context, resourceID string, yield func(*Passage) bool) error {
	m, err := s.lib.Map(ctx, resourceID)
	if err != nil {
		return err
	}
	layer, err := s.layers.Open(ctx, resourceID)
	if textlayer.HasNoText(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer layer.Close()
	work := newMeter(ctx, s.lib, m)
	parts, err := divided(ctx, layer, places(m), work)
	if err != nil {
		return err
	}
	for p, err := range passages(ctx, layer, parts) {
		if err == nil {
			err = work.spend(entryWork + int64(len(p.text)))
		}
		if err != nil {
			return err
		}
		loc, err := layer.Location(p.from, p.to)
		if err != nil || !yield(&Passage{Text: p.text, From: p.from, To: p.to, SourceHash: layer.SourceHash(), Location: loc}) {
			return err
		}
	}
	return nil
}

// divided returns the stretches of a text that belong to nodes.
func divided(ctx context.Context, layer *textlayer.Layer, all []*place, work *meter) ([]stretch, error) {
	claimed, err := claims(ctx, layer, all, work)
	if err != nil {
		return nil, err
	}
	return addLeads(ctx, layer, claimed, stretches(claimed, layer.Len()))
}
