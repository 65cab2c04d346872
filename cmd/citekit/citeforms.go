package main

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
	"github.com/citekit/citekit/internal/lookup"
)

// A citeForm is a form of citations, as --as and --from of cite name it.
type citeForm struct {
	name string
	pin  pinning

	// text or json writes a citation, the number-th one from 1.
	text func(c *citer, cited *citation.Citation, number int) (string, error)
	json func(ctx context.Context, c *citer, cited *citation.Citation) ([]byte, error)

	// read reads citations. It is nil for a form that is only written.
	read func(ctx context.Context, c *citer, data []byte) (*citation.Answer, error)
}

// A pinning says when the address of a part names the version of the source, unless
// --pin says so.
type pinning int

const (
	pinNever  pinning = iota
	pinUntold         // unless the quote beside the address tells where it was
	pinParts          // always: the form has a field for an address
)

// citeForms are all forms, in the order in which help lists them.
var citeForms = []citeForm{
	{name: "markdown", pin: pinUntold,
		text: func(_ *citer, cited *citation.Citation, _ int) (string, error) { return cited.Markdown(), nil },
		read: listed(func(data []byte) ([]citation.Citation, error) { return citation.ParseMarkdown(string(data)), nil })},
	{name: "footnote", pin: pinUntold,
		text: func(_ *citer, cited *citation.Citation, number int) (string, error) {
			return cited.Footnote(strconv.Itoa(number))
		}},
	{name: "csl", pin: pinParts, json: plainJSON((*citation.Citation).CSL), read: listed(citation.ParseCSL)},
	{name: "bibtex", pin: pinParts,
		text: func(_ *citer, cited *citation.Citation, _ int) (string, error) { return cited.BibTeX() },
		read: listed(func(data []byte) ([]citation.Citation, error) { return citation.ParseBibTeX(string(data)) })},
	{name: "annotation", pin: pinParts, json: plainJSON((*citation.Citation).Annotation), read: listed(citation.ParseAnnotation)},
	{name: "url", text: func(c *citer, cited *citation.Citation, _ int) (string, error) { return cited.URL(c.published(cited)) }},
	{name: "anthropic", json: anthropicBlock, read: readAnthropic},
	{name: "openai", pin: pinParts,
		json: plainJSON(func(cited *citation.Citation) ([]byte, error) { return citation.AnswerOf(*cited).OpenAI() }),
		read: func(_ context.Context, _ *citer, data []byte) (*citation.Answer, error) {
			return citation.ParseOpenAI(data)
		}},
	{name: "gemini", pin: pinParts,
		json: plainJSON(func(cited *citation.Citation) ([]byte, error) { return citation.AnswerOf(*cited).Gemini() }),
		read: func(_ context.Context, _ *citer, data []byte) (*citation.Answer, error) {
			return citation.ParseGemini(data)
		}},
}

// plainJSON returns the writer of a form that needs only the citation.
func plainJSON(write func(*citation.Citation) ([]byte, error)) func(context.Context, *citer, *citation.Citation) ([]byte, error) {
	return func(_ context.Context, _ *citer, cited *citation.Citation) ([]byte, error) { return write(cited) }
}

// listed returns the reader of a form of citations that stand outside an answer: they
// become one claim without text.
func listed(parse func([]byte) ([]citation.Citation, error)) func(context.Context, *citer, []byte) (*citation.Answer, error) {
	return func(_ context.Context, _ *citer, data []byte) (*citation.Answer, error) {
		found, err := parse(data)
		return &citation.Answer{Claims: []citation.Claim{{Citations: found}}}, err
	}
}

// citeFormNames returns the values of --as and of --from.
func citeFormNames() (written, read []string) {
	for _, form := range citeForms {
		written = append(written, form.name)
		if form.read != nil {
			read = append(read, form.name)
		}
	}
	return written, read
}

// formNamed returns the form of a name that [citeFlags.check] has accepted.
func formNamed(name string) (form citeForm) {
	for _, known := range citeForms {
		if known.name == name {
			form = known
		}
	}
	return form
}

// write returns a citation as text or as JSON.
func (f citeForm) write(ctx context.Context, c *citer, cited *citation.Citation, number int) (text string, data []byte, err error) {
	if f.text != nil {
		text, err = f.text(c, cited, number)
	} else {
		data, err = f.json(ctx, c, cited)
	}
	return text, data, err
}

// anthropicBlock returns the citation of a document with the quote, or without one a
// search_result block.
func anthropicBlock(ctx context.Context, c *citer, cited *citation.Citation) ([]byte, error) {
	if cited.Quote != "" {
		return cited.AnthropicLocation(0)
	}
	return c.searchResult(ctx, cited)
}

// readAnthropic reads a response whose citations are positions in what was sent.
func readAnthropic(ctx context.Context, c *citer, data []byte) (*citation.Answer, error) {
	sent, err := c.sent(ctx)
	if err != nil {
		return nil, err
	}
	return citation.ParseAnthropic(data, sent)
}

// sent returns what was sent to the model, according to the person.
func (c *citer) sent(ctx context.Context) (*citation.AnthropicSent, error) {
	sent := &citation.AnthropicSent{}
	for _, id := range c.documents {
		part, err := lookup.Find(ctx, c.Library, id)
		if err != nil {
			return nil, err
		}
		sent.Documents = append(sent.Documents, citation.AnthropicDocument{Address: part.Address})
	}
	return sent, nil
}

// published returns the URL of the source.
func (c *citer) published(cited *citation.Citation) string {
	if c.url != "" {
		return c.url
	}
	return sourceURL(cited.Work.Path)
}

// maxResult bounds the text of a search_result, in bytes.
const maxResult = 1 << 20

// searchResult returns the cited part as a search_result block, with its text in one
// piece per page or other unit.
func (c *citer) searchResult(ctx context.Context, cited *citation.Citation) ([]byte, error) {
	var texts []string
	size := 0
	for run, err := range c.ReadText(ctx, cited.Address.Resource, cited.Address.Location) {
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
