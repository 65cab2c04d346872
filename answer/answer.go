package answer

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/strictjson"
	"github.com/citekit/citekit/mapper/llm"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/index"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/verify"
)

// A Type is how a question is answered.
type Type string

const (
	// Extractive answers are sentences of the sources, word for word; the
	// default, as is "".
	Extractive Type = "extractive"

	// Abstractive ones are written by [Options.Model], each sentence with the
	// words of a source that bear it.
	Abstractive Type = "abstractive"
)

// Bounds of a [Request].
const (
	DefaultSentences = 3
	MaxSentences     = 20

	DefaultTokens = 400
	MinTokens     = 16
	MaxTokens     = 4096
)

// A Request is a question.
type Request struct {
	// Question is in plain words; no sign in it has a meaning. Its first 4 KiB
	// count.
	Question string

	Type Type

	// Sentences is how many there are at most, 1 to [MaxSentences]; zero means
	// [DefaultSentences].
	Sentences int

	// Tokens is how many the answer has at most, [MinTokens] to [MaxTokens]; zero
	// means [DefaultTokens]. The first sentence is always given.
	Tokens int

	Filters   index.Filters
	Rationale bool // say of each sentence which words led to it

	// Drop leaves out sentences of an abstractive answer that are not supported,
	// which are else marked.
	Drop bool
}

// An Answer is what was found. If nothing was it has no sentences.
type Answer struct {
	Found     bool
	Text      string // the sentences one after another, on one line; "" if nothing was found
	Sentences []*Sentence

	Type  Type
	Model string // that wrote it, as it names itself; "" for an extractive one

	// Dropped is how many sentences of a model were left out, as no source
	// supports them.
	Dropped int

	// Hint says what is not searched, or why a model did not answer; "" if there
	// is nothing to say.
	Hint string

	// Complete is false if the time was over before all was searched and weighed.
	Complete bool
}

// A Sentence is a sentence of an answer.
type Sentence struct {
	// Text is that of the source, word for word and with its line ends, in an
	// extractive answer: a sentence, a line of code, a row of a table, an entry of
	// a log, or cues up to the end of a sentence; at most 600 characters. In an
	// abstractive one it is what the model wrote.
	Text string

	// Address is where it stands, or what supports it; zero for a sentence of a
	// model that names nothing.
	Address citekit.Address

	// Score is from 0 to 1, and compares over answers: how much of the question
	// the sentence and what is around it has.
	Score float64

	Verdict Verdict

	// Quote is what a model says that the source has, "" in an extractive answer.
	Quote string

	Rationale []string // words of the question that led to it
}

// A Verdict says how a sentence stands to its source: a [verify.Class] of the
// sentence, or of the quote of a sentence of a model, or [Unsupported].
type Verdict string

// Unsupported is the verdict on a sentence of a model that says more than the
// words that it quotes.
const Unsupported Verdict = "unsupported"

// Holds reports whether the source supports the sentence.
func (v Verdict) Holds() bool {
	return v == Verdict(verify.Exact) || v == Verdict(verify.Repaired)
}

// A Verifier holds quotes to sources, as a [verify.Verifier] does.
type Verifier interface {
	Quote(ctx context.Context, req verify.Request) (*verify.Verdict, error)
}

// Options configures an Answerer. Its first three members are over one Library,
// and are needed.
type Options struct {
	Searcher *search.Searcher
	Layers   *textlayer.Store
	Verifier Verifier

	// Model writes abstractive answers; nil answers none. What is found is sent
	// to it. What an [llm.StreamModel] says is told while it writes.
	Model llm.Model
}

// An Answerer answers questions over the resources of a Library. It is safe for
// concurrent use.
type Answerer struct {
	Options
}

// New returns an Answerer.
func New(opts Options) *Answerer { return &Answerer{opts} }

// Answer answers a question. If the time of the context is over, it answers with
// what there is.
//
// Errors match [citekit.ErrSyntax] if the request means nothing, or
// [errors.ErrUnsupported] if it asks for an abstractive answer and there is no
// model; others are those of [search.Searcher.Search] and of the model.
func (a *Answerer) Answer(ctx context.Context, req Request) (*Answer, error) {
	for event, err := range a.Stream(ctx, req) {
		if err != nil {
			return nil, err
		}
		if event.Kind == Final {
			return event.Answer, nil
		}
	}
	return nil, ctx.Err()
}

func (r Request) withDefaults() (Request, error) {
	if r.Sentences == 0 {
		r.Sentences = DefaultSentences
	}
	if r.Tokens == 0 {
		r.Tokens = DefaultTokens
	}
	if r.Type == "" {
		r.Type = Extractive
	}
	switch {
	case r.Sentences < 1 || r.Sentences > MaxSentences:
		return r, fmt.Errorf("max_sentences %d; give 1 to %d: %w", r.Sentences, MaxSentences, citekit.ErrSyntax)
	case r.Tokens < MinTokens || r.Tokens > MaxTokens:
		return r, fmt.Errorf("max_tokens %d; give %d to %d: %w", r.Tokens, MinTokens, MaxTokens, citekit.ErrSyntax)
	case r.Type != Extractive && r.Type != Abstractive:
		return r, fmt.Errorf("type %s; it is extractive or abstractive: %w", message.Quote(string(r.Type)), citekit.ErrSyntax)
	}
	return r, nil
}

// reserve is which part of the time of a call is kept for what comes after the
// search.
const reserve = 4

func untilReserve(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, limited := ctx.Deadline()
	if !limited {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-time.Until(deadline)/reserve))
}

// MarshalJSON returns an object with "found", "answer", "sentences" ("text",
// "address", "score", "verdict", and where there is one "quote" and
// "rationale"), "complete", and where they say something "model", "dropped" and
// "hint".
func (a *Answer) MarshalJSON() ([]byte, error) {
	w := new(strictjson.Writer)
	w.Open()
	w.Value("found", a.Found)
	w.Text("answer", a.Text)
	w.Key("sentences")
	w.WriteByte('[')
	for i, s := range a.Sentences {
		if i > 0 {
			w.WriteByte(',')
		}
		s.write(w)
	}
	w.WriteByte(']')
	w.Optional("model", a.Model)
	if a.Dropped > 0 {
		w.Value("dropped", a.Dropped)
	}
	w.Optional("hint", a.Hint)
	w.Value("complete", a.Complete)
	w.Close()
	return w.Bytes(), w.Err
}

func (s *Sentence) write(w *strictjson.Writer) {
	w.Open()
	w.Text("text", s.Text)
	if s.Address.Resource != "" {
		w.Text("address", s.Address.String())
	}
	w.Value("score", s.Score)
	w.Text("verdict", string(s.Verdict))
	w.Optional("quote", s.Quote)
	if len(s.Rationale) > 0 {
		w.Value("rationale", s.Rationale)
	}
	w.Close()
}

// MarshalJSON returns the sentence as [Answer.MarshalJSON] has it.
func (s *Sentence) MarshalJSON() ([]byte, error) {
	w := new(strictjson.Writer)
	s.write(w)
	return w.Bytes(), w.Err
}

// onOneLine returns sentences one after another.
func onOneLine(sentences []*Sentence) string {
	var words []string
	for _, s := range sentences {
		words = append(words, strings.Fields(s.Text)...)
	}
	return strings.Join(words, " ")
}
