package faulttest

import (
	"context"
	"iter"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/relations"
)

// StuckLinks is a resolver of texts whose links take forever to read.
type StuckLinks struct{ *text.Resolver }

// ReadLinks implements [relations.Linker]: it waits for the end of the context.
func (StuckLinks) ReadLinks(ctx context.Context, _ *citekit.Source) iter.Seq2[relations.Link, error] {
	return func(yield func(relations.Link, error) bool) {
		<-ctx.Done()
		yield(relations.Link{}, ctx.Err())
	}
}

// StuckText is a resolver of texts. A text named stuck.txt takes forever to read.
type StuckText struct{ *text.Resolver }

// ReadText implements [citekit.TextReader]. For stuck.txt it waits for the end of the
// context.
func (r StuckText) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	if src.Name() != "stuck.txt" {
		return r.Resolver.ReadText(ctx, src, loc)
	}
	return func(yield func(citekit.TextRun, error) bool) {
		<-ctx.Done()
		yield(citekit.TextRun{}, ctx.Err())
	}
}
