package api

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/answer"
	"github.com/citekit/citekit/cite"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/stats"
	"github.com/citekit/citekit/relations"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/verify"
	"github.com/citekit/citekit/view"
)

// A Service does what requests ask for, over the resources of one Library. All fields
// but the last four must be set, and none changed after its first use. Its methods return
// the bodies of answers without their Meta. They are safe for concurrent use.
type Service struct {
	Library   *citekit.Library
	Layers    *textlayer.Store
	Relations *relations.Graph
	Searcher  *search.Searcher
	Reader    *contents.Reader
	Answerer  *answer.Answerer
	Verifier  *verify.Verifier
	Citer     *cite.Citer

	// Ingester maps files for callers; nil if they may neither map nor add any.
	Ingester Ingester

	// Viewer shows parts of resources; nil means one over the other parts.
	Viewer *view.Viewer

	// ViewLink returns the link to the page that shows an address with the words of a
	// quote, which may be "", as package viewer has it; "" is none. Nil means that there
	// are none.
	ViewLink func(address, quote string) string

	// Offers reports whether the caller of a request, whose context this is, may use
	// what a tool of MCP does, such as search. Nil means that all may.
	Offers func(ctx context.Context, tool string) bool

	// Timeout returns how long a call may take of the operation that does what a tool of
	// MCP does; zero or less means no limit. Nil means 30 s for all.
	Timeout func(tool string) time.Duration

	viewing    sync.Once
	collecting sync.Once
	collector  *stats.Collector
}

// filters returns the filters of a search.
func (f Filters) filters() search.Filters {
	return search.Filters{
		Sources: f.Sources, Forms: f.Types, Authors: f.Authors, Labels: f.Labels,
		After: at(f.After), Before: at(f.Before),
	}
}

func at(t *time.Time) time.Time { return *cmp.Or(t, new(time.Time)) }

// is returns what an optional flag says, which by default is what the schema says.
func is(flag *bool, usual bool) bool {
	if flag == nil {
		return usual
	}
	return *flag
}

// Search finds chunks. Errors are those of [search.Searcher.Search].
func (s *Service) Search(ctx context.Context, req *SearchRequest) (*Results, error) {
	found, err := s.Searcher.Search(ctx, search.Request{
		Query: req.Q, Mode: search.Mode(req.Mode), TopK: cmp.Or(req.TopK, 20), Filters: req.Filters.filters(),
		NoHighlights: !is(req.Include.Highlights, true), Rationale: is(req.Include.Rationale, false),
		NoRerank: !is(req.Quality.Rerank, true),
	})
	if err != nil {
		return nil, ofText("/q", req.Filters, err)
	}
	r, err := s.results(ctx, found, search.ByPassages, is(req.Include.Document, true))
	for i := 0; err == nil && i < len(r.Results); i++ {
		one := &r.Results[i]
		if one.Highlights == nil && is(req.Include.Highlights, true) {
			one.Highlights = [][2]int{}
		}
		if one.Rationale == nil && is(req.Include.Rationale, false) {
			one.Rationale = []Reason{}
		}
	}
	return r, err
}

// Similar finds what is like a text, a chunk or a document. Errors are those of
// [search.Searcher.Similar], a [citekit.NotFoundError] for a subject that is not
// there, and one that matches [citekit.ErrTooLarge] for a chunk that moved in a text of
// more than 128 MiB.
func (s *Service) Similar(ctx context.Context, req *SimilarRequest) (*Results, error) {
	similar := search.SimilarRequest{By: search.ByPassages, TopK: cmp.Or(req.TopK, 10), Filters: req.Filters.filters()}
	if req.By == "documents" {
		similar.By = search.ByResources
	}
	subject := req.Subject
	switch {
	case subject.Kind == "text" && strings.TrimSpace(subject.Text) == "":
		return nil, wrongField("/subject/text", "is missing: a subject of the kind text has a text")
	case subject.Kind == "text" && subject.ID != "":
		return nil, wrongField("/subject/id", "is for the kinds chunk and document; a subject of the kind text has a text alone")
	case subject.Kind == "text":
		similar.Text = subject.Text
	case subject.ID == "":
		return nil, wrongField("/subject/id", "is missing: a subject of the kind "+subject.Kind+" has an id")
	case subject.Text != "":
		return nil, wrongField("/subject/text", "is for the kind text; a subject of the kind "+subject.Kind+" has an id alone")
	case subject.Kind == "document":
		m, err := s.Library.Map(ctx, subject.ID)
		if err != nil {
			return nil, ofField("/subject/id", err)
		}
		similar.ID = m.ResourceID
	default:
		c, err := parseChunk(subject.ID)
		if err != nil {
			return nil, ofField("/subject/id", err)
		}
		found, err := s.chunk(ctx, c, new(finder))
		if err != nil {
			return nil, ofField("/subject/id", err)
		}
		similar.ID = found.String()
	}
	found, err := s.Searcher.Similar(ctx, similar)
	if err != nil {
		return nil, ofText("/subject", req.Filters, err)
	}
	return s.results(ctx, found, similar.By, true)
}

// ofText returns an error about the text of a request with the field of that text, unless
// a pattern of the filters may be wrong.
func ofText(pointer string, f Filters, err error) error {
	switch {
	case citekit.CodeOf(err) != message.CodeInvalidInput:
		return err
	case len(f.Sources) > 0 && strings.Contains(err.Error(), "path"):
		pointer = "/filters/sources"
	}
	return ofField(pointer, err)
}

// results returns the body of an answer. Of several places in one chunk the best is
// a result.
func (s *Service) results(ctx context.Context, found *search.Results, by search.By, withDocument bool) (*Results, error) {
	r := &Results{
		Results: []Result{}, Total: found.Total, Minimum: !found.Exact, LeftOut: found.LeftOut,
		Complete: found.Complete, Hint: found.Hint,
	}
	if found.LeftOut > 0 {
		r.Hint = joined(r.Hint, message.Count(found.LeftOut, "resource")+" left out, as the sources changed, are gone or cannot be read; map them again")
	}
	if found.Degraded != "" {
		r.Hint = joined(r.Hint, found.Degraded)
	}
	for _, one := range found.Results {
		result := Result{
			ID: one.ResourceID, Kind: "document", DocumentID: one.ResourceID, Address: one.Address.String(),
			Title: one.Title, Path: one.Path, Text: one.Snippet, Highlights: one.Highlights, Score: one.Score,
			Rationale: reasons(one.Rationale), OCR: one.OCR, Copies: written(one.Copies), Transcribed: one.Transcribed,
		}
		result.Link = s.linkTo(result.Address, "")
		if one.Passage != nil && by == search.ByPassages {
			result.ID, result.Kind = chunkOf(one.ResourceID, one.Passage.Text, one.Passage.From).String(), "chunk"
		}
		if withDocument {
			document, err := s.document(ctx, one.ResourceID)
			if errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil { // it was deleted since it was found
				r.LeftOut++
				continue
			}
			if err != nil {
				return nil, err
			}
			result.Document = document
		}
		r.Results = append(r.Results, result)
	}
	return r, nil
}

// maxLinkedQuote is how long a quote in a link may be, in bytes; a longer one is left out.
const maxLinkedQuote = 500

// linkTo returns the link to the page of an address, which may be "", or "" if there is
// none.
func (s *Service) linkTo(address, quote string) string {
	if s.ViewLink == nil || address == "" {
		return ""
	}
	if len(quote) > maxLinkedQuote {
		quote = ""
	}
	return s.ViewLink(address, quote)
}

func reasons(list []*search.Reason) []Reason {
	var all []Reason
	for _, one := range list {
		reason := Reason{Term: one.Term, Fields: one.Fields, Relation: one.Relation, Score: one.Score}
		if one.Relation != "" {
			reason.From, reason.To = one.From.String(), one.To.String()
		}
		all = append(all, reason)
	}
	return all
}

func written(addresses []citekit.Address) []string {
	var all []string
	for _, a := range addresses {
		all = append(all, a.String())
	}
	return all
}

// document describes a resource.
func (s *Service) document(ctx context.Context, id string) (*Document, error) {
	m, err := s.Library.Map(ctx, id)
	if err != nil {
		return nil, err
	}
	return &Document{ID: m.ResourceID, Title: m.Title, Type: string(m.Type)}, nil
}

// chunk finds the place of a chunk. The error is that of [finder.find].
func (s *Service) chunk(ctx context.Context, c chunk, f *finder) (citekit.Address, error) {
	layer, err := s.Layers.Open(ctx, c.resource)
	if textlayer.HasNoText(err) {
		return citekit.Address{}, &citekit.NotFoundError{Kind: "chunk", ID: c.String()}
	}
	if err != nil {
		return citekit.Address{}, err
	}
	defer layer.Close()
	from, err := f.find(ctx, layer, c)
	if err != nil {
		return citekit.Address{}, err
	}
	loc, err := layer.Location(from, from+c.length)
	return citekit.Address{Resource: c.resource, Location: loc}, err
}
