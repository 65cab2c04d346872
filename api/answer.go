package api

import (
	"cmp"
	"context"
	"strings"

	"github.com/citekit/citekit/answer"
	"github.com/citekit/citekit/search"
)

// request returns the request for an answer, and what of it cannot be had.
func (s *Service) request(req *AnswerRequest) (r answer.Request, note string) {
	r = answer.Request{
		Question: req.Question, Type: answer.Abstractive, Tokens: cmp.Or(req.MaxTokens, answer.DefaultTokens),
		Mode:      search.Mode(cmp.Or(req.Mode, "hybrid")),
		Filters:   search.Filters{After: at(req.Constraints.After), Before: at(req.Constraints.Before)},
		Rationale: is(req.Include.Rationale, true),
	}
	if req.AnswerType == string(answer.Extractive) {
		r.Type = answer.Extractive
	}
	if r.Type == answer.Abstractive && !s.Answerer.Writes() {
		r.Type, note = answer.Extractive, "this server has no model for abstractive answers; these are sentences of the sources"
	}
	return r, note
}

// Answer answers a question. Errors are those of [answer.Answerer.Answer].
func (s *Service) Answer(ctx context.Context, req *AnswerRequest) (*Answer, error) {
	r, note := s.request(req)
	given, err := s.Answerer.Answer(ctx, r)
	if err != nil {
		return nil, ofText("/question", Filters{}, err)
	}
	return s.answerOf(req, given, note), nil
}

// answerOf returns the body of an answer.
func (s *Service) answerOf(req *AnswerRequest, given *answer.Answer, note string) *Answer {
	a := &Answer{
		Answer: given.Text, Found: given.Found, AnswerType: string(given.Type), Model: given.Model,
		Citations: []Citation{}, Complete: given.Complete, Note: joined(note, given.Hint),
	}
	if req.Model != "" && given.Type == answer.Abstractive && req.Model != given.Model {
		a.Note = joined(a.Note, "this server has the model "+given.Model+" alone")
	}
	if is(req.Citations, true) {
		for _, sentence := range given.Sentences {
			a.Citations = append(a.Citations, s.citationOf(req, sentence))
		}
	}
	return a
}

// joined returns two notes as one.
func joined(a, b string) string { return strings.Trim(a+"; "+b, "; ") }

// citationOf returns a sentence with its place.
func (s *Service) citationOf(req *AnswerRequest, said *answer.Sentence) Citation {
	c := Citation{Text: said.Text, Verdict: string(said.Verdict), Transcribed: said.Transcribed, Score: said.Score, Rationale: said.Rationale}
	if c.Rationale == nil && is(req.Include.Rationale, true) {
		c.Rationale = []string{}
	}
	if said.Quote != "" {
		c.Text, c.Sentence = said.Quote, said.Text
	}
	if said.Address.Resource != "" {
		c.Address, c.DocumentID = said.Address.String(), said.Address.Resource
		shown := ""
		if said.Verdict.Holds() {
			shown = c.Text
		}
		c.Link = s.linkTo(c.Address, shown)
	}
	return c
}
