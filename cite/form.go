package cite

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
	"github.com/citekit/citekit/internal/message"
)

// A Form is a form of citations.
type Form string

// The forms.
const (
	Markdown   Form = "markdown"   // a link
	Footnote   Form = "footnote"   // of Markdown
	CSL        Form = "csl"        // an item of CSL-JSON
	BibTeX     Form = "bibtex"     // an entry
	Annotation Form = "annotation" // a W3C Web Annotation
	URL        Form = "url"        // for readers without citekit; it opens at the place, if URLs have a form for that
	Anthropic  Form = "anthropic"  // a citation of a document with a quote, else a search_result block with the text
	OpenAI     Form = "openai"     // an answer with an annotation, as OpenAI's Responses API has it
	Gemini     Form = "gemini"     // an answer with grounding metadata, as Google's Gemini API has it
)

// Forms returns all forms, in the order in which help lists them.
func Forms() []Form {
	all := make([]Form, len(forms))
	for i, f := range forms {
		all[i] = f.name
	}
	return all
}

// A form says how one form is written.
type form struct {
	name Form
	pin  pinning

	// One of these writes a citation.
	text func(cited *citation.Citation, req Request) (string, error)
	json func(ctx context.Context, c *Citer, cited *citation.Citation) ([]byte, error)
}

// A pinning says when the address of a part names the version of the source, unless a
// request says so.
type pinning int

const (
	pinNever  pinning = iota
	pinUntold         // unless the quote beside the address tells where it was
	pinParts          // always: the form has a field for an address
)

var forms = []form{
	{name: Markdown, pin: pinUntold,
		text: func(cited *citation.Citation, _ Request) (string, error) { return cited.Markdown(), nil }},
	{name: Footnote, pin: pinUntold,
		text: func(cited *citation.Citation, req Request) (string, error) {
			return cited.Footnote(strconv.Itoa(cmp.Or(req.Number, 1)))
		}},
	{name: CSL, pin: pinParts, json: plainJSON((*citation.Citation).CSL)},
	{name: BibTeX, pin: pinParts,
		text: func(cited *citation.Citation, _ Request) (string, error) { return cited.BibTeX() }},
	{name: Annotation, pin: pinParts, json: plainJSON((*citation.Citation).Annotation)},
	{name: URL,
		text: func(cited *citation.Citation, req Request) (string, error) {
			return cited.URL(cmp.Or(req.URL, sourceURL(cited.Work.Path)))
		}},
	{name: Anthropic, json: anthropicBlock},
	{name: OpenAI, pin: pinParts,
		json: plainJSON(func(cited *citation.Citation) ([]byte, error) { return citation.AnswerOf(*cited).OpenAI() })},
	{name: Gemini, pin: pinParts,
		json: plainJSON(func(cited *citation.Citation) ([]byte, error) { return citation.AnswerOf(*cited).Gemini() })},
}

// plainJSON returns the writer of a form that needs only the citation.
func plainJSON(write func(*citation.Citation) ([]byte, error)) func(context.Context, *Citer, *citation.Citation) ([]byte, error) {
	return func(_ context.Context, _ *Citer, cited *citation.Citation) ([]byte, error) { return write(cited) }
}

// formNamed returns a form by its name; "" is that of Markdown.
func formNamed(name Form) (form, error) {
	var names []string
	for _, f := range forms {
		if f.name == cmp.Or(name, Markdown) {
			return f, nil
		}
		names = append(names, string(f.name))
	}
	return form{}, &FieldError{"Form", fmt.Errorf("no form %s; write one of %s: %w", message.Quote(string(name)), strings.Join(names, ", "), citekit.ErrSyntax)}
}

// pins reports whether the address of a citation names the version of its source, if
// nobody says so. tells reports whether the quote tells where it was.
func (f form) pins(cited *citation.Citation, tells bool) bool {
	return !cited.Address.Location.IsWhole() && (f.pin == pinParts || f.pin == pinUntold && !tells)
}

// write returns a citation as text or as JSON.
func (f form) write(ctx context.Context, c *Citer, cited *citation.Citation, req Request) (text string, data json.RawMessage, err error) {
	if f.text != nil {
		text, err = f.text(cited, req)
	} else {
		data, err = f.json(ctx, c, cited)
	}
	switch {
	case !errors.Is(err, citekit.ErrSyntax):
		return text, data, err
	case f.name == URL:
		return "", nil, &FieldError{"URL", err}
	}
	return "", nil, &FieldError{"Form", err}
}

// anthropicBlock returns the citation of a document with the quote, or without one a
// search_result block.
func anthropicBlock(ctx context.Context, c *Citer, cited *citation.Citation) ([]byte, error) {
	if cited.Quote != "" {
		return cited.AnthropicLocation(0)
	}
	return c.searchResult(ctx, cited)
}

// maxResult bounds the text of a search_result, in bytes.
const maxResult = 1 << 20

// searchResult returns the cited part as a search_result block, with its text in one
// piece per page or other unit.
func (c *Citer) searchResult(ctx context.Context, cited *citation.Citation) ([]byte, error) {
	var texts []string
	size := 0
	for run, err := range c.lib.ReadText(ctx, cited.Address.Resource, cited.Address.Location) {
		if err != nil {
			return nil, err
		}
		if size += len(run.Text); size > maxResult {
			return nil, fmt.Errorf("the text of %s has more than %d bytes; cite a part of it: %w", cited.Address, maxResult, citekit.ErrTooLarge)
		}
		if text := strings.TrimSpace(run.Text); text != "" {
			texts = append(texts, text)
		}
	}
	return cited.AnthropicSearchResult(texts...)
}

// sourceURL returns the path of a source as a relative URL.
func sourceURL(source string) string {
	slashed := filepath.ToSlash(source)
	if path.IsAbs(slashed) || filepath.IsAbs(source) {
		slashed = path.Base(slashed)
	}
	return (&url.URL{Path: slashed}).String()
}
