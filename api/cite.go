package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cite"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/server/transport"
)

// CiteRequest is the body of POST /v1/cite.
type CiteRequest struct {
	WorkspaceID string `json:"workspaceId,omitempty"`
	Address     string `json:"address" minLength:"1" doc:"What to cite: an address, the id of a document, or that of a node as document.node."`
	Quote       string `json:"quote,omitempty" maxLength:"65536" doc:"Words that must occur there; the citation is then of their exact place."`
	Format      string `json:"format,omitempty" enum:"markdown,footnote,csl,bibtex,annotation,url,anthropic,openai,gemini" default:"markdown" doc:"url is for readers without citekit; anthropic, openai and gemini are as the APIs of these models have them."`
	Pin         *bool  `json:"pin,omitempty" doc:"Name the version of the source in the address. If it is not given, that of a part is named, unless the citation has a quote that tells where it was."`
	URL         string `json:"url,omitempty" maxLength:"8192" doc:"Of a published copy, for the format url; the path of the source if it is not given."`
	Number      int    `json:"number,omitempty" minimum:"1" maximum:"1000000" default:"1" doc:"Of a footnote."`
}

// Cited is the answer to POST /v1/cite.
type Cited struct {
	Address     string `json:"address"`
	Link        string `json:"link,omitempty" doc:"The page that shows it, if the server has pages."`
	DocumentID  string `json:"documentId"`
	Label       string `json:"label" doc:"The title, the part and the place, for people."`
	Quote       string `json:"quote,omitempty" doc:"In the words of the source."`
	Format      string `json:"format" enum:"markdown,footnote,csl,bibtex,annotation,url,anthropic,openai,gemini"`
	Text        string `json:"text,omitempty" doc:"The citation, in a format that is text."`
	Value       any    `json:"value,omitempty" doc:"The citation, in a format that is JSON: csl, annotation, anthropic, openai and gemini."`
	OCR         bool   `json:"ocr,omitempty" doc:"The quote was recognised in a picture: nobody has compared it with what that shows."`
	Transcribed bool   `json:"transcribed,omitempty" doc:"The quote is what a machine heard in a recording."`
	Stale       bool   `json:"stale,omitempty" doc:"The source has changed since it was mapped."`
	Warning     string `json:"warning,omitempty" doc:"Why the citation may not lead to what it names."`
	Meta        Meta   `json:"meta"`
}

func (r *CiteRequest) workspace() string { return r.WorkspaceID }
func (c *Cited) meta() *Meta             { return &c.Meta }

// citeTool is the tool of MCP that a caller of cite must have: both say whether words stand
// in a source.
const citeTool = "verify"

// citeFields are the fields of a CiteRequest by those of a [cite.Request].
var citeFields = map[string]string{"Quote": "quote", "Form": "format", "URL": "url"}

// Cite makes a citation. Errors are those of [cite.Citer.Cite], as a [Problem] if one
// field is wrong.
func (s *Service) Cite(ctx context.Context, req *CiteRequest) (*Cited, error) {
	asked := cite.Request{
		ID: req.Address, Quote: req.Quote, Form: cmp.Or(cite.Form(req.Format), cite.Markdown), URL: req.URL, Number: req.Number,
	}
	switch {
	case req.URL != "" && asked.Form != cite.URL:
		return nil, wrongField("/url", "url is for the format url")
	case asked.Form == cite.Anthropic && req.Quote == "" && s.Offers != nil && !s.Offers(ctx, "getContents"):
		return nil, fmt.Errorf("this format has the text of what is cited, which the caller may not read; cite a quote: %w", citekit.ErrForbidden)
	case req.Pin != nil && *req.Pin:
		asked.Pin = cite.PinAlways
	case req.Pin != nil:
		asked.Pin = cite.PinNever
	}
	made, err := s.Citer.Cite(ctx, asked)
	if err != nil {
		return nil, citeProblem(err)
	}
	cited := &Cited{
		Address: made.Address.String(), DocumentID: made.Address.Resource, Label: made.Label(), Quote: made.Quote,
		Format: string(asked.Form), Text: made.Text, Transcribed: made.Quote != "" && made.Work.Transcribed, OCR: made.OCR, Warning: made.Note,
	}
	cited.Link = s.linkTo(cited.Address, made.Quote)
	if made.JSON != nil {
		cited.Value = made.JSON
	}
	if made.Problem != nil {
		cited.Stale, cited.Warning = errors.Is(made.Problem, citekit.ErrStale), failureOf(made.Problem).Message
	}
	return cited, nil
}

// citeProblem returns an error of a citation, with the field that it is due to.
func citeProblem(err error) error {
	pointer := ""
	var field *cite.FieldError
	switch code := citekit.CodeOf(err); {
	case errors.As(err, &field):
		pointer = "/" + citeFields[field.Field]
	case errors.As(err, new(*cite.QuoteError)):
		pointer = "/quote"
	case code == message.CodeInvalidInput, code == message.CodeNotFound:
		pointer = "/address"
	default:
		return err
	}
	p := problemOf(err)
	p.Errors = []transport.FieldError{{Pointer: &pointer, Detail: p.Detail}}
	return p
}
