package answer

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/strictjson"
	"github.com/citekit/citekit/mapper/llm"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/verify"
)

// A Type is the kind of answer to a question.
type Type string

const (
	// Extractive answers are sentences of the sources, word for word; this is
	// the default, and "" means it too.
	Extractive Type = "extractive"

	// Abstractive answers are written by [Options.Model], each sentence with
	// the words of a source that support it.
	Abstractive Type = "abstractive"
)

// Bounds of a [Request].
const (
	DefaultSentences = 3  // Request.Sentences if it is zero
	MaxSentences     = 20 // largest Request.Sentences

	DefaultTokens = 400  // Request.Tokens if it is zero
	MinTokens     = 16   // smallest Request.Tokens
	MaxTokens     = 4096 // largest Request.Tokens
)

// A Request is a question.
type Request struct {
	// Question is in plain words; signs in it have no special meaning. Only its
	// first 4 KiB are read.
	Question string

	Type Type // the kind of answer; "" means [Extractive]

	// Sentences is the maximum number of sentences, 1 to [MaxSentences]; zero
	// means [DefaultSentences].
	Sentences int

	// Tokens is the maximum number of tokens in the answer, [MinTokens] to
	// [MaxTokens]; zero means [DefaultTokens]. The first sentence is always
	// included.
	Tokens int

	Filters   search.Filters // which resources and nodes may answer
	Mode      search.Mode    // where answers are looked for; "" means [search.Auto]
	Rationale bool           // report for each sentence which words led to it

	// Drop leaves out unsupported sentences of an abstractive answer, which are
	// marked otherwise.
	Drop bool
}

// An Answer is the answer to a question. If nothing was found, it has no
// sentences.
type Answer struct {
	Found     bool        // whether there is an answer
	Text      string      // the sentences joined on one line; "" if nothing was found
	Sentences []*Sentence // in the order of Text

	Type  Type   // the kind of answer
	Model string // the model that wrote it, as it names itself; "" for an extractive answer

	// Dropped is the number of sentences of a model that were left out because
	// no source supports them.
	Dropped int

	// Hint names sources that are not searched, and says why there is no sentence of a
	// model that was asked: it says that the sources do not answer, or did not write in
	// the form that it was asked for; "" if neither applies.
	Hint string

	// LeftOut is how many resources are not searched, and LeftOutIDs names some,
	// as in [search.Results]. They are not in JSON.
	LeftOut    int
	LeftOutIDs []string

	// Complete is false if the time ended before everything was searched and
	// rated, or if the answer of a model was cut off.
	Complete bool
}

// A Sentence is a sentence of an answer.
type Sentence struct {
	// In an extractive answer, Text is text of the source, word for word and
	// with its line ends: a sentence, a line of code, a row of a table, an
	// entry of a log, or cues up to the end of a sentence; at most 600
	// characters. In an abstractive answer, it is the text that the model
	// wrote.
	Text string

	// Address is the place of the sentence, or of the text that supports it;
	// zero for a sentence of a model that names no source.
	Address citekit.Address

	// Score is the share of the question that the sentence and the text around
	// it cover, from 0 to 1. Scores of different answers can be compared.
	Score float64

	// Transcribed says that the text of the source is what a machine heard in a recording.
	Transcribed bool

	Verdict Verdict // whether its source supports it

	// Quote is the text that a model quotes from the source; "" in an
	// extractive answer.
	Quote string

	Rationale []string // words of the question that led to it
}

// A Verdict says whether its source supports a sentence. It is the
// [verify.Class] of the sentence, or of the quote in a sentence of a model, or
// [Unsupported].
type Verdict string

// Unsupported is the verdict on a sentence of a model that says more than its
// quote.
const Unsupported Verdict = "unsupported"

// Holds reports whether the source supports the sentence.
func (v Verdict) Holds() bool {
	return v == Verdict(verify.Exact) || v == Verdict(verify.Repaired)
}

// A Verifier checks quotes against sources, as a [verify.Verifier] does.
type Verifier interface {
	// Quote checks a quote, as [verify.Verifier.Quote] does.
	Quote(ctx context.Context, req verify.Request) (*verify.Verdict, error)
}

// Options configures an [Answerer]. The zero value is ready to use.
type Options struct {
	// Verifier checks each sentence. It must be over the Library that is searched.
	// Nil means a new [verify.Verifier].
	Verifier Verifier

	// Model writes abstractive answers; nil means no abstractive answers. The
	// found passages are sent to it. The answer of an [llm.StreamModel] is
	// passed on while it writes.
	Model llm.Model
}

// An Answerer answers questions over the resources of a Library. It is safe for
// concurrent use.
type Answerer struct {
	searcher *search.Searcher // finds the passages
	layers   *textlayer.Store // hold the texts of the sources
	verifier Verifier
	model    llm.Model // nil if there is none
}

// New returns an Answerer that uses a Searcher, and the texts that it reads. A nil
// opts means the defaults. The Answerer does not own the Searcher.
func New(searcher *search.Searcher, opts *Options) *Answerer {
	o := cmp.Or(opts, new(Options))
	a := &Answerer{searcher: searcher, layers: searcher.Layers(), verifier: o.Verifier, model: o.Model}
	if a.verifier == nil {
		a.verifier = verify.New(searcher.Library(), &verify.Options{Searcher: searcher})
	}
	return a
}

// Writes reports whether there is a model for abstractive answers.
func (a *Answerer) Writes() bool { return a.model != nil }

// Answer answers a question. At the deadline of the context, it answers with
// the sentences found by then.
//
// Errors match [citekit.ErrSyntax] if the request is invalid, or
// [errors.ErrUnsupported] if it asks for an abstractive answer and there is no
// model; other errors are those of [search.Searcher.Search] and of the model.
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
		return r, fmt.Errorf("%d sentences; give 1 to %d: %w", r.Sentences, MaxSentences, citekit.ErrSyntax)
	case r.Tokens < MinTokens || r.Tokens > MaxTokens:
		return r, fmt.Errorf("max_tokens %d; give %d to %d: %w", r.Tokens, MinTokens, MaxTokens, citekit.ErrSyntax)
	case r.Type != Extractive && r.Type != Abstractive:
		return r, fmt.Errorf("type %s; it must be extractive or abstractive: %w", message.Quote(string(r.Type)), citekit.ErrSyntax)
	}
	return r, nil
}

// reserve is the part of the time of a call, as 1/reserve, that is kept for the
// steps after the search.
const reserve = 4

func untilReserve(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, limited := ctx.Deadline()
	if !limited {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-time.Until(deadline)/reserve))
}

// MarshalJSON returns an object with "found", "answer", "sentences" ("text",
// "address", "score", "verdict", and, if present, "transcribed", "quote" and "rationale"),
// "complete", and, unless they are empty, "model", "dropped" and "hint".
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
	w.Flag("transcribed", s.Transcribed)
	w.Optional("quote", s.Quote)
	if len(s.Rationale) > 0 {
		w.Value("rationale", s.Rationale)
	}
	w.Close()
}

// MarshalJSON returns the object that [Answer.MarshalJSON] describes.
func (s *Sentence) MarshalJSON() ([]byte, error) {
	w := new(strictjson.Writer)
	s.write(w)
	return w.Bytes(), w.Err
}

// onOneLine joins sentences on one line.
func onOneLine(sentences []*Sentence) string {
	var words []string
	for _, s := range sentences {
		words = append(words, strings.Fields(s.Text)...)
	}
	return strings.Join(words, " ")
}
