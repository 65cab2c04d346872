package briefing

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/strictjson"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/index"
	"github.com/citekit/citekit/textlayer"
)

// Bounds of [Request.Tokens].
const (
	DefaultTokens = 4000
	MinTokens     = 100
	MaxTokens     = 100_000
)

// A Request says what a briefing is for.
type Request struct {
	Task    string // a task or a question; plain words, no query
	Tokens  int    // most of the content, [MinTokens] to [MaxTokens]; zero means [DefaultTokens]
	Filters index.Filters
}

// A Briefing is what was gathered.
type Briefing struct {
	// Content is the pieces as Markdown, most useful first. It has at most as
	// many Tokens as were asked for: one for each four characters, and one for
	// each of Chinese, Japanese or Korean.
	Content string
	Tokens  int

	Pieces []*Piece // in the order of the content

	// LeftOut is how many passages that matter had no room. Copies of what is
	// there do not count.
	LeftOut int

	// Hint says what is not searched and what to do about it, or which values of
	// the filters there are not; "" if there is nothing to say.
	Hint string

	// Complete is false if the time was over before all was searched and
	// weighed.
	Complete bool
}

// A Piece is a part of a source, word for word.
type Piece struct {
	Address citekit.Address
	Title   string // of the node or resource, with those around it
	Tokens  int    // of Text
	Text    string
}

// A Writer writes briefings over the resources of a Library. It is safe for
// concurrent use.
type Writer struct {
	searcher *search.Searcher
	layers   *textlayer.Store
}

// New returns a Writer over what a Searcher finds. The layers are of the same
// Library.
func New(searcher *search.Searcher, layers *textlayer.Store) *Writer {
	return &Writer{searcher, layers}
}

// reserve is which part of the time of a call is kept for what comes after the
// search.
const reserve = 5

// Write gathers what matters for a task. If the time of the context is over, it
// returns what there is.
//
// Errors match [citekit.ErrSyntax] if the request means nothing; others are
// those of [search.Searcher.Search].
func (w *Writer) Write(ctx context.Context, req Request) (*Briefing, error) {
	if req.Tokens == 0 {
		req.Tokens = DefaultTokens
	}
	if req.Tokens < MinTokens || req.Tokens > MaxTokens {
		return nil, fmt.Errorf("token_budget %d; give %d to %d: %w", req.Tokens, MinTokens, MaxTokens, citekit.ErrSyntax)
	}
	if strings.TrimSpace(req.Task) == "" {
		return nil, fmt.Errorf("the task is empty; say what is to be done or known: %w", citekit.ErrSyntax)
	}
	found, err := w.find(ctx, req)
	if err != nil {
		return nil, err
	}
	g := &gathering{Writer: w, room: req.Tokens, layers: make(map[string]*textlayer.Layer)}
	defer g.close()
	complete := g.gather(ctx, candidates(found.Results))
	b := g.briefing(complete && found.Complete)
	b.Hint = found.Hint
	if b.Hint == "" && found.LeftOut > 0 {
		b.Hint = message.Count(found.LeftOut, "resource") + " left out, as the sources changed, are gone or cannot be read"
	}
	return b, nil
}

// find finds passages for a task. A task of many words is taken as a text that
// they are to be like.
func (w *Writer) find(ctx context.Context, req Request) (*search.Results, error) {
	if deadline, limited := ctx.Deadline(); limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-time.Until(deadline)/reserve))
		defer cancel()
	}
	const fewWords = 32 // as many as a query counts
	query := plainQuery(req.Task)
	if len(strings.Fields(query)) > fewWords {
		return w.searcher.Similar(ctx, search.SimilarRequest{Text: query, TopK: search.MaxTopK, Filters: req.Filters, SameAddress: true})
	}
	return w.searcher.Search(ctx, search.Request{Query: query, TopK: search.MaxTopK, Filters: req.Filters, SameAddress: true})
}

// plainQuery returns a text as a query in which no sign has a meaning.
func plainQuery(text string) string {
	words := strings.Fields(strings.NewReplacer(`"`, " ", "*", " ", "title:", "title ").Replace(text))
	for i, word := range words {
		words[i] = strings.TrimLeft(word, "-")
	}
	if query := strings.Join(words, " "); strings.TrimSpace(query) != "" {
		return query
	}
	return "?" // nothing but signs: nothing is found
}

// MarshalJSON returns an object with "content", "pieces", "tokens", "left_out",
// "complete", and where it says something "hint".
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
	w.Value("left_out", b.LeftOut)
	w.Optional("hint", b.Hint)
	w.Value("complete", b.Complete)
	w.Close()
	return w.Bytes(), w.Err
}
