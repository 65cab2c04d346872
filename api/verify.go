package api

import (
	"context"

	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/verify"
)

// VerifyRequest is the body of POST /v1/verify: a quote or a text, never both.
type VerifyRequest struct {
	WorkspaceID string `json:"workspaceId,omitempty"`
	Quote       string `json:"quote,omitempty" maxLength:"65536" doc:"Words that are said to be in a source."`
	Address     string `json:"address,omitempty" doc:"Where the quote is said to be; everywhere if it is not given."`
	Text        string `json:"text,omitempty" doc:"A text with addresses, such as an answer of a model."`
	Strict      bool   `json:"strict,omitempty" default:"false" doc:"Claims must be in the words of the source, and quotes have an address."`
}

// Verification is the answer to POST /v1/verify.
type Verification struct {
	Holds    *bool     `json:"holds" nullable:"true" doc:"Whether everything holds; null if nothing was checked."`
	Verdicts []Verdict `json:"verdicts"`
	Uncited  []Uncited `json:"uncited,omitempty"`
	Complete bool      `json:"complete"`
	Hint     string    `json:"hint,omitempty"`
	Meta     Meta      `json:"meta"`
}

// A Verdict says whether a quote is in its source, and where.
type Verdict struct {
	Kind        string       `json:"kind" enum:"quote,claim,address"`
	Class       string       `json:"class" enum:"exact,repaired,elsewhere,altered,not_found,unchecked,unquoted"`
	Holds       bool         `json:"holds"`
	Quote       string       `json:"quote,omitempty"`
	Cited       string       `json:"cited,omitempty" doc:"The address as it was given."`
	Range       *[2]int64    `json:"range,omitempty" doc:"Of the quote in the text that was checked: code points, the end excluded."`
	Address     string       `json:"address,omitempty" doc:"Where the words, or similar ones, are."`
	Link        string       `json:"link,omitempty" doc:"The page that shows the words in their place, if the server has pages."`
	DocumentID  string       `json:"documentId,omitempty"`
	Text        string       `json:"text,omitempty" doc:"The words of the source there."`
	Similarity  float64      `json:"similarity"`
	Difference  []Difference `json:"difference,omitempty"`
	Repairs     []string     `json:"repairs,omitempty" doc:"Kinds of differences that change no meaning."`
	Others      []string     `json:"others,omitempty" doc:"Further places."`
	OCR         bool         `json:"ocr,omitempty" doc:"The words were recognised in a picture, so they are never exact."`
	Confidence  float64      `json:"confidence,omitempty" doc:"How sure the program is that recognised them, from 0 to 1."`
	Stale       bool         `json:"stale,omitempty" doc:"The source has changed."`
	Transcribed bool         `json:"transcribed,omitempty" doc:"The text is what a machine heard in a recording."`
	LeftOut     int          `json:"leftOut,omitempty"`
	Notes       []string     `json:"notes,omitempty"`
	Error       *Failure     `json:"error,omitempty" doc:"Why it could not be checked."`
}

// A Difference is a difference in words.
type Difference struct {
	Quote  string `json:"quote"`
	Source string `json:"source"`
	Note   string `json:"note,omitempty"`
}

// Uncited is a sentence without an address.
type Uncited struct {
	Text  string   `json:"text"`
	Range [2]int64 `json:"range" doc:"Code points, the end excluded."`
	Meant string   `json:"meant,omitempty" doc:"The address that a reference in it means."`
}

func (r *VerifyRequest) workspace() string { return r.WorkspaceID }
func (v *Verification) meta() *Meta        { return &v.Meta }

// Verify checks a quote, or all citations of a text. Errors are those of
// [verify.Verifier.Quote] and [verify.Verifier.Text].
func (s *Service) Verify(ctx context.Context, req *VerifyRequest) (*Verification, error) {
	switch {
	case req.Quote != "" && req.Text != "":
		return nil, wrongField("/text", "give either quote or text")
	case req.Quote == "" && req.Text == "":
		return nil, wrongField("/quote", "is missing: give quote or text")
	}
	if req.Text != "" {
		return s.verifyText(ctx, req)
	}
	asked := verify.Request{Quote: req.Quote}
	if req.Address != "" {
		part, err := lookup.Find(ctx, s.Library, req.Address)
		if err != nil {
			return nil, ofField("/address", err)
		}
		asked.Address = part.Address
	}
	v, err := s.Verifier.Quote(ctx, asked)
	if err != nil {
		return nil, err
	}
	holds := v.Holds()
	one := s.verdictOf(v, verify.QuoteKind, holds)
	one.Cited = req.Address
	return &Verification{Holds: &holds, Verdicts: []Verdict{one}, Complete: true}, nil
}

func (s *Service) verifyText(ctx context.Context, req *VerifyRequest) (*Verification, error) {
	if req.Address != "" {
		return nil, wrongField("/address", "is for a quote; a text has its addresses in it")
	}
	report, err := s.Verifier.Text(ctx, req.Text, &verify.TextOptions{Strict: req.Strict})
	if err != nil {
		return nil, err
	}
	answer := &Verification{Verdicts: []Verdict{}, Complete: report.NotChecked == 0, Hint: report.Hint()}
	if !report.CitesNothing() {
		holds := report.Holds()
		answer.Holds = &holds
	}
	for _, e := range report.Entries {
		one := s.verdictOf(&e.Verdict, e.Kind, e.Holds())
		one.Cited = e.Cited
		if e.At != (verify.Span{}) {
			one.Range = &e.At.CodePoints
		}
		answer.Verdicts = append(answer.Verdicts, one)
	}
	for _, u := range report.Uncited {
		one := Uncited{Text: u.Text, Range: u.At.CodePoints}
		if u.Meant.Resource != "" {
			one.Meant = u.Meant.String()
		}
		answer.Uncited = append(answer.Uncited, one)
	}
	return answer, nil
}

// verdictOf returns a verdict with the fields that a program needs.
func (s *Service) verdictOf(v *verify.Verdict, kind verify.Kind, holds bool) Verdict {
	one := Verdict{
		Kind: string(kind), Class: string(v.Class), Holds: holds, Quote: v.Quote, Text: v.Text, Similarity: v.Similarity,
		Others: written(v.Others), OCR: v.OCR, Confidence: v.Confidence, Stale: v.Stale, Transcribed: v.Transcribed, LeftOut: v.LeftOut, Notes: v.Notes,
	}
	if v.Address.Resource != "" {
		one.Address, one.DocumentID = v.Address.String(), v.Address.Resource
		shown := ""
		if v.Class == verify.Exact || v.Class == verify.Repaired {
			shown = v.Quote
		}
		one.Link = s.linkTo(one.Address, shown)
	}
	for _, d := range v.Difference {
		one.Difference = append(one.Difference, Difference{d.Quote, d.Source, d.Note})
	}
	for _, r := range v.Repairs {
		one.Repairs = append(one.Repairs, string(r.Kind))
	}
	if v.Problem != nil {
		one.Error = failureOf(v.Problem)
	}
	return one
}
