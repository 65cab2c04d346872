package citekit

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/timing"
)

// ReadText yields the text at a location of a resource in reading order, each
// run with its own location: the words of pages or lines, and the words spoken
// in recordings that have a transcript. An empty modality means that of the
// resource. ReadText stops after the first error, which is a [*ResolveError].
// It wraps an error that [TextReader] names, or matches [ErrStale] if the
// source or its transcript has changed since the source was mapped, or matches
// [errors.ErrUnsupported] if the resolver cannot read text. A source without words,
// such as a recording without a transcript, yields nothing.
func (l *Library) ReadText(ctx context.Context, resourceID string, loc Location) iter.Seq2[TextRun, error] {
	return func(yield func(TextRun, error) bool) {
		a := Address{Resource: resourceID, Location: loc}
		if err := l.readText(ctx, a, yield); err != nil {
			yield(TextRun{}, &ResolveError{Op: "read", Address: a, Err: err})
		}
	}
}

// ReadNodeText is [Library.ReadText] for the location of a node.
func (l *Library) ReadNodeText(ctx context.Context, resourceID, nodeID string) iter.Seq2[TextRun, error] {
	return func(yield func(TextRun, error) bool) {
		n, err := l.Node(ctx, resourceID, nodeID)
		if err == nil {
			if invalid := n.Location.Validate(); invalid != nil {
				err = &ResolveError{Op: "read", Address: Address{Resource: resourceID}, Node: nodeID, Err: invalid}
			}
		}
		if err != nil {
			yield(TextRun{}, err)
			return
		}
		l.ReadText(ctx, resourceID, n.Location)(yield)
	}
}

// readText yields runs, and returns an error if there is one to yield.
func (l *Library) readText(ctx context.Context, a Address, yield func(TextRun, error) bool) error {
	o, err := l.open(ctx, a)
	if err != nil {
		return err
	}
	src, loc := o.Source, o.Location
	defer src.Close()
	timing.Fresh(ctx)
	resolver, err := l.Resolver(loc.Modality)
	if err != nil {
		return err
	}
	path, mapped := o.Map.Transcript()
	if o.part.member != "" {
		path = "" // it is of the resource
	}
	runs, transcript, err := l.textOf(ctx, path, mapped, resolver, src, loc)
	if err != nil {
		return err
	}
	if transcript != nil {
		defer transcript.Close()
	}
	for run, err := range concurrent.Seq(runs, panicked(loc.Modality)) {
		if err != nil {
			return localfile.WithoutPath(err)
		}
		if run.Location = o.Located(run.Location); !yield(run, nil) {
			return nil
		}
	}
	if transcript != nil {
		if err := transcript.CheckUnchanged(); err != nil {
			return fmt.Errorf("the transcript: %w", err)
		}
	}
	return src.CheckUnchanged()
}

// textOf returns the text of a source, from its transcript if it has one, which
// had the hash when it was mapped and is to be closed at the end.
func (l *Library) textOf(ctx context.Context, path, mapped string, resolver Resolver, src *Source, loc Location) (runs iter.Seq2[TextRun, error], transcript *Source, err error) {
	reader, ok := resolver.(TranscriptReader)
	if path == "" || !ok {
		plain, ok := resolver.(TextReader)
		if !ok {
			return nil, nil, fmt.Errorf("the text of %s source: %w", message.Article(loc.Modality), errors.ErrUnsupported)
		}
		return plain.ReadText(ctx, src, loc), nil, nil
	}
	if transcript, err = l.OpenSource(ctx, path); err != nil {
		return nil, nil, fmt.Errorf("the transcript: %w", err)
	}
	hash, err := transcript.Hash(ctx)
	if err == nil && mapped != "" && mapped != hash {
		err = fmt.Errorf("the transcript has changed since the source was mapped; map it again: %w", ErrStale)
	}
	if err != nil {
		transcript.Close()
		return nil, nil, err
	}
	return reader.ReadTranscript(ctx, src, transcript, loc), transcript, nil
}
