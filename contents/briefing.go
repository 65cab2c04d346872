package contents

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/strictjson"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
)

// MaxBriefingTokens is the largest value of BriefingRequest.Tokens.
const MaxBriefingTokens = 100_000

// A BriefingRequest describes a briefing.
type BriefingRequest struct {
	Task    string         // a task or a question in plain words, not in the query language
	Tokens  int            // limit on the content, [MinTokens] to [MaxBriefingTokens]; zero means [DefaultTokens]
	Filters search.Filters // which resources and nodes to use
}

// A Briefing holds the gathered passages.
type Briefing struct {
	// Content has the pieces as Markdown, most useful first. It has at most the
	// requested number of tokens: one token for every four characters, and one
	// for each Chinese, Japanese or Korean character.
	Content string
	Tokens  int // of Content

	Pieces []*Piece // in the order of the content

	// Hidden is how many characters of the pieces cannot be seen. Content has their
	// codes in their place, such as \u202E.
	Hidden int

	// Omitted is how many relevant passages did not fit. Copies of included
	// passages are not counted.
	Omitted int

	// Hint names what is not searched and what to do about that, or which
	// values of the filters do not exist; "" if there is no hint.
	Hint string

	// LeftOut is how many resources are not searched, and LeftOutIDs names some,
	// as in [search.Results]. They are not in JSON.
	LeftOut    int
	LeftOutIDs []string

	// Complete is false if time ran out before everything was searched and
	// compared.
	Complete bool
}

// A Piece is a part of a source, word for word.
type Piece struct {
	Address citekit.Address // of Text
	Title   string          // of the node or resource, with the titles around it
	Tokens  int             // of Text
	Text    string          // as it is in the source

	Transcribed bool // Text is what a machine heard in a recording
}

// A Briefer writes briefings over the resources of a Library. It is safe for
// concurrent use.
//
// Passages are found by package search, so a source that changed or is gone is
// never quoted. Text that occurs in several places is given once, and new
// information is preferred to repetition. Neighbouring passages of one node
// become one piece. The texts of sources are data: in [Briefing.Content] each is in
// a fence that nothing in the text can close.
type Briefer struct {
	searcher *search.Searcher
	layers   *textlayer.Store
}

// NewBriefer returns a Briefer that uses a Searcher, and the texts that it reads. The
// Briefer does not own it.
func NewBriefer(searcher *search.Searcher) *Briefer {
	return &Briefer{searcher, searcher.Layers()}
}

// Write gathers the passages that matter for a task. If the time of the context
// runs out, it returns the passages gathered by then.
//
// Errors match [citekit.ErrSyntax] if the request is invalid; other errors are
// those of [search.Searcher.Search].
func (w *Briefer) Write(ctx context.Context, req BriefingRequest) (*Briefing, error) {
	if req.Tokens == 0 {
		req.Tokens = DefaultTokens
	}
	if req.Tokens < MinTokens || req.Tokens > MaxBriefingTokens {
		return nil, fmt.Errorf("max_tokens %d; give %d to %d: %w", req.Tokens, MinTokens, MaxBriefingTokens, citekit.ErrSyntax)
	}
	if strings.TrimSpace(req.Task) == "" {
		return nil, fmt.Errorf("the task is empty; say what to do or find out: %w", citekit.ErrSyntax)
	}
	found, err := w.find(ctx, req)
	if err != nil {
		return nil, err
	}
	g := &gatherer{Briefer: w, room: req.Tokens, layers: make(map[string]*textlayer.Layer)}
	defer g.close()
	complete := g.gather(ctx, candidates(found.Results))
	b := g.briefing(complete && found.Complete)
	b.Hint, b.LeftOut, b.LeftOutIDs = found.Hint, found.LeftOut, found.LeftOutIDs
	if b.Hint == "" && found.LeftOut > 0 {
		b.Hint = found.WhyLeftOut()
	}
	return b, nil
}

// find finds passages for a task. For a task of many words, it finds passages
// that are similar to it.
func (w *Briefer) find(ctx context.Context, req BriefingRequest) (*search.Results, error) {
	if deadline, limited := ctx.Deadline(); limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-time.Until(deadline)/reserve))
		defer cancel()
	}
	const fewWords = 32 // the limit for a query
	if len(strings.Fields(req.Task)) > fewWords {
		return w.searcher.Similar(ctx, search.SimilarRequest{Text: req.Task, TopK: search.MaxTopK, Filters: req.Filters, SameAddress: true})
	}
	return w.searcher.Search(ctx, search.Request{Query: req.Task, Syntax: search.Question, TopK: search.MaxTopK, Filters: req.Filters, SameAddress: true, Whole: true})
}

// MarshalJSON returns an object with "content", "pieces", "tokens", "omitted",
// "complete" and, if there is one, "hint".
func (b *Briefing) MarshalJSON() ([]byte, error) {
	w := new(strictjson.Writer)
	w.Open()
	w.Text("content", b.Content)
	w.Key("pieces")
	w.WriteByte('[')
	for i, p := range b.Pieces {
		if i > 0 {
			w.WriteByte(',')
		}
		w.Open()
		w.Text("address", p.Address.String())
		w.Value("tokens", p.Tokens)
		w.Text("text", p.Text)
		w.Close()
	}
	w.WriteByte(']')
	w.Value("tokens", b.Tokens)
	w.Value("omitted", b.Omitted)
	w.Optional("hint", b.Hint)
	w.Value("complete", b.Complete)
	w.Close()
	return w.Bytes(), w.Err
}
