package command

import (
	"context"

	"github.com/citekit/citekit/citation"
	"github.com/citekit/citekit/cite"
	"github.com/citekit/citekit/internal/lookup"
)

// A citeForm is a form of citations that is read, as --from of cite names it.
type citeForm struct {
	name cite.Form
	read func(ctx context.Context, c *citer, data []byte) (*citation.Answer, error)
}

// citeForms are in the order in which help lists them.
var citeForms = []citeForm{
	{cite.Markdown, listed(func(data []byte) ([]citation.Citation, error) { return citation.ParseMarkdown(string(data)), nil })},
	{cite.CSL, listed(citation.ParseCSL)},
	{cite.BibTeX, listed(func(data []byte) ([]citation.Citation, error) { return citation.ParseBibTeX(string(data)) })},
	{cite.Annotation, listed(citation.ParseAnnotation)},
	{cite.Anthropic, readAnthropic},
	{cite.OpenAI, func(_ context.Context, _ *citer, data []byte) (*citation.Answer, error) {
		return citation.ParseOpenAI(data)
	}},
	{cite.Gemini, func(_ context.Context, _ *citer, data []byte) (*citation.Answer, error) {
		return citation.ParseGemini(data)
	}},
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
	for _, form := range cite.Forms() {
		written = append(written, string(form))
	}
	written = append(written, asPDF, asHTML)
	for _, form := range citeForms {
		read = append(read, string(form.name))
	}
	return written, read
}

// formNamed returns the form of a name that [citeFlags.check] has accepted.
func formNamed(name string) (form citeForm) {
	for _, known := range citeForms {
		if string(known.name) == name {
			form = known
		}
	}
	return form
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
