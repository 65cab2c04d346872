package embedding

import (
	"context"

	"github.com/citekit/citekit/search"
)

// Ollama embeds texts with an Ollama server, which cuts texts that are too long
// for the model. It is safe for concurrent use.
type Ollama struct{ *server }

var _ search.Embedder = (*Ollama)(nil)

// NewOllama returns an embedder. It makes no request. The usual base URL is
// http://localhost:11434. The error matches [citekit.ErrSyntax] if a value is
// invalid.
func NewOllama(opts *Options) (*Ollama, error) {
	s, err := newServer(opts, "http://localhost:11434")
	if err == nil && s.options.Model == "" {
		err = errNoModel
	}
	if err != nil {
		return nil, err
	}
	return &Ollama{s}, nil
}

// Name implements [search.Embedder].
func (o *Ollama) Name() string { return o.name("ollama") }

// Dimensions implements [search.Embedder].
func (o *Ollama) Dimensions() int { return o.options.Dimensions }

// Embed implements [search.Embedder].
func (o *Ollama) Embed(ctx context.Context, kind search.TextKind, texts []string) ([][]float32, error) {
	request := struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Truncate   bool     `json:"truncate"`
		Dimensions int      `json:"dimensions,omitempty"`
	}{o.options.Model, o.prefixed(kind, texts), true, o.options.Dimensions}
	var answer struct {
		Embeddings [][]float32 `json:"embeddings"`
	}
	if err := o.post(ctx, "/api/embed", request, &answer); err != nil {
		return nil, err
	}
	return answer.Embeddings, countVectors(answer.Embeddings, len(texts))
}
