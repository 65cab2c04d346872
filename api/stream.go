package api

import (
	"bytes"
	"context"
	"iter"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/citekit/citekit/answer"
	"github.com/citekit/citekit/server/transport"
)

// An event of a stream is one of these: meta first, then a token and its citation for
// each sentence, then final, also after an error.
type (
	// Start is the event meta.
	Start struct {
		RequestID  string `json:"requestId"`
		AnswerType string `json:"answerType" enum:"extractive,abstractive"`
		Note       string `json:"note,omitempty" doc:"What is not as asked for, such as that there is no model."`
	}

	// Token is the event token: a sentence of the answer, with a space before it if it is
	// not the first, so that the texts of all are the answer.
	Token struct {
		Text string `json:"text"`
	}

	// End is the event final: the whole answer, or why there is none.
	End struct {
		Answer  *Answer  `json:"answer,omitempty"`
		Problem *Problem `json:"problem,omitempty" doc:"What a request without stream would have been answered with."`

		err error // of which Problem tells
	}
)

// Stream answers a question and yields the events [Start], [Token], [Citation] and [End]
// as they come. Its last event is always an End. Who stops ends the work.
func (s *Service) Stream(ctx context.Context, req *AnswerRequest) iter.Seq[any] {
	return func(yield func(any) bool) {
		r, note := s.request(req)
		space := ""
		for event, err := range s.Answerer.Stream(ctx, r) {
			if err != nil {
				err = ofText("/question", Filters{}, err)
				yield(End{Problem: problemOf(err), err: err})
				return
			}
			e := s.eventOf(req, event, note)
			if token, ok := e.(Token); ok {
				e, space = Token{space + strings.Join(strings.Fields(token.Text), " ")}, " "
			}
			if e != nil && !yield(e) {
				return
			}
		}
	}
}

// eventOf returns an event of a stream, or nil if it was not asked for.
func (s *Service) eventOf(req *AnswerRequest, e *answer.Event, note string) any {
	switch e.Kind {
	case answer.Meta:
		return Start{AnswerType: string(e.Type), Note: note}
	case answer.Token:
		return Token{e.Text}
	case answer.Citation:
		if !is(req.Citations, true) {
			return nil
		}
		return s.citationOf(req, e.Sentence)
	}
	return End{Answer: s.answerOf(req, e.Answer, note)}
}

// registerAnswer adds the operation answer, which answers with a body or with events.
func (h *Handler) registerAnswer() {
	type input struct{ Body AnswerRequest }
	op := h.operation(http.MethodPost, "/v1/answer", "answer", "answer", "Answer a question",
		"With stream: true the answer is text/event-stream, with the events meta, token, citation and final, which is the last one also after an error. The schema is that of the data of one event.", reflect.TypeFor[Answer]())
	h.takes(op, reflect.TypeFor[AnswerRequest]())
	var events []*huma.Schema
	for _, t := range []reflect.Type{reflect.TypeFor[Start](), reflect.TypeFor[Token](), reflect.TypeFor[Citation](), reflect.TypeFor[End]()} {
		events = append(events, h.schema(t))
	}
	op.Responses["200"].Content["text/event-stream"] = &huma.MediaType{Schema: &huma.Schema{AnyOf: events}}
	huma.Register(h.api, op, func(_ context.Context, in *input) (*huma.StreamResponse, error) {
		req := &in.Body
		if !req.Stream {
			return h.serve(req.WorkspaceID, func(ctx context.Context, s *Service) (body, error) { return s.Answer(ctx, req) }), nil
		}
		return &huma.StreamResponse{Body: func(to huma.Context) {
			r, w := humago.Unwrap(to)
			ctx, s, end, err := h.begin(r.Context(), req.WorkspaceID)
			if err != nil {
				writeProblem(w, r, h.failed(ctx, err))
				return
			}
			defer end()
			h.stream(ctx, s, req, w)
		}}, nil
	})
}

// stream writes the events of an answer. It ends when the reader is gone.
func (h *Handler) stream(ctx context.Context, s *Service, req *AnswerRequest, w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // some proxies keep events back otherwise
	control := http.NewResponseController(w)
	for event := range s.Stream(ctx, req) {
		name, data := h.named(ctx, event)
		written := bytes.NewBufferString("event: " + name + "\ndata: ")
		_ = encoder(written).Encode(data) // on one line; the types are ours
		written.WriteByte('\n')
		if _, err := w.Write(written.Bytes()); err != nil || control.Flush() != nil {
			return
		}
	}
}

// named returns the name of an event, and the event with what is known of its call.
func (h *Handler) named(ctx context.Context, event any) (string, any) {
	c := callOf(ctx)
	switch e := event.(type) {
	case Start:
		e.RequestID = c.id
		return "meta", e
	case Token:
		return "token", e
	case Citation:
		return "citation", e
	case End:
		if e.Answer != nil {
			e.Answer.Meta = c.meta()
		} else {
			e.Problem = h.failed(ctx, e.err)
			e.Problem.Meta = c.meta()
			transport.SetOutcome(ctx, e.Problem.Code())
		}
		return "final", e
	}
	panic("no event of an answer")
}
