package citekit

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// MaxMappedNodes is the number of nodes beyond which the built-in mappers and
// adapters make a map coarser, or leave nodes out and say so. Maps that others
// make may have more.
const MaxMappedNodes = 20_000

// A Mapper finds the structure of a source: the nodes of its map. A [Resolver]
// that finds it without a model is one; package ingest uses it, by type
// assertion, unless it is given another Mapper.
//
// Implementations must be safe for concurrent use.
type Mapper interface {
	// Map returns the structure of src. The same source and request give
	// the same structure, save for mappers that ask a model. It does not
	// keep src.
	//
	// Errors are as for [Resolver]: [ErrFormat] if src is damaged or of
	// another format, [ErrTooLarge] if a limit would be passed,
	// [errors.ErrUnsupported] if src cannot be mapped here, and ctx.Err()
	// once ctx is done. They name no path and quote no content.
	Map(ctx context.Context, src *Source, req MapRequest) (*Draft, error)
}

// A MapRequest is the argument of a [Mapper].
type MapRequest struct {
	// Modality is that of the source, and of every location in the answer.
	Modality Modality

	// Companions are files beside the source that share its name, such as
	// the subtitles talk.en.srt beside talk.mp4, sorted by name.
	Companions []Companion

	// Progress, if it is not nil, is called with the share done, from 0 to 1. It
	// may be called from any goroutine, and must be quick.
	Progress func(done float64)
}

// A Companion is a file beside a source that may describe it, such as the
// subtitles or chapters of a recording.
type Companion struct {
	Name string // base name

	// Open opens the file, confined as sources are. The caller closes it.
	Open func(ctx context.Context) (*Source, error)
}

// A Draft is what a [Mapper] found.
type Draft struct {
	// Title is the title in the source, verbatim, or "". A map of a source
	// without a title gets the file name as its title.
	Title string

	// Nodes are in the order of the source. A node without an id is named by
	// package ingest. The nodes are the caller's.
	Nodes []*Node

	// Method says in a word or two how the nodes were found, such as
	// "outline" or "headings".
	Method string

	// Transcript is the name of the [Companion] that holds the words of the
	// source, or "".
	Transcript string

	// Metadata is copied to the map. Package ingest sets the keys title,
	// source_hash, source_size, mapper, method, map_hash and transcript, in place of
	// values given here.
	Metadata map[string]any
}

// Map implements [Mapper] with the resolver of req.Modality. If that is not a
// Mapper, the error matches [errors.ErrUnsupported].
func (r Resolvers) Map(ctx context.Context, src *Source, req MapRequest) (*Draft, error) {
	mapper, ok := r[req.Modality].(Mapper)
	if !ok {
		return nil, fmt.Errorf("no mapper for %s: %w", req.Modality, errors.ErrUnsupported)
	}
	return mapper.Map(ctx, src, req)
}

// A TranscriptReader is a [Resolver] whose sources may have their words in a
// companion, as a recording has them in a subtitle file.
type TranscriptReader interface {
	// ReadTranscript is [TextReader.ReadText] for words that stand in
	// transcript instead of in src. Each run is located in src.
	ReadTranscript(ctx context.Context, src, transcript *Source, loc Location) iter.Seq2[TextRun, error]
}
