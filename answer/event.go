package answer

import (
	"context"
	"fmt"
	"iter"
)

// A Kind is the kind of an [Event].
type Kind string

// The kinds of events, in the order in which they come: meta once, then for each
// sentence a token and a citation, then final.
const (
	Meta     Kind = "meta"     // the type of the answer
	Token    Kind = "token"    // text of the answer: a sentence, whose verdict is in the citation after it
	Citation Kind = "citation" // the sentence of the last token, with its address and verdict
	Final    Kind = "final"    // the whole answer
)

// An Event is a step of a streamed answer.
type Event struct {
	Kind     Kind      `json:"event"`              // which of the fields below are set
	Type     Type      `json:"type,omitempty"`     // of meta
	Text     string    `json:"text,omitempty"`     // of token
	Sentence *Sentence `json:"sentence,omitempty"` // of citation
	Answer   *Answer   `json:"answer,omitempty"`   // of final
}

// Stream answers a question as [Answerer.Answer] does, and yields the parts of
// the answer as they are made. A sentence is yielded only after it is checked.
// An error is yielded last. Stopping early ends the request to the model too.
func (a *Answerer) Stream(ctx context.Context, req Request) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		req, err := req.withDefaults()
		if err == nil && req.Type == Abstractive && a.model == nil {
			err = errNoModel
		}
		if err != nil {
			yield(nil, err)
			return
		}
		c := &call{Answerer: a, req: req, answer: &Answer{Type: req.Type}, yield: yield}
		defer c.close()
		if !c.tell(&Event{Kind: Meta, Type: req.Type}) {
			return
		}
		if err := c.run(ctx); err != nil && !c.ended {
			yield(nil, err)
			return
		}
		c.answer.Found = len(c.answer.Sentences) > 0
		c.answer.Text = onOneLine(c.answer.Sentences)
		c.tell(&Event{Kind: Final, Answer: c.answer})
	}
}

// errNoModel reports that an abstractive answer cannot be given.
var errNoModel = fmt.Errorf("no model is configured; ask for an extractive answer: %w", errUnsupported)

// tell yields an event, and reports whether to go on.
func (c *call) tell(e *Event) bool {
	c.ended = c.ended || !c.yield(e, nil)
	return !c.ended
}

// give adds a sentence to the answer and yields its events.
func (c *call) give(s *Sentence) bool {
	c.answer.Sentences = append(c.answer.Sentences, s)
	return c.tell(&Event{Kind: Token, Text: s.Text}) && c.tell(&Event{Kind: Citation, Sentence: s})
}
