package search

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/textlayer"
)

// A SimilarRequest describes a search for similar parts.
type SimilarRequest struct {
	// Text or ID is what the results should be similar to, never both. Only the
	// first 64 KiB of a text are used. An ID is an address, "resource.node" or
	// a resource.
	Text string
	ID   string

	By      By      // "" means [ByPassages]
	TopK    int     // largest number of results, 1 to [MaxTopK]; zero means [DefaultTopK]
	Filters Filters // restrict the results

	SameAddress bool // as in [Request]

	NoHighlights bool // leave out Result.Highlights
	Rationale    bool // give the reasons for each result
}

// Similar returns the entries with the most distinctive words of a text, or of
// a part of a resource, best first. Of a long text it uses a sample. The
// results do not include the part itself, or anything that it contains or lies
// in. Like [Searcher.Search], it brings the index up to date first, and answers
// within the time of the context from the present index.
//
// Errors match [citekit.ErrSyntax] if the request is invalid, or has no usable
// word. If the part cannot be read, they are the errors of
// [citekit.Library.Node] and of the text layer.
func (s *Searcher) Similar(ctx context.Context, req SimilarRequest) (*Results, error) {
	defer ctxio.Time(ctx, ctxio.PhaseSearch)()
	if s.err != nil {
		return nil, s.err
	}
	start := time.Now()
	like, err := s.likeness(ctx, req)
	if err != nil {
		return nil, err
	}
	request := Request{
		Query: like.text, Syntax: index.Question, By: req.By, TopK: req.TopK, Filters: req.Filters,
		SameAddress: req.SameAddress, NoHighlights: req.NoHighlights, Rationale: req.Rationale,
	}
	return s.answer(ctx, start, request, like)
}

// likeness returns an index that finds entries similar to the requested text or
// part.
func (s *Searcher) likeness(ctx context.Context, req SimilarRequest) (*likeness, error) {
	like := &likeness{Index: s.index, text: req.Text, by: req.By}
	switch {
	case req.Text != "" && req.ID != "":
		return nil, syntaxError("a text and an id; give only one of them")
	case req.ID != "":
		if err := like.read(ctx, s, req.ID); err != nil {
			return nil, err
		}
	}
	switch {
	case strings.TrimSpace(like.text) == "" && req.ID == "":
		return nil, syntaxError("neither a text nor an id; give one of them")
	case strings.IndexFunc(like.text, isWordRune) < 0:
		return nil, syntaxError("%s has no word to search for; give some words", message.Quote(req.Text+req.ID))
	}
	return like, nil
}

// read makes a part the one that others are compared with.
func (l *likeness) read(ctx context.Context, s *Searcher, id string) error {
	part, err := lookup.Find(ctx, s.lib, id)
	if err != nil {
		return err
	}
	l.of = newSelf(part)
	l.text = part.Map.Title
	if part.Node != nil {
		l.text = part.Node.Title + "\n" + part.Node.Summary
	}
	layer, err := s.layers.Open(ctx, part.Map.ResourceID)
	if textlayer.HasNoText(err) {
		return nil // its title describes it
	}
	if err != nil {
		return err
	}
	defer layer.Close()
	if !strings.HasPrefix(layer.SourceHash(), part.Address.Version) {
		return fmt.Errorf("the source is not the version that the address pins: %w", citekit.ErrStale)
	}
	ranges, err := layer.Ranges(part.Address.Location)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, citekit.ErrRange) {
		return l.readPart(ctx, s, part.Address)
	}
	if err == nil && (len(ranges) == 0 || !layer.Reaches(part.Address.Location)) {
		if err = lookup.CheckEnd(ctx, s.lib, part.Address); err != nil {
			err = &citekit.ResolveError{Op: "read", Address: part.Address, Err: err}
		}
	}
	if err != nil {
		return err
	}
	l.of.ranges = ranges
	text, err := sample(ctx, layer, ranges)
	l.text += "\n" + text
	return err
}

// readPart adds the text of a part that the layer cannot separate, such as a box on a
// page, or does not reach.
func (l *likeness) readPart(ctx context.Context, s *Searcher, a citekit.Address) error {
	for run, err := range s.lib.ReadText(ctx, a.Resource, a.Location) {
		if err != nil {
			return err
		}
		if l.text += "\n" + run.Text; len(l.text) > sampleBytes {
			break
		}
	}
	return nil
}

// The sample of a long text: its total size in bytes, in pieces from all over
// the text.
const (
	sampleBytes  = 60 << 10
	samplePieces = 15
)

// sample returns the text of some ranges, or, if they are long, evenly spaced
// pieces of it.
func sample(ctx context.Context, layer *textlayer.Layer, ranges []textlayer.Bytes) (string, error) {
	size := int64(0)
	for _, r := range ranges {
		size += r.To - r.From
	}
	var b strings.Builder
	if size <= sampleBytes {
		for _, r := range ranges {
			text, err := layer.Text(ctx, r.From, r.To)
			if err != nil {
				return "", err
			}
			b.WriteString(text + "\n")
		}
		return b.String(), nil
	}
	const piece = int64(sampleBytes / samplePieces)
	for i := range int64(samplePieces) {
		from := (size - piece) * i / (samplePieces - 1)
		at := locate(ranges, from)
		text, err := layer.Text(ctx, at.From, min(at.To, at.From+piece))
		if err != nil {
			return "", err
		}
		b.WriteString(wholeWords(text) + "\n")
	}
	return b.String(), nil
}

// locate returns the rest of a range from an offset on. The offset counts
// through all ranges together.
func locate(ranges []textlayer.Bytes, offset int64) textlayer.Bytes {
	for _, r := range ranges {
		length := r.To - r.From
		if offset < length {
			return textlayer.Bytes{From: r.From + offset, To: r.To}
		}
		offset -= length
	}
	return textlayer.Bytes{}
}

// wholeWords removes the partial words at the ends of a piece of text.
func wholeWords(text string) string {
	if text == "" {
		return ""
	}
	from, to := wordStart(text, 1, len(text)), wordEnd(text, len(text)-1, 0)
	if from >= to {
		return ""
	}
	return text[from:to]
}
